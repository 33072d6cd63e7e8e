"""Which heads of a model its answers need, over the validation split; and the inputs on which one of them matters most."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from pages.shared import corpus_rows, downloads, evidence, links
from pages.shared.corpus_rows import Rows
from pages.shared.opening import open_input
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence import importance as kept
from viz_core.evidence.importance import HeadEffect, Importance
from viz_core.rendering.importance import Measure, head_importance
from viz_core.rendering.labels import shorten
from viz_core.rendering.prune import prune_chart
from viz_core.tables.downloads import importance_csv, prune_csv
from viz_core.tasks import TASKS

HEAD, MEASURE = "ablated", "measure"  # in the session and in the link
_CHART = "importance"
_HEIGHT = 520  # px of a list of rows, which scrolls
_COLUMNS = 240  # of a text in the list, in columns of a Latin letter


def section(info: CheckpointInfo) -> None:
    """Heat map, prune curve and rows, from kept figures; where there are none, how to get them."""
    say = translator()
    st.subheader(say("importance.title"), anchor="importance")
    result = evidence.result_or_offer(info, kept.NAME)
    importance = kept.read(result)
    if importance:
        st.caption(say("importance.note", n=importance.n, rows=importance.rows))
        _looked_at(info)
    elif result:  # kept by another version of this program
        st.caption(say("importance.missing"))


@st.fragment
def _looked_at(info: CheckpointInfo) -> None:
    """A fragment of its own: what is clicked here draws nothing else anew."""
    importance = kept.read(evidence.result_or_offer(info, kept.NAME))
    if importance is None:
        return
    say, look = translator(), page_theme()
    heads = {f"{layer + 1}.{head + 1}": (layer, head) for layer, head in importance.helped}
    links.restore(MEASURE, "accuracy", get_args(Measure))
    links.restore(HEAD, _first(importance), list(heads))
    measure = st.segmented_control(
        say("importance.measure"),
        get_args(Measure),
        key=MEASURE,
        required=True,
        persist_state="session",
        format_func=lambda name: say(f"importance.{name}"),
    )
    map_, curve = st.columns(2, gap="medium")
    with map_:
        figure = head_importance(importance.heads, measure, say, look, heads[st.session_state[HEAD]])
        downloads.show(
            figure,
            _CHART,
            lambda: importance_csv(importance.heads),
            alt=say(f"importance.map_{measure}"),
            on_select=lambda: _clicked(heads),
        )
        st.caption(say(f"importance.about_{measure}"))
    with curve:
        pruned = "loss" if measure == "loss" else "accuracy"
        downloads.show(
            prune_chart(importance.curve, pruned, say, look),
            "prune",
            lambda: prune_csv(importance.curve),
            alt=say(f"importance.prune_{pruned}"),
        )
        notes = ["prune_caution"]
        if pruned == "accuracy" and importance.curve.accuracy[0] < importance.curve.majority:
            notes.insert(0, "below_majority")
        st.caption(" ".join(say(f"importance.{note}") for note in notes))
    st.markdown(f"##### {say('importance.rows')}")
    st.caption(say("importance.rows_note"))
    chosen = st.selectbox(
        say("importance.choose"),
        list(heads),
        key=HEAD,
        persist_state="session",
        width=240,
        format_func=lambda name: say("importance.option", head=name),
    )
    links.write({MEASURE: measure, HEAD: chosen}, {MEASURE: "accuracy", HEAD: _first(importance)})
    _rows(info, importance, heads[chosen])


def _first(importance: Importance) -> str:
    """The head that is shown first: the one that is missed most."""
    layer, head = importance.heads.most_missed
    return f"{layer + 1}.{head + 1}"


def _clicked(heads: dict[str, tuple[int, int]]) -> None:
    """What was clicked in the map is what the picker says; a second click on it, which takes it back, changes nothing."""
    for point in st.session_state[f"chart_{_CHART}"].selection.points:
        name = f"{point['y']}.{point['x']}"
        if name in heads:
            st.session_state[HEAD] = name


def _rows(info: CheckpointInfo, importance: Importance, head: tuple[int, int]) -> None:
    say, found = translator(), corpus_rows.rows(info.task, importance.data, "importance.no_corpus")
    name = f"{head[0] + 1}.{head[1] + 1}"
    for column, kind, effects in zip(
        st.columns(2, gap="large"),
        ("helped", "harmed"),
        (importance.helped[head], importance.harmed[head]),
        strict=True,
    ):
        with column:
            st.markdown(f"**{say(f'importance.{kind}', head=name)}**")
            if not effects:
                st.caption(say(f"importance.{kind}_none"))
            with st.container(height=_HEIGHT if effects else "content", border=False, gap="xsmall"):
                for number, effect in enumerate(effects):
                    _row(info, found, effect, name, f"{kind}_{number}")


def _row(info: CheckpointInfo, found: Rows | None, effect: HeadEffect, head: str, key: str) -> None:
    """One input: its text if at hand, what is true, what the model says with and without the head, and the way to it."""
    say, labels = translator(), TASKS[info.task].labels
    truth, answer, other = (
        say(f"rendering.label_{labels[number]}") for number in (effect.label, effect.prediction, effect.prediction_without)
    )
    turned = "same" if effect.prediction == effect.prediction_without else "flipped"
    texts = found.texts[effect.row] if found else ()
    with st.container(border=True):
        read, way = st.columns([9, 1], vertical_alignment="center", gap="small")
        with read.container(gap="xxsmall"):
            for text in texts:
                st.markdown(escape_markdown(shorten(" ".join(text.split()), _COLUMNS)))
            st.caption(
                escape_markdown(
                    say(
                        "importance.row",
                        row=effect.row + 1,
                        truth=truth,
                        before=effect.probability,
                        after=effect.probability_without,
                    )
                    + " · "
                    + say(f"importance.prediction_{turned}", answer=answer, other=other)
                )
            )
        if texts and way.button(
            "", key=f"importance_{key}", icon=":material/visibility:", type="tertiary", help=say("importance.open")
        ):
            open_input(info, texts, head)
