"""Two versions of an input side by side: predictions, changed words, and the difference in attention."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.shared import downloads, links
from pages.shared.inputs import box_values, text_box
from pages.shared.pickers import explain_or_warn
from pages.shared.tasks import PAGES
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.difference import attention_difference, compare, most_changed_head
from viz_core.analysis.selection import attention_map
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Comparison
from viz_core.rendering.changes import changed_words
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.probabilities import percent, verdict
from viz_core.rendering.scales import shared_bounds
from viz_core.rendering.theme import half_width
from viz_core.tables.downloads import map_csv

PART = "part"  # of the evaluation page, in the session and in the link
SIDES = ("was", "now")
_AUTO = "auto"


def compare_texts(task: str, texts: Sequence[str]) -> None:
    """Fills both sides with the texts of a row and shows this part of the page. Call in a callback."""
    for side in SIDES:
        st.session_state.update(box_values(PAGES[task], texts, f"{side}_"))
    st.session_state[PART] = "compare"


def section(info: CheckpointInfo) -> None:
    """The two inputs and, if both can be explained, the comparison."""
    say = translator()
    sides = []
    for side, column in zip(SIDES, st.columns(2, gap="large"), strict=True):
        with column:
            sides.append(_text_boxes(info.task, side))
            if side == "now":
                st.caption(say("evaluation.edit_here"))
    before = explain_or_warn(info, *sides[0])
    after = before and explain_or_warn(info, *sides[1])
    if after:
        _draw_comparison(compare(before, after))


def _text_boxes(task: str, side: str) -> list[str]:
    """The text boxes of one side; each side starts with a different example."""
    page = PAGES[task]
    _, default_texts = page.examples[SIDES.index(side) % len(page.examples)]
    return [text_box(page, number, f"{side}_", text) for number, text in enumerate(default_texts)]


def _draw_comparison(comparison: Comparison) -> None:
    say, theme = translator(), page_theme()
    for column, explanation in zip(st.columns(2, gap="large"), (comparison.before, comparison.after), strict=True):
        column.markdown(f"#### {say(verdict(explanation))}")
        for notice in explanation.notices:
            column.warning(escape_markdown(say(notice)), icon=":material/info:")
    text_column, number_column = st.columns(2, gap="large")
    with text_column:
        downloads.show(changed_words(comparison, say, theme), "changes")
    with number_column:
        _shift(comparison)
    if comparison.before.has_attention:
        _maps(comparison)


def _maps(comparison: Comparison) -> None:
    """The attention of one head before, after, and the difference."""
    say, theme = translator(), page_theme()
    layer, head = _head(comparison)
    small_theme = half_width(theme)
    maps = [attention_map(explanation, layer, head) for explanation in (comparison.before, comparison.after)]
    bounds = shared_bounds(map_.weights for map_ in maps)
    for name, column, map_ in zip(SIDES, st.columns(2, gap="large"), maps, strict=True):
        with column:
            st.markdown(f"**{say('rendering.before' if name == 'was' else 'rendering.after')}**")
            downloads.show(
                attention_heatmap(map_, say, small_theme, "sqrt", bounds),
                f"map_{name}",
                lambda map_=map_: map_csv(map_),
                alt=say(map_.title),
            )
    difference = attention_difference(comparison, layer, head)
    if difference is None:
        st.caption(say("evaluation.nothing_common"))
        return
    st.caption(say("evaluation.difference_note", count=len(comparison.pairs)))
    downloads.show(
        attention_heatmap(difference, say, theme),
        "map_difference",
        lambda: map_csv(difference),
        alt=say(difference.title),
    )


def _shift(comparison: Comparison) -> None:
    """The probability of each class before and after."""
    say = translator()
    with st.container(horizontal=True, gap="large", key="shift"):
        for label, before, after, change in zip(
            comparison.before.labels,
            comparison.before.probabilities,
            comparison.after.probabilities,
            comparison.shift,
            strict=True,
        ):
            st.metric(
                say(f"rendering.label_{label}"),
                f"{percent(float(before))} → {percent(float(after))}",
                delta=say("evaluation.points", points=float(change) * 100),
                delta_color="off",
                width="content",
            )


def _head(comparison: Comparison) -> tuple[int, int]:
    """The selected head, by default the one whose attention changed most."""
    say, most_changed = translator(), most_changed_head(comparison)
    layers, heads = comparison.before.attention.shape[:2]
    names = {f"{layer + 1}.{head + 1}": (layer, head) for layer in range(layers) for head in range(heads)}
    links.restore("moved", _AUTO, [_AUTO, *names])
    auto_label = say("evaluation.most_changed_head", head=f"{most_changed[0] + 1}.{most_changed[1] + 1}")
    selected = st.selectbox(
        say("evaluation.head"),
        [_AUTO, *names],
        key="moved",
        persist_state="session",
        width=320,
        format_func=lambda name: auto_label if name == _AUTO else say("importance.option", head=name),
    )
    links.record("moved", _AUTO)
    return names.get(selected, most_changed)
