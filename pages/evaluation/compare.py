"""One input and the same with a few words changed, side by side: what the model answers to both, and where it looks."""

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
from viz_core.rendering.theme import beside
from viz_core.tables.downloads import map_csv

PART = "part"  # of the evaluation page, in the session and in the link
SIDES = ("was", "now")
_AUTO = "auto"


def take(task: str, texts: Sequence[str]) -> None:
    """From a callback: a row of a table becomes the input that is to be changed."""
    for side in SIDES:
        st.session_state.update(box_values(PAGES[task], texts, f"{side}_"))
    st.session_state[PART] = "compare"


def section(info: CheckpointInfo) -> None:
    """The two inputs, and once they can be read, the comparison."""
    say = translator()
    sides = []
    for side, column in zip(SIDES, st.columns(2, gap="large"), strict=True):
        with column:
            sides.append(_typed(info.task, side))
            if side == "now":
                st.caption(say("evaluation.edit_here"))
    before = explain_or_warn(info, *sides[0])
    after = before and explain_or_warn(info, *sides[1])
    if after:
        _drawn(compare(before, after))


def _typed(task: str, side: str) -> list[str]:
    """The boxes of one side, at first with an example of its own."""
    page = PAGES[task]
    _, usual = page.examples[SIDES.index(side) % len(page.examples)]
    return [text_box(page, number, f"{side}_", text) for number, text in enumerate(usual)]


def _drawn(comparison: Comparison) -> None:
    say, look = translator(), page_theme()
    for column, explanation in zip(st.columns(2, gap="large"), (comparison.before, comparison.after), strict=True):
        column.markdown(f"#### {say(verdict(explanation))}")
        for notice in explanation.notices:
            column.warning(escape_markdown(say(notice)), icon=":material/info:")
    words, numbers = st.columns(2, gap="large")
    with words:
        downloads.show(changed_words(comparison, say, look), "changes")
    with numbers:
        _shift(comparison)
    if comparison.before.has_attention:
        _maps(comparison)


def _maps(comparison: Comparison) -> None:
    """The attention of one head before, after, and the difference."""
    say, look = translator(), page_theme()
    layer, head = _head(comparison)
    small = beside(look)
    maps = [attention_map(one, layer, head) for one in (comparison.before, comparison.after)]
    bounds = shared_bounds(one.weights for one in maps)
    for name, column, shown in zip(SIDES, st.columns(2, gap="large"), maps, strict=True):
        with column:
            st.markdown(f"**{say('rendering.before' if name == 'was' else 'rendering.after')}**")
            downloads.show(
                attention_heatmap(shown, say, small, "sqrt", bounds),
                f"map_{name}",
                lambda shown=shown: map_csv(shown),
                alt=say(shown.title),
            )
    difference = attention_difference(comparison, layer, head)
    if difference is None:
        st.caption(say("evaluation.nothing_common"))
        return
    st.caption(say("evaluation.difference_note", count=len(comparison.pairs)))
    downloads.show(
        attention_heatmap(difference, say, look),
        "map_difference",
        lambda: map_csv(difference),
        alt=say(difference.title),
    )


def _shift(comparison: Comparison) -> None:
    """How likely each class was and is."""
    say = translator()
    with st.container(horizontal=True, gap="large", key="shift"):
        for label, old, new, moved in zip(
            comparison.before.labels,
            comparison.before.probabilities,
            comparison.after.probabilities,
            comparison.shift,
            strict=True,
        ):
            st.metric(
                say(f"rendering.label_{label}"),
                f"{percent(float(old))} → {percent(float(new))}",
                delta=say("evaluation.points", points=float(moved) * 100),
                delta_color="off",
                width="content",
            )


def _head(comparison: Comparison) -> tuple[int, int]:
    """The head that is looked at: the one whose attention has moved most, unless another one is chosen."""
    say, moved = translator(), most_changed_head(comparison)
    layers, heads = comparison.before.attention.shape[:2]
    names = {f"{layer + 1}.{head + 1}": (layer, head) for layer in range(layers) for head in range(heads)}
    links.restore("moved", _AUTO, [_AUTO, *names])
    most = say("evaluation.most_changed_head", head=f"{moved[0] + 1}.{moved[1] + 1}")
    chosen = st.selectbox(
        say("evaluation.head"),
        [_AUTO, *names],
        key="moved",
        persist_state="session",
        width=320,
        format_func=lambda name: most if name == _AUTO else say("importance.option", head=name),
    )
    links.record("moved", _AUTO)
    return names.get(chosen, moved)
