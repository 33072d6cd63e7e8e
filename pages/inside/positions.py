"""Positions: what is added to each token, sines and cosines beside it, and what a model does without."""

from typing import Literal

import plotly.graph_objects as go
import streamlit as st

from pages.inside.inputs import pick_model
from pages.shared import downloads, evidence, links
from pages.shared.cache import load_transformer, model_version
from pages.shared.kinds import page_kind
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.evaluation.word_order import order_effects
from viz_core.analysis.explain import encode
from viz_core.analysis.inside.positions import (
    missing_positions,
    model_positions,
    order_without_positions,
    similarity_by_distance,
    sinusoids,
    wavelengths,
)
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence import word_order
from viz_core.evidence.kinds import evidence_kind
from viz_core.records import Failure, OrderEffects, PositionVectors, tracked_class
from viz_core.rendering.positions import position_map, similarity_lines, wavelength_chart
from viz_core.rendering.rotation import shift_rotation
from viz_core.rendering.theme import half_width
from viz_core.rendering.word_order import order_accuracy_chart, order_attention, order_probabilities

# In the session and in the link, with what is shown first.
PAIR, SHIFT = "pair", "shift"
FIRST = {PAIR: 3, SHIFT: 2}
MEASURES = ("cosine", "dot")
LONGEST_SHIFT = 64


def section() -> None:
    """The vectors of a model beside sinusoids, and the experiment; a sentence for a model without such vectors."""
    info, say = pick_model("positions", of_runs=False), translator()
    if info is None:
        return
    positions = model_positions(load_transformer(info))
    if positions is None:
        sentence = say(missing_positions(load_transformer(info)))
        st.info(escape_markdown(sentence), icon=":material/visibility_off:")
        return
    st.header(say("positions.table"), anchor="vectors")
    st.caption(say("positions.table_note"))
    _vectors(positions)
    st.header(say("positions.experiment"), anchor="experiment")
    st.caption(say("positions.experiment_note"))
    for message in order_without_positions(load_transformer(info)):
        st.caption(say(message))
    _experiment(info)
    if word_order.NAME in evidence_kind(info.task).compute:
        _accuracy(info)


@st.fragment
def _vectors(positions: PositionVectors) -> None:
    """The vectors, sinusoids of the same sizes, and what sets both apart."""
    say, theme = translator(), half_width(page_theme())
    tokens, width = positions.vectors.shape
    computed = sinusoids(tokens, width + width % 2)  # of a model of odd width, with a pair more
    lengths = wavelengths(computed.vectors.shape[1])
    kinds = [positions, computed] if positions.kind == "learned" else [computed]
    if len(kinds) == 1:
        st.caption(say("positions.table_sinusoidal"))
    with st.container(horizontal=True, gap="large"):
        measure: Literal["cosine", "dot"] = links.pick(
            st.segmented_control,
            "similarity",
            say("positions.measure"),
            MEASURES,
            lambda name: say(f"positions.measure_{name}"),
        )
        pair = _pick_number(PAIR, len(lengths))
        shift = _pick_number(SHIFT, max(1, min(LONGEST_SHIFT, tokens - 1)))
    series = [similarity_by_distance(kind, measure, tokens // 2) for kind in kinds]
    with st.container(horizontal=True, gap="large"):
        for kind in kinds:
            _figure(position_map(kind, say, theme), f"positions_{kind.kind}")
        _figure(wavelength_chart(lengths, tokens, say, theme), "wavelengths")
        _figure(similarity_lines(series, say, theme), "position_similarity")
        if shift < tokens:
            pairs = computed.vectors[:, 2 * pair - 2 : 2 * pair]
            _figure(shift_rotation(pairs, pair - 1, float(lengths[pair - 1]), shift, say, theme), "rotation")


def _pick_number(name: str, largest: int) -> int:
    first = min(FIRST[name], largest)
    label, allowed = translator()(f"positions.pick_{name}"), range(1, largest + 1)
    return links.link(st.number_input, name, label, 1, largest, default=first, read=links.one_of(allowed), width=220)


def _experiment(info: CheckpointInfo) -> None:
    """The text boxes, and what the changes do to prediction and attention."""
    say, theme, content = translator(), page_theme(), page_kind(info.task).inside.pick_input(info)
    try:
        with st.spinner(say("positions.computing")):
            effects = _effects(info, model_version(info), content.texts)
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/edit:")
        return
    with st.container(horizontal=True, gap="large"):
        if effects.labels:
            tracked = tracked_class(effects.probabilities["original"][0])
            _figure(order_probabilities(effects, tracked, say, theme), "order_probabilities")
        _figure(order_attention(effects, say, theme), "order_attention")


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs={CheckpointInfo: lambda info: str(info.path)})
def _effects(info: CheckpointInfo, version: tuple, texts: tuple[str, ...]) -> OrderEffects:
    checkpoint = load_transformer(info)
    return order_effects(checkpoint, encode(checkpoint, *texts))


def _accuracy(info: CheckpointInfo) -> None:
    if result := word_order.read(evidence.result_or_offer(info, word_order.NAME)):
        _figure(order_accuracy_chart(result, translator(), page_theme()), "order_accuracy")


def _figure(view: go.Figure, name: str) -> None:
    """A figure as wide as it is, beside others where there is room."""
    with st.container(width="content"):
        downloads.show(view, name, alt=view.layout.title.text)
