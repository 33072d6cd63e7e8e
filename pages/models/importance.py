"""The importance of every head over the validation split, and the inputs on which masking a head changes most."""

from typing import get_args

import streamlit as st

from pages.shared import corpus_rows, downloads, evidence, head_names, links
from pages.shared.corpus_rows import CorpusRows
from pages.shared.decided_inputs import decided_inputs
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import join_sentences
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence import importance as importance_evidence
from viz_core.evidence.importance import Importance
from viz_core.rendering.importance import Measure, head_importance
from viz_core.rendering.prune import prune_chart
from viz_core.tables.downloads import importance_csv, prune_csv

HEAD, MEASURE = "ablated", "measure"  # in the session and in the link
_CHART = "importance"
_HEIGHT = 520  # px of a list of rows; longer lists scroll
_COLUMNS = 240  # text width in the list, in Latin letters


def section(info: CheckpointInfo) -> None:
    """Heat map, pruning curve and rows from saved evidence, or the offer to compute it."""
    say = translator()
    st.header(say("importance.title"), anchor="importance")
    result = evidence.result_or_offer(info, importance_evidence.NAME)
    importance = importance_evidence.read(result)
    if importance:
        st.caption(
            say(
                "importance.note_sample" if importance.n < importance.rows else "importance.note",
                n=importance.n,
                rows=importance.rows,
            )
        )
        _importance_fragment(info)
    elif result:  # saved by another version of the app
        st.caption(say("importance.missing"))


@st.fragment
def _importance_fragment(info: CheckpointInfo) -> None:
    """A fragment, so that a click here redraws nothing else."""
    importance = importance_evidence.read(evidence.result_or_offer(info, importance_evidence.NAME))
    if importance is None:
        return
    say, theme = translator(), page_theme()
    heads = {f"{layer + 1}.{head + 1}": (layer, head) for layer, head in importance.helped}
    links.restore(HEAD, _default_head(importance), links.one_of(heads))
    measure = links.pick(
        st.segmented_control,
        MEASURE,
        say("importance.measure"),
        get_args(Measure),
        lambda name: say(f"importance.{name}"),
    )
    map_, curve = st.columns(2, gap="medium")
    with map_:
        figure = head_importance(importance.heads, measure, say, theme, heads[st.session_state[HEAD]])
        downloads.show(
            figure,
            _CHART,
            lambda: importance_csv(importance.heads),
            alt=say(f"importance.map_{measure}"),
            on_select=lambda: _select_clicked_head(heads),
        )
        st.caption(say(f"importance.about_{measure}"))
    with curve:
        curve_measure = "loss" if measure == "loss" else "accuracy"
        downloads.show(
            prune_chart(importance.curve, curve_measure, say, theme),
            "prune",
            lambda: prune_csv(importance.curve),
            alt=say(f"importance.prune_{curve_measure}"),
        )
        notes = ["prune_caution"]
        if curve_measure == "accuracy" and importance.curve.accuracy[0] < importance.curve.majority:
            notes.insert(0, "below_majority")
        st.caption(join_sentences([say(f"importance.{note}") for note in notes], say))
    links.write({HEAD: st.session_state[HEAD]}, {HEAD: _default_head(importance)})
    if corpus := corpus_rows.read_rows(info.task, importance.data, "importance.no_corpus"):
        _rows(info, importance, corpus, heads)


def _default_head(importance: Importance) -> str:
    """The head shown first: the most important one, as `layer.head` from 1."""
    layer, head = importance.heads.most_important
    return f"{layer + 1}.{head + 1}"


def _select_clicked_head(heads: dict[str, tuple[int, int]]) -> None:
    """Sets the picker to the head clicked in the map. A second click deselects the cell, which changes nothing."""
    for point in st.session_state[f"chart_{_CHART}"].selection.points:
        name = f"{point['y']}.{point['x']}"
        if name in heads:
            st.session_state[HEAD] = name


def _rows(info: CheckpointInfo, importance: Importance, corpus: CorpusRows, heads: dict[str, tuple[int, int]]) -> None:
    """The head picker, and the inputs on which masking that head changes most."""
    say = translator()
    st.markdown(f"### {say('importance.rows')}")
    st.caption(say("importance.rows_note"))
    given = head_names.names_of(info, "self")
    name = st.selectbox(
        say("importance.choose"),
        list(heads),
        key=HEAD,
        persist_state="session",
        width=240,
        format_func=lambda name: say("importance.option", head=head_names.label(name, given)),
    )
    decided_inputs(info, importance, corpus, name, heads[name])
