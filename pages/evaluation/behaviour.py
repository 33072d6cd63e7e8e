"""What a model makes of the texts that probe one thing each: the scores by category, and every single answer."""

from __future__ import annotations

import streamlit as st

from pages.shared import downloads, links
from pages.shared.cache import load_model, weights_time
from pages.shared.opening import open_input
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.behaviour import run_behavioural_tests
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import BehaviouralPrediction, BehaviouralResults, Failure
from viz_core.rendering.probabilities import EVEN, percent
from viz_core.rendering.probing import probe_scores
from viz_core.tasks import TASKS

_EVERY = "all"


def section(info: CheckpointInfo) -> None:
    """The heading, the chart of the scores, and the table of the answers."""
    say = translator()
    st.subheader(say("behaviour.title"), anchor="probes")
    try:
        found = _answered(info, weights_time(info))
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
        return
    if found is None:
        st.caption(say("behaviour.none"))
        return
    chart, words = st.columns(2, gap="large")
    with chart:
        downloads.show(probe_scores(found, say, page_theme()), "probes", alt=say("behaviour.chart"))
    with words:
        given = [
            say("behaviour.predicted_count", label=say(f"rendering.label_{label}"), count=count)
            for label, count in found.predicted_counts.items()
        ]
        st.markdown(say("behaviour.note"))
        st.markdown(say("behaviour.predicted_counts", n=found.overall.n, counts=given) + _threshold(info))
    _table(info, found)


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs={CheckpointInfo: lambda info: str(info.path)})
def _answered(info: CheckpointInfo, written: float) -> BehaviouralResults | None:
    """The answers of the weights that were written then; None for a task without probes. Raises Failure."""
    probes = TASKS[info.task].behavioural_tests()
    return run_behavioural_tests(load_model(info), probes) if probes else None


def _threshold(info: CheckpointInfo) -> str:
    """Why a model answers what it holds for the less likely, where it does."""
    threshold, last = info.settings.threshold, TASKS[info.task].labels[-1]
    say = translator()
    return (
        ""
        if threshold in (EVEN, None)
        else say("rendering.verdict_threshold", label=say(f"rendering.label_{last}"), percent=percent(threshold))
    )


@st.fragment
def _table(info: CheckpointInfo, found: BehaviouralResults) -> None:
    """Every answer, or those of one category, or the wrong ones alone; each opens on the page of its task."""
    say = translator()
    categories = [_EVERY, *(score.category for score in found.scores)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        links.restore("probe_category", _EVERY, categories)
        chosen = st.pills(
            say("behaviour.filter"),
            categories,
            key="probe_category",
            required=True,
            format_func=lambda name: say("behaviour.every_category" if name == _EVERY else f"behaviour.category_{name}"),
            label_visibility="collapsed",
        )
        links.record("probe_category", _EVERY)
        links.restore("probe_wrong", False, (False, True))
        wrong = st.toggle(say("behaviour.only_wrong"), key="probe_wrong", width="content")
        links.record("probe_wrong", False)
    shown = [
        answer for answer in found.predictions if chosen in (_EVERY, answer.test.category) and not (wrong and answer.correct)
    ]
    if not shown:
        st.caption(say("behaviour.none_wrong"))
        return
    st.caption(say("behaviour.open"))
    table = st.dataframe(
        [_row(answer) for answer in shown],
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
        open_input(info, shown[number].test.texts)


def _row(answer: BehaviouralPrediction) -> dict[str, object]:
    say, probe = translator(), answer.test
    names = ("text_a", "text_b") if len(probe.texts) > 1 else ("text",)
    return {
        say("behaviour.column_correct"): "✓" if answer.correct else "✗",
        **{say(f"behaviour.column_{name}"): text for name, text in zip(names, probe.texts, strict=True)},
        say("behaviour.column_expected"): say(f"rendering.label_{probe.expected}"),
        say("behaviour.column_prediction"): say(f"rendering.label_{answer.label}"),
        say("behaviour.column_confidence"): answer.probability,
        say("behaviour.column_category"): say(f"behaviour.category_{probe.category}"),
    }
