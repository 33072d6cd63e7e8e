"""Two versions of an input: predictions and changed words here; their attention is compared in the explorer."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from pages.shared import downloads, head_names, links
from pages.shared.inputs import box_values, text_box
from pages.shared.kinds import task_page
from pages.shared.opening import open_input
from pages.shared.pickers import explain_or_warn
from pages.shared.selection import reference
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.difference import attention_difference, compare, most_changed_head
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Comparison
from viz_core.rendering.changes import changed_words
from viz_core.rendering.probabilities import percent, verdict
from viz_core.tables.downloads import map_csv

PART = "part"  # of the evaluation page, in the session and in the link
SIDES = ("was", "now")
_AUTO = "auto"
MOST_CLASSES = 4


def compare_texts(task: str, texts: Sequence[str]) -> None:
    """Fills both sides with the texts of a row and shows this part of the page. Call in a callback."""
    for side in SIDES:
        st.session_state.update(box_values(task_page(task), texts, f"{side}_"))
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
        _draw_comparison(info, compare(before, after))


def _text_boxes(task: str, side: str) -> list[str]:
    """The text boxes of one side: at first an example, and the same with a word or two changed."""
    page = task_page(task)
    default_texts = {"was": page.first_texts, "now": page.changed or page.first_texts}[side]
    return [text_box(page, number, f"{side}_", text) for number, text in enumerate(default_texts)]


def _draw_comparison(info: CheckpointInfo, comparison: Comparison) -> None:
    say, theme = translator(), page_theme()
    sides = {"before": comparison.before, "after": comparison.after}
    for column, (side, explanation) in zip(st.columns(2, gap="large"), sides.items(), strict=True):
        column.caption(say(f"rendering.{side}"))
        column.markdown(f"## {say(verdict(explanation))}")
        for notice in explanation.notices:
            column.warning(escape_markdown(say(notice)), icon=":material/info:")
    text_column, number_column = st.columns(2, gap="large")
    with text_column:
        downloads.show(changed_words(comparison, say, theme), "changes", alt=say("evaluation.changes"))
    with number_column:
        _shift(comparison)
    if comparison.before.has_attention:
        _attention(info, comparison)


def _attention(info: CheckpointInfo, comparison: Comparison) -> None:
    """Opens the page of the task with the first version as the reference; the difference of a head as a file."""
    say = translator()
    st.header(say("evaluation.attention"), anchor="attention")
    st.caption(say("evaluation.attention_note", count=int((~comparison.replaced).sum())))
    layer, head = _head(info, comparison)
    difference = attention_difference(comparison, layer, head)
    before, after = (explanation.encoding.texts for explanation in (comparison.before, comparison.after))
    with st.container(horizontal=True, gap="small"):
        if st.button(say("evaluation.compare_attention"), icon=":material/compare:", type="primary", key="compare"):
            open_input(info, after, f"{layer + 1}.{head + 1}", reference(info.name, before))
        if difference is not None:
            st.download_button(
                say("evaluation.download_difference"),
                lambda: map_csv(difference),
                "difference.csv",
                "text/csv",
                on_click="ignore",
                icon=":material/download:",
                key="save_difference",
            )


def _shift(comparison: Comparison) -> None:
    """The probability of each class before and after; of many classes those whose probability moved most."""
    say, before, after = translator(), comparison.before.probabilities, comparison.after.probabilities
    moved = np.argsort(-np.abs(comparison.shift), kind="stable")[:MOST_CLASSES]
    with st.container(horizontal=True, gap="large", key="shift"):
        for index in sorted(moved.tolist()):
            shift = float(comparison.shift[index])
            st.metric(
                escape_markdown(say(f"rendering.label_{comparison.before.labels[index]}")),
                f"{percent(float(before[index]))} → {percent(float(after[index]))}",
                delta=say("evaluation.points", points=shift * 100),
                delta_arrow="down" if shift < 0 else "up",  # Streamlit reads no sign from a true minus
                delta_color="off",
                width="content",
            )


def _head(info: CheckpointInfo, comparison: Comparison) -> tuple[int, int]:
    """The selected head, by default the one whose attention changed most."""
    say, most_changed = translator(), most_changed_head(comparison)
    layers, heads = comparison.before.attention.shape[:2]
    names = {f"{layer + 1}.{head + 1}": (layer, head) for layer in range(layers) for head in range(heads)}
    given = head_names.names_of(info, comparison.before.kind)
    auto = head_names.label(f"{most_changed[0] + 1}.{most_changed[1] + 1}", given)
    auto_label = say("evaluation.most_changed_head", head=auto)
    selected = links.pick(
        st.selectbox,
        "moved",
        say("evaluation.head"),
        [_AUTO, *names],
        lambda name: auto_label if name == _AUTO else say("importance.option", head=head_names.label(name, given)),
        width=320,
    )
    return names.get(selected, most_changed)
