"""The pair laboratory: do the sentences look at each other, and does their order, or that of their characters, matter?"""

from __future__ import annotations

import streamlit as st

from pages.shared import downloads
from pages.shared.cache import explain_input, load_model, weights_time
from pages.shared.selection import parsed, selection
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.pairs import alignment, pair_mass, shuffles, swap_difference
from viz_core.analysis.selection import attention_map
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import AttentionMap, Explanation, Failure, Shuffles
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.pair_control import control_strip
from viz_core.rendering.pair_mass import mass_chart
from viz_core.tables.downloads import map_csv

_EVERY = "*.*"
_WAYS = ("symmetric", "a_to_b", "b_to_a")


def pairs(info: CheckpointInfo, explanation: Explanation) -> None:
    """The section: mass across and what moves the answer; below, for one head, words aligned and what swapping changes."""
    say, look = translator(), page_theme()
    a, b = explanation.encoding.texts
    swapped, tried = explain_input(info, b, a), _shuffles(info, weights_time(info), a, b)
    mass, control = st.columns(2, gap="medium")
    with mass:
        downloads.show(mass_chart(pair_mass(explanation), say, look), "pair_mass", alt=say("pairs.mass"))
    with control:
        downloads.show(
            control_strip(tried, swapped.probabilities[-1], explanation.threshold, explanation.labels[-1], say, look),
            "pair_control",
            alt=say("pairs.control"),
        )
        st.caption(
            escape_markdown(
                (" " if say.language == "en" else "").join(
                    [_said_of_swap(explanation, swapped), _said_of_shuffles(explanation, tried)]
                )
            )
        )
    layer, head = _picked(explanation)
    aligned, changed = st.columns(2, gap="medium")
    with aligned:
        way = st.segmented_control(
            say("pairs.direction"),
            _WAYS,
            key="pairs_way",
            default="symmetric",
            required=True,
            format_func=lambda name: say(f"pairs.{name}"),
        )
        _map(_aligned(explanation, layer, head, way), "alignment")
        st.caption(say("pairs.map_note"))
    with changed:
        try:
            _map(swap_difference(explanation, swapped, layer, head), "swap")
        except Failure as failure:
            st.warning(escape_markdown(say(failure.message)), icon=":material/content_cut:")
        else:
            st.caption(say("pairs.swap_note"))


@st.cache_resource(max_entries=256, show_spinner=False, hash_funcs={CheckpointInfo: lambda info: str(info.path)})
def _shuffles(info: CheckpointInfo, written: float, a: str, b: str) -> Shuffles:
    return shuffles(load_model(info), explain_input(info, a, b).encoding)


def _said_of_swap(before: Explanation, after: Explanation) -> str:
    say = translator()
    one, other = (say(f"rendering.label_{which.labels[which.predicted]}") for which in (before, after))
    return say("pairs.swap_same" if one == other else "pairs.swap_flips", before=one, after=other)


def _said_of_shuffles(explanation: Explanation, tried: Shuffles) -> str:
    turned, count = tried.turned(explanation.threshold)
    return translator()("pairs.flips" if turned else "pairs.flips_none", flipped=turned, count=count)


def _picked(explanation: Explanation) -> tuple[int | None, int | None]:
    """The head to look at: at first that of the explorer."""
    say, (layers, count) = translator(), explanation.attention.shape[:2]
    options = [_EVERY, *(f"{layer + 1}.{head + 1}" for layer in range(layers) for head in range(count))]
    if st.session_state.get("pairs_head") not in options:
        shown = selection(explanation)["head"].split(" ")[0]
        st.session_state["pairs_head"] = shown if shown in options else _EVERY
    chosen = st.selectbox(
        say("pairs.head"),
        options,
        key="pairs_head",
        persist_state="session",
        width=240,
        format_func=lambda name: say("pairs.every_head") if name == _EVERY else say("pairs.option", head=name),
    )
    return parsed(chosen, layers, count)[0]


def _aligned(explanation: Explanation, layer: int | None, head: int | None, way: str) -> AttentionMap:
    if way == "symmetric":
        return alignment(explanation, layer, head)
    return attention_map(explanation, layer, head, "hidden", "ab" if way == "a_to_b" else "ba", "word")


def _map(attention: AttentionMap, name: str) -> None:
    say = translator()
    downloads.show(
        attention_heatmap(attention, say, page_theme()),
        f"pair_{name}",
        lambda: map_csv(attention),
        alt=escape_markdown(say(attention.title)),
    )
