"""What the pages with attributions share: the methods on one input, and their figures."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.shared import downloads
from pages.shared.own_tasks import task_theme
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown, join_sentences
from viz_core.analysis.attribution.agreement import agreement
from viz_core.analysis.attribution.faithfulness import faithfulness
from viz_core.analysis.attribution.integrated_gradients import TOLERANCE
from viz_core.analysis.attribution.methods import METHODS, MOST_TOKENS, attributions, methods_work, no_token_matters
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.records import Agreement, Attribution, Explanation, Faithfulness, Message
from viz_core.rendering.agreement import agreement_matrix
from viz_core.rendering.attributions import PAIR, attribution_bars
from viz_core.rendering.faithfulness import faithfulness_bars
from viz_core.rendering.probabilities import percent
from viz_core.tables.downloads import attributions_csv

QUICK = 1e12  # tokens × parameters: about half a minute on two cores
_MEASURED = "attribution_measured"  # in the session: model and texts for which one asked to wait
PAPERS = {
    "leave_one_out": ("Li, Monroe, Jurafsky 2016", "https://arxiv.org/abs/1612.08220"),
    "integrated_gradients": ("Sundararajan, Taly, Yan 2017", "https://arxiv.org/abs/1703.01365"),
    "gradient_attention": ("Chefer, Gur, Wolf 2021", "https://arxiv.org/abs/2103.15679"),
    "rollout": ("Abnar, Zuidema 2020", "https://arxiv.org/abs/2005.00928"),
    "attention": ("Jain, Wallace 2019", "https://arxiv.org/abs/1902.10186"),
}


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """The methods on one input, how far they agree, and how faithful they are."""

    attributions: tuple[Attribution, ...]
    agreement: Agreement
    measures: tuple[Faithfulness, ...]


def compare(
    checkpoint: Checkpoint, explanation: Explanation, target: int | None, against: int | None
) -> MethodComparison:
    """As `attributions`. Raises Failure."""
    results = attributions(checkpoint, explanation, target, against)
    return MethodComparison(results, agreement(results), faithfulness(checkpoint, explanation, results))


def may_measure(info: CheckpointInfo, length: int, texts: Sequence[str]) -> bool:
    """Whether the methods are quick on a text of so many tokens, or refuse it at once; if not, a button asks for
    them."""
    tokens, about = methods_work(length), (info.name, tuple(texts))
    if (
        length > MOST_TOKENS
        or tokens * info.settings.config.parameters() < QUICK
        or st.session_state.get(_MEASURED) == about
    ):
        return True
    say = translator()
    note = st.caption(say("attribution.long", tokens=round(tokens, -3)))
    if st.button(say("attribution.start"), icon=":material/play_arrow:"):
        st.session_state[_MEASURED] = about
        note.empty()
        return True
    return False


def show_attributions(
    comparison: MethodComparison,
    classes: Sequence[str],
    predicted: str,
    notes: Sequence[str] = (),
    sides: tuple[str, str] = PAIR,
    task: str = "",
) -> None:
    """The bars of the methods, what they are, and their agreement and faithfulness on this input. predicted: the label
    of the prediction. sides: names of two texts. task: whose classes they are, if it is classes that are compared."""
    say, theme = translator(), task_theme(task)
    if no_token_matters(comparison.attributions):
        st.info(say("attribution.nothing_to_attribute"), icon=":material/block:")
    figure = attribution_bars(comparison.attributions, classes, say, theme, predicted, sides)
    downloads.show(
        figure, "attributions", lambda: attributions_csv(comparison.attributions), alt=figure.layout.title.text
    )
    gradients = comparison.attributions[METHODS.index("integrated_gradients")]
    is_complete = gradients.gap < TOLERANCE
    key = "attribution.completeness" if is_complete else "attribution.completeness_gap"
    notes = [say(key, gap=percent(gradients.gap), steps=gradients.steps), *notes]
    st.caption(escape_markdown(join_sentences(notes, say)))
    st.markdown(f"### {say('attribution.on_input')}")
    show_measures(comparison.agreement, "attribution.agreement_input", comparison.measures, "input")


def show_measures(correlations: Agreement, note: str, measures: tuple[Faithfulness, ...], name: str) -> None:
    """Agreement and faithfulness, side by side where there is room."""
    say, theme = translator(), page_theme()
    with st.container(horizontal=True, gap="medium", key=f"beside_{name}"):
        for figure, chart in (
            (
                agreement_matrix(correlations, Message(note, {"count": correlations.count}), say, theme),
                f"agreement_{name}",
            ),
            (faithfulness_bars(measures, say, theme), f"faithfulness_{name}"),
        ):
            with st.container(width="content", key=f"chart_box_{chart}"):
                downloads.show(figure, chart, alt=figure.layout.title.text)


def explain_methods(comparison: MethodComparison) -> None:
    """An expander: what each method shows, and what it does not."""
    say = translator()
    with st.expander(say("attribution.methods_explained"), icon=":material/menu_book:"):
        for method in (attribution.method for attribution in comparison.attributions):
            paper, address = PAPERS[method]
            name, shows = say(f"attribution.{method}"), say(f"attribution.{method}_shows")
            st.markdown(f"**{name}** · {shows} [{paper}]({address})")
        st.caption(say("attribution.removal_bias"))
