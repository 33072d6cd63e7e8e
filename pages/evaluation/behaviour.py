"""Behavioural tests of a model: the scores by category, and every prediction."""

import streamlit as st

from pages.shared import downloads, links
from pages.shared.cache import load_model, model_version
from pages.shared.opening import open_input
from pages.shared.own_tasks import escaped
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.evaluation.behaviour import run_behavioural_tests
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import BehaviouralPrediction, BehaviouralResults, Failure
from viz_core.rendering.behaviour import category_scores
from viz_core.rendering.probabilities import EVEN, percent
from viz_core.tasks import get_task
from viz_core.tasks.own import is_own_name

_ALL = "all"


def section(info: CheckpointInfo) -> None:
    """The heading, the chart of the scores, and the table of predictions."""
    say = translator()
    st.header(say("behaviour.title"), anchor="probes")
    try:
        results = _run_tests(info, model_version(info))
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
        return
    if results is None:
        st.caption(say("behaviour.none"))
        return
    chart_column, text_column = st.columns(2, gap="large")
    with chart_column:
        downloads.show(category_scores(results, say, page_theme()), "probes", alt=say("behaviour.chart"))
    with text_column:
        counts = [
            say("behaviour.predicted_count", label=escaped(info.task, say(f"rendering.label_{label}")), count=count)
            for label, count in results.predicted_counts.items()
        ]
        note = "behaviour.note_own" if is_own_name(info.task) else "behaviour.note"
        st.markdown(say(note, percent=f"{results.baseline:.0%}"))
        st.markdown(say("behaviour.predicted_counts", n=results.overall.n, counts=counts) + _threshold(info))
    _table(info, results)


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs={CheckpointInfo: lambda info: str(info.path)})
def _run_tests(info: CheckpointInfo, version: tuple) -> BehaviouralResults | None:
    """The results, cached until the model changes; None for a task without behavioural tests. Raises Failure."""
    tests = get_task(info.task).behavioural_tests()
    return run_behavioural_tests(load_model(info), tests) if tests else None


def _threshold(info: CheckpointInfo) -> str:
    """The sentence on the decision threshold, for a model whose threshold is not 50%."""
    threshold, positive_label = info.settings.threshold, get_task(info.task).labels[-1]
    if threshold in (EVEN, None):
        return ""
    say = translator()
    label = escaped(info.task, say(f"rendering.label_{positive_label}"))
    return say("behaviour.threshold", label=label, percent=percent(threshold))


@st.fragment
def _table(info: CheckpointInfo, results: BehaviouralResults) -> None:
    """All predictions, or those of a category, or the wrong ones; a click opens the text on the page of its task."""
    say = translator()
    categories = [_ALL, *(score.category for score in results.scores)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        selected = links.pick(
            st.pills,
            "probe_category",
            say("behaviour.filter"),
            categories,
            lambda name: say("behaviour.every_category" if name == _ALL else f"behaviour.category_{name}"),
            required=True,
            label_visibility="collapsed",
            persist_state=None,
        )
        wrong, switch = say("behaviour.only_wrong"), {"width": "content", "persist_state": None}
        only_wrong = links.link(st.toggle, "probe_wrong", wrong, default=False, read=links.on_or_off, **switch)
    predictions = [
        prediction
        for prediction in results.predictions
        if selected in (_ALL, prediction.test.category) and not (only_wrong and prediction.correct)
    ]
    if not predictions:
        st.caption(say("behaviour.none_wrong"))
        return
    st.caption(say("behaviour.open"))
    table = st.dataframe(
        [_row(prediction) for prediction in predictions],
        hide_index=True,
        key="probe_answers",
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            say("behaviour.column_correct"): st.column_config.TextColumn(width=60, alignment="center"),
            say("behaviour.column_confidence"): st.column_config.NumberColumn(format="percent"),
        },
    )
    for number, _ in table.selection.cells:
        open_input(info, predictions[number].test.texts)


def _row(prediction: BehaviouralPrediction) -> dict[str, object]:
    say, test = translator(), prediction.test
    names = ("text_a", "text_b") if len(test.texts) > 1 else ("text",)
    return {
        say("behaviour.column_correct"): "✓" if prediction.correct else "✗",
        **{say(f"behaviour.column_{name}"): text for name, text in zip(names, test.texts, strict=True)},
        say("behaviour.column_expected"): say(f"rendering.label_{test.expected}"),
        say("behaviour.column_prediction"): say(f"rendering.label_{prediction.label}"),
        say("behaviour.column_confidence"): prediction.probability,
        say("behaviour.column_category"): say(f"behaviour.category_{test.category}"),
    }
