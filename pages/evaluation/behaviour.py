"""What a model makes of the texts that probe one thing each: the scores by category, and every single answer."""

from __future__ import annotations

import streamlit as st

from pages.shared import downloads, links
from pages.shared.cache import loaded, stamp
from pages.shared.opening import open_input
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import plain
from viz_core.analysis.probing import probing
from viz_core.checkpoints import Listing
from viz_core.records import Failure, ProbeAnswer, Probing
from viz_core.rendering.probabilities import EVEN, percent
from viz_core.rendering.probing import probe_scores
from viz_core.tasks import TASKS

_EVERY = "all"


def section(listing: Listing) -> None:
    """The heading, the chart of the scores, and the table of the answers."""
    say = translator()
    st.subheader(say("probing.title"), anchor="probes")
    try:
        found = _answered(listing, stamp(listing))
    except Failure as failure:
        st.warning(plain(say(failure.message)), icon=":material/broken_image:")
        return
    if found is None:
        st.caption(say("probing.none"))
        return
    chart, words = st.columns(2, gap="large")
    with chart:
        downloads.show(probe_scores(found, say, page_theme()), "probes", alt=say("probing.chart"))
    with words:
        given = [
            say("probing.given_one", label=say(f"rendering.label_{label}"), count=count)
            for label, count in found.given.items()
        ]
        st.markdown(say("probing.note"))
        st.markdown(say("probing.given", n=found.overall.n, given=given) + _threshold(listing))
    _table(listing, found)


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs={Listing: lambda listing: str(listing.path)})
def _answered(listing: Listing, written: float) -> Probing | None:
    """The answers of the weights that were written then; None for a task without probes. Raises Failure."""
    probes = TASKS[listing.task].probes()
    return probing(loaded(listing), probes) if probes else None


def _threshold(listing: Listing) -> str:
    """Why a model answers what it holds for the less likely, where it does."""
    threshold, last = listing.settings.threshold, TASKS[listing.task].labels[-1]
    say = translator()
    return (
        ""
        if threshold in (EVEN, None)
        else say("rendering.verdict_threshold", label=say(f"rendering.label_{last}"), percent=percent(threshold))
    )


@st.fragment
def _table(listing: Listing, found: Probing) -> None:
    """Every answer, or those of one category, or the wrong ones alone; each opens on the page of its task."""
    say = translator()
    categories = [_EVERY, *(score.category for score in found.scores)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        links.restore("probe_category", _EVERY, categories)
        chosen = st.pills(
            say("probing.filter"),
            categories,
            key="probe_category",
            required=True,
            format_func=lambda name: say("probing.everything" if name == _EVERY else f"probing.category_{name}"),
            label_visibility="collapsed",
        )
        links.record("probe_category", _EVERY)
        links.restore("probe_wrong", False, (False, True))
        wrong = st.toggle(say("probing.only_wrong"), key="probe_wrong", width="content")
        links.record("probe_wrong", False)
    shown = [
        answer for answer in found.answers if chosen in (_EVERY, answer.probe.category) and not (wrong and answer.right)
    ]
    if not shown:
        st.caption(say("probing.none_wrong"))
        return
    st.caption(say("probing.open"))
    table = st.dataframe(
        [_row(answer) for answer in shown],
        hide_index=True,
        key="probe_answers",
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            say("probing.column_right"): st.column_config.TextColumn(width=60, alignment="center"),
            say("probing.column_confidence"): st.column_config.NumberColumn(format="percent"),
        },
    )
    for number, _ in table.selection.cells:
        open_input(listing, shown[number].probe.texts)


def _row(answer: ProbeAnswer) -> dict[str, object]:
    say, probe = translator(), answer.probe
    names = ("text_a", "text_b") if len(probe.texts) > 1 else ("text",)
    return {
        say("probing.column_right"): "✓" if answer.right else "✗",
        **{say(f"probing.column_{name}"): text for name, text in zip(names, probe.texts, strict=True)},
        say("probing.column_expected"): say(f"rendering.label_{probe.expected}"),
        say("probing.column_answer"): say(f"rendering.label_{answer.label}"),
        say("probing.column_confidence"): answer.probability,
        say("probing.column_category"): say(f"probing.category_{probe.category}"),
    }
