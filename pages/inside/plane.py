"""Queries and keys of a head in one plane, over the texts of the task's sample."""

from __future__ import annotations

from functools import partial
from threading import Lock
from typing import get_args

import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.inside.inputs import pick_model
from pages.shared import downloads, links
from pages.shared.cache import load_transformer, model_version
from pages.shared.pickers import describe_kind
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.explain import encode
from viz_core.analysis.heads.sentence_profile import best_read
from viz_core.analysis.inside.query_key_plane import PlaneKind, query_key_plane, translation_plane
from viz_core.analysis.translation.live import read_reference
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.datasets.sample import LANGUAGES, sentence_pairs
from viz_core.records import OTHER, Failure, Translation
from viz_core.records.query_key_plane import QueryKeyPlane
from viz_core.rendering.query_key_plane import Colour, query_key_scatter
from viz_core.tables.downloads import plane_csv
from viz_core.tasks import TRANSLATION, all_tasks

TEXTS = 24  # of the sample: some 600 to 1,200 tokens, each a query and a key
CACHED = 32  # planes, for all visitors; one of 1,200 tokens takes 0.2 MB
KIND = "plane_kind"  # in the session and in the link
FIRST = {"plane_layer": "1", "plane_head": "1", "plane_colour": "side"}  # in the session and in the link


def section() -> None:
    """Model, head and colour, the plane, and its source with its limits."""
    info = pick_model(all_tasks())
    if info is None:
        return
    say = translator()
    if info.task != OTHER and info.settings.kind not in ("encoder", "encoder_decoder"):
        failure = Failure("plane.no_queries", name=f"{info.task}/{info.name}")
        st.warning(escape_markdown(say(failure.message)), icon=":material/visibility_off:")
        describe_kind(info)
        return
    kind = _pick_kind() if info.task in all_tasks(TRANSLATION) else "self"
    layer, head, colour = _pick(info)
    try:
        with st.spinner(say("plane.computing")):
            plane = _plane(info, model_version(info), kind, layer, head)
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/edit:")
        return
    title = say("plane.title", layer=layer + 1, head=head + 1)
    view = query_key_scatter(plane, colour, say, page_theme())
    figure, notes = st.columns([3, 2], gap="large", vertical_alignment="center")
    with figure:
        downloads.show(view, "plane", partial(plane_csv, plane), alt=title)
    config = info.settings.config
    with notes:
        if info.task in all_tasks(TRANSLATION):
            st.caption(say("plane.no_cross"))
        if info.task == OTHER:
            st.caption(say(f"plane.sentences_{_language(load_transformer(info))}"))
        st.caption(say("plane.source", width=config.width // config.heads))


def _pick_kind() -> PlaneKind:
    """The attention of a translation."""
    say = translator()
    links.restore(KIND, "self", get_args(PlaneKind))
    kind = st.segmented_control(
        say("inside.kind"),
        get_args(PlaneKind),
        key=KIND,
        required=True,
        persist_state="session",
        format_func=lambda name: say(f"inside.kind_{name}"),
    )
    links.record(KIND, "self")
    return kind


def _pick(info: CheckpointInfo) -> tuple[int, int, Colour]:
    """Layer and head, from 0, and the colour."""
    say, config = translator(), info.settings.config
    options = {
        "plane_layer": [str(number) for number in range(1, config.layers + 1)],
        "plane_head": [str(number) for number in range(1, config.heads + 1)],
        "plane_colour": list(get_args(Colour)),
    }
    for key, values in options.items():
        links.restore(key, FIRST[key], values)
    layers, heads, colours = st.columns([1, 1, 3])
    layers.selectbox(say("plane.layer"), options["plane_layer"], key="plane_layer", persist_state="session")
    heads.selectbox(say("plane.head"), options["plane_head"], key="plane_head", persist_state="session")
    colours.segmented_control(
        say("plane.colour"),
        options["plane_colour"],
        key="plane_colour",
        required=True,
        persist_state="session",
        format_func=lambda name: say(f"plane.colour_{name}"),
    )
    for key, value in FIRST.items():
        links.record(key, value)
    layer, head, colour = (st.session_state[key] for key in FIRST)
    return int(layer) - 1, int(head) - 1, colour


@cached(
    LRUCache(CACHED),
    key=lambda info, version, kind, layer, head: hashkey(info.path, version, kind, layer, head),
    lock=Lock(),
)
def _plane(info: CheckpointInfo, version: tuple, kind: PlaneKind, layer: int, head: int) -> QueryKeyPlane:
    """Raises Failure."""
    checkpoint = load_transformer(info)
    if info.task in all_tasks(TRANSLATION):
        return translation_plane(checkpoint, _read_references(checkpoint), kind, layer, head)
    if info.task == OTHER:
        pairs = sentence_pairs(_language(checkpoint))[:TEXTS]
        return query_key_plane(checkpoint, [checkpoint.text_encoder.encode(*pair) for pair in pairs], layer, head)
    frame = checkpoint.task.read("validation", "sample")
    columns = ["text", "text_b"] if checkpoint.task.pair else ["text"]
    texts = [[str(frame[column].iloc[row]) for column in columns] for row in range(min(TEXTS, len(frame)))]
    return query_key_plane(checkpoint, [encode(checkpoint, *text) for text in texts], layer, head)


def _language(checkpoint: Checkpoint) -> str:
    """The language of our sentences that a model from elsewhere reads best."""
    return best_read(checkpoint, {language: sentence_pairs(language) for language in LANGUAGES})


def _read_references(checkpoint: Checkpoint) -> list[Translation]:
    """Sentence pairs of the sample, as the decoder reads them by teacher forcing."""
    pairs = checkpoint.task.read("validation", "sample").head(TEXTS)
    translations = []
    for source, reference in zip(pairs["text"], pairs["text_b"], strict=True):
        *_, translation, _ = read_reference(checkpoint, checkpoint.text_encoder.encode(source), reference)
        translations.append(translation)
    return translations
