"""Sentence-pair tests: attention between the two sentences, and the effect of swapping them or shuffling characters."""

import streamlit as st

from pages.shared import downloads, head_names
from pages.shared.cache import explain_input, load_model, model_version
from pages.shared.selection import parse_heads, selection
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

_ALL_HEADS = "*.*"
_DIRECTIONS = ("symmetric", "a_to_b", "b_to_a")


def pairs_section(info: CheckpointInfo, explanation: Explanation) -> None:
    """Attention between the sentences, the effect of both tests, and word alignment and swap difference of a head."""
    say, theme = translator(), page_theme()
    a, b = explanation.encoding.texts
    swapped, shuffle_results = explain_input(info, b, a), _shuffles(info, model_version(info), a, b)
    mass_column, control_column = st.columns(2, gap="medium")
    with mass_column:
        downloads.show(mass_chart(pair_mass(explanation), say, theme), "pair_mass", alt=say("pairs.mass"))
    with control_column:
        downloads.show(
            control_strip(
                shuffle_results, swapped.probabilities[-1], explanation.threshold, explanation.labels[-1], say, theme
            ),
            "pair_control",
            alt=say("pairs.control"),
        )
        st.caption(
            escape_markdown(
                (" " if say.language == "en" else "").join(
                    [_swap_sentence(explanation, swapped), _shuffle_sentence(explanation, shuffle_results)]
                )
            )
        )
    layer, head = _pick_head(info, explanation)
    alignment_column, swap_column = st.columns(2, gap="medium")
    with alignment_column:
        direction = st.segmented_control(
            say("pairs.direction"),
            _DIRECTIONS,
            key="pairs_way",
            default="symmetric",
            required=True,
            format_func=lambda name: say(f"pairs.{name}"),
        )
        _map(_alignment_map(explanation, layer, head, direction), "alignment")
        st.caption(say("pairs.map_note"))
    with swap_column:
        try:
            _map(swap_difference(explanation, swapped, layer, head), "swap")
        except Failure as failure:
            st.warning(escape_markdown(say(failure.message)), icon=":material/content_cut:")
        else:
            st.caption(say("pairs.swap_note"))


@st.cache_resource(max_entries=256, show_spinner=False, hash_funcs={CheckpointInfo: lambda info: str(info.path)})
def _shuffles(info: CheckpointInfo, version: tuple, a: str, b: str) -> Shuffles:
    return shuffles(load_model(info), explain_input(info, a, b).encoding)


def _swap_sentence(before: Explanation, after: Explanation) -> str:
    say = translator()
    label, swapped_label = (
        say(f"rendering.label_{explanation.labels[explanation.predicted]}") for explanation in (before, after)
    )
    return say("pairs.swap_same" if label == swapped_label else "pairs.swap_flips", before=label, after=swapped_label)


def _shuffle_sentence(explanation: Explanation, shuffle_results: Shuffles) -> str:
    changed, count = shuffle_results.count_changed_predictions(explanation.threshold)
    return translator()("pairs.flips" if changed else "pairs.flips_none", flipped=changed, count=count)


def _pick_head(info: CheckpointInfo, explanation: Explanation) -> tuple[int | None, int | None]:
    """The head of the two maps, at first the explorer's; None for the mean over layers or heads."""
    say, (layers, count) = translator(), explanation.attention.shape[:2]
    options = [_ALL_HEADS, *(f"{layer + 1}.{head + 1}" for layer in range(layers) for head in range(count))]
    if st.session_state.get("pairs_head") not in options:
        explorer_head = selection(explanation)["head"].split(" ")[0]
        st.session_state["pairs_head"] = explorer_head if explorer_head in options else _ALL_HEADS
    given = head_names.names_of(info, explanation.kind)
    name_of = lambda head: say("pairs.option", head=head_names.label(head, given))  # noqa: E731
    selected = st.selectbox(
        say("pairs.head"),
        options,
        key="pairs_head",
        persist_state="session",
        width=240,
        format_func=lambda head: say("pairs.every_head") if head == _ALL_HEADS else name_of(head),
    )
    return parse_heads(selected, layers, count)[0]


def _alignment_map(explanation: Explanation, layer: int | None, head: int | None, direction: str) -> AttentionMap:
    if direction == "symmetric":
        return alignment(explanation, layer, head)
    return attention_map(explanation, layer, head, "hidden", "ab" if direction == "a_to_b" else "ba", "word")


def _map(attention: AttentionMap, name: str) -> None:
    say = translator()
    downloads.show(
        attention_heatmap(attention, say, page_theme()),
        f"pair_{name}",
        lambda: map_csv(attention),
        alt=say(attention.title),
    )
