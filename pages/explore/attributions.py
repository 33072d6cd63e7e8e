"""Five attribution methods on the same tokens: how far they agree, and how faithful they are to the model."""

import threading
from dataclasses import dataclass

import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.shared import downloads, evidence, links
from pages.shared.cache import explain_input, load_model, model_version
from pages.shared.visitor import page_theme, show_failure, translator
from pages.shared.wording import escape_markdown, join_sentences
from viz_core.analysis.attribution.agreement import agreement
from viz_core.analysis.attribution.faithfulness import faithfulness
from viz_core.analysis.attribution.integrated_gradients import TOLERANCE
from viz_core.analysis.attribution.methods import (
    METHODS,
    MOST_TOKENS,
    attributions,
    contributions,
    methods_work,
    no_token_matters,
)
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.faithfulness import NAME, read
from viz_core.evidence.kinds import evidence_kind
from viz_core.records import Agreement, Attribution, Explanation, Failure, Faithfulness, Message
from viz_core.rendering.agreement import agreement_matrix
from viz_core.rendering.attributions import attribution_bars
from viz_core.rendering.faithfulness import faithfulness_bars
from viz_core.rendering.probabilities import percent
from viz_core.tables.downloads import attributions_csv
from viz_core.text.length import cut_text

CACHED = 256  # inputs, for all visitors; an input of 512 tokens takes 30 kB
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
    attributions: tuple[Attribution, ...]
    agreement: Agreement
    measures: tuple[Faithfulness, ...]


def attribution_section(info: CheckpointInfo, explanation: Explanation) -> None:
    """The chart, agreement and faithfulness on this input and on validation, and what each method measures."""
    say, theme = translator(), page_theme()
    with st.container(horizontal=True):
        target = pick_target(explanation)
        against = _pick_against(explanation, target)
    if explanation.label_ids and not _may_measure(info, explanation):
        return
    try:
        with st.spinner(say("attribution.measuring")):
            comparison = compare_methods(info, target, *explanation.encoding.texts, against=against)
    except Failure as failure:
        show_failure(failure, "edit", st.info)
        return
    if no_token_matters(comparison.attributions):
        st.info(say("attribution.nothing_to_attribute"), icon=":material/block:")
    predicted = explanation.labels[explanation.predicted]
    figure = attribution_bars(comparison.attributions, explanation.labels, say, theme, predicted)
    downloads.show(
        figure, "attributions", lambda: attributions_csv(comparison.attributions), alt=figure.layout.title.text
    )
    gradients = comparison.attributions[METHODS.index("integrated_gradients")]
    is_complete = gradients.gap < TOLERANCE
    key = "attribution.completeness" if is_complete else "attribution.completeness_gap"
    notes = [say(key, gap=percent(gradients.gap), steps=gradients.steps)]
    if explanation.kind == "causal":
        notes.append(say("attribution.first_token"))
    st.caption(escape_markdown(join_sentences(notes, say)))
    st.markdown(f"### {say('attribution.on_input')}")
    _draw_side_by_side(comparison.agreement, "attribution.agreement_input", comparison.measures, "input")
    if NAME in evidence_kind(info.task).compute:
        st.markdown(f"### {say('attribution.on_validation')}")
        _validation(info)
    with st.expander(say("attribution.methods_explained"), icon=":material/menu_book:"):
        for method in (attribution.method for attribution in comparison.attributions):
            paper, address = PAPERS[method]
            name, shows = say(f"attribution.{method}"), say(f"attribution.{method}_shows")
            st.markdown(f"**{name}** · {shows} [{paper}]({address})")
        st.caption(say("attribution.removal_bias"))


def _may_measure(info: CheckpointInfo, explanation: Explanation) -> bool:
    """Whether the methods are quick on this text, or refuse it at once; if not, a button asks for them."""
    length = len(explanation.encoding.ids)
    tokens = methods_work(length)
    if (
        length > MOST_TOKENS
        or tokens * info.settings.config.parameters() < QUICK
        or st.session_state.get(_MEASURED) == (info.name, explanation.encoding.texts)
    ):
        return True
    say = translator()
    note = st.caption(say("attribution.long", tokens=round(tokens, -3)))
    if st.button(say("attribution.start"), icon=":material/play_arrow:"):
        st.session_state[_MEASURED] = info.name, explanation.encoding.texts
        note.empty()
        return True
    return False


def _validation(info: CheckpointInfo) -> None:
    """Agreement and faithfulness on the validation split, or the offer to compute them."""
    say, saved = translator(), read(evidence.result_or_offer(info, NAME))
    if saved is None:
        return
    _draw_side_by_side(saved.agreement, "attribution.agreement_inputs", saved.measures, "validation")
    notes = [say("attribution.validation_sample")] if saved.data == "sample" else []
    if saved.unfinished > 0:
        notes.append(say("attribution.validation_gap", share=f"{saved.unfinished:.1%}"))
    if notes:
        st.caption(join_sentences(notes, say))


def _draw_side_by_side(correlations: Agreement, note: str, measures: tuple[Faithfulness, ...], name: str) -> None:
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


@st.cache_resource(show_spinner=False)
def _cache() -> tuple[LRUCache, threading.Lock]:
    return LRUCache(CACHED), threading.Lock()


def compare_methods(info: CheckpointInfo, target: str, *texts: str, against: str = "") -> MethodComparison:
    """The five methods on one input, for a label or, if it is empty, the predicted one, and against another or, if that
    is empty, all others; cached for all visitors."""
    version, (cache, lock) = model_version(info), _cache()

    @cached(cache, key=lambda: hashkey(info.path, version, target, against, *map(cut_text, texts)), lock=lock)
    def compute() -> MethodComparison:
        checkpoint, explanation = load_model(info), explain_input(info, *texts)
        chosen, other = (explanation.labels.index(label) if label else None for label in (target, against))
        results = attributions(checkpoint, explanation, chosen, other)
        return MethodComparison(results, agreement(results), faithfulness(checkpoint, explanation, results))

    return compute()


def pick_target(explanation: Explanation) -> str:
    """The label of a class, one of more than two, or empty for the predicted one."""
    if len(explanation.labels) <= 2:  # of two, what opposes a class supports the other; there may be none
        return ""
    say, choices = translator(), ["", *explanation.labels]
    name = "attribution.target_token" if explanation.label_ids else "attribution.target"
    return links.pick(
        st.selectbox,
        "target",
        say(name),
        choices,
        lambda label: say(f"rendering.label_{label}" if label else f"{name}_predicted"),
        width=280,
    )


def _pick_against(explanation: Explanation, target: str) -> str:
    """The label that the target is compared with, or empty for all others."""
    say, chosen = translator(), target or (explanation.labels[explanation.predicted] if explanation.labels else "")
    others = [label for label in explanation.labels if label != chosen]
    if len(others) < 2:
        return ""
    name = lambda label: say(f"rendering.label_{label}" if label else "attribution.against_all")  # noqa: E731
    return links.pick(st.selectbox, "against", say("attribution.against"), ["", *others], name, width=280)


def show_contributions(info: CheckpointInfo, explanation: Explanation) -> None:
    """A bar per token; nothing for other models."""
    attribution, say = contributions(load_model(info), explanation), translator()
    if attribution is None:
        return
    st.header(say("kinds.contributions_title"), anchor="contributions")
    label = say(f"rendering.label_{attribution.target}")
    note = "kinds.contributions_note" if len(explanation.labels) == 2 else "kinds.contributions_note_classes"
    st.caption(escape_markdown(say(note, label=label)))
    figure = attribution_bars([attribution], explanation.labels, say, page_theme())
    downloads.show(figure, "contributions", lambda: attributions_csv([attribution]), alt=figure.layout.title.text)
