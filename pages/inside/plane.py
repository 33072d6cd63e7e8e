"""Queries and keys of a head in one plane, over the texts of the task's sample."""

from collections.abc import Sequence
from functools import partial
from threading import Lock
from typing import get_args

import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.inside.head import TRANSFORMERS
from pages.inside.inputs import pick_model
from pages.inside.state import current_state, find_head, remember
from pages.shared import downloads, head_names, links
from pages.shared.cache import load_transformer, model_version
from pages.shared.kinds import page_kind
from pages.shared.own_tasks import check_rows
from pages.shared.pickers import describe_kind
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.explain import encode
from viz_core.analysis.heads.profile import best_read
from viz_core.analysis.inside.query_key_plane import PlaneKind, query_key_plane, translation_plane
from viz_core.analysis.translation.live import read_reference
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.datasets.sample import LANGUAGES, sentence_pairs
from viz_core.records import OTHER, Failure
from viz_core.records.inside import QueryKeyPlane
from viz_core.rendering.query_key_plane import Colour, query_key_scatter
from viz_core.tables.downloads import plane_csv

TEXTS = 24  # of the sample: some 600 to 1,200 tokens, each a query and a key
FORMER = {"plane_layer": "", "plane_head": ""}
CACHED = 32  # planes, for all visitors; one of 1,200 tokens takes 2 MB


def section() -> None:
    """Model, head and colour, the plane, and its source with its limits."""
    info = pick_model("plane")
    if info is None:
        return
    say = translator()
    if info.task != OTHER and info.settings.kind not in TRANSFORMERS:
        failure = Failure("plane.no_queries", name=f"{info.task}/{info.name}")
        st.warning(escape_markdown(say(failure.message)), icon=":material/visibility_off:")
        describe_kind(info)
        return
    of_kind = page_kind(info.task).inside
    kind = _pick_kind(of_kind.plane_kinds)
    layer, head, colour = _pick(info, kind)
    try:
        check_rows(info.task)  # the tokens in the plane are those of its rows
        with st.spinner(say("plane.computing")):
            plane = _plane(info, model_version(info), kind, layer, head)
        view = query_key_scatter(plane, colour, say, page_theme())
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/visibility_off:")
        return
    title = say("plane.title", layer=layer + 1, head=head + 1)
    figure, notes = st.columns([2, 1], gap="medium", vertical_alignment="center")
    with figure:
        downloads.show(view, "plane", partial(plane_csv, plane), alt=title)
    with notes:
        for note in of_kind.plane_notes(load_transformer(info)):
            st.caption(say(note))
        st.caption(say("plane.source", width=load_transformer(info).model.anatomy.width))


def _pick_kind(kinds: Sequence[str]) -> str:
    """The attention, where there are several."""
    if len(kinds) == 1:
        return kinds[0]
    say = translator()
    return links.pick(
        st.segmented_control, "plane_kind", say("inside.kind"), kinds, lambda name: say(f"inside.kind_{name}")
    )


def _pick(info: CheckpointInfo, kind: str) -> tuple[int, int, Colour]:
    """Layer and head, from 0, those of "One head"; and the colour."""
    say, config = translator(), info.settings.config
    counts = config.layers, config.heads
    chosen = find_head(info, _former_link() or current_state(info.task), *counts)
    kinds = load_transformer(info).model.attention_kinds
    given = head_names.names_of(info, kind if kind in kinds else kinds[0])

    def label(number: int) -> str:
        name = given.get(f"{chosen[0] + 1}.{number}")
        return f"{number} · {name}" if name else str(number)

    *columns, colours = st.columns([1, 1, 3])
    for column, name, count, number in zip(columns, ("layer", "head"), counts, chosen, strict=True):
        st.session_state[f"plane_{name}"] = number + 1
        options, write = range(1, count + 1), label if name == "head" else str
        column.selectbox(
            say(f"plane.{name}"), options, key=f"plane_{name}", on_change=_select, args=(info.task,), format_func=write
        )
    links.write({"head": f"{chosen[0] + 1}.{chosen[1] + 1}", **FORMER}, FORMER)
    with colours:
        colour = links.pick(
            st.segmented_control,
            "plane_colour",
            say("plane.colour"),
            get_args(Colour),
            lambda name: say(f"plane.colour_{name}"),
            default="side",
        )
    return *chosen, colour


def _select(task: str) -> None:
    """Takes the head of the boxes."""
    held = st.session_state
    remember(task, current_state(task) | {"head": f"{held['plane_layer']}.{held['plane_head']}"})


def _former_link() -> dict[str, str] | None:
    """The head of an older link, which names its layer and its number apart; None without one."""
    former = FORMER | st.query_params.to_dict()
    layer, head = (former[name] or "1" for name in FORMER)
    return {"head": f"{layer}.{head}"} if any(former[name] for name in FORMER) else None


@cached(
    LRUCache(CACHED),
    key=lambda info, version, kind, layer, head: hashkey(info.path, version, kind, layer, head),
    lock=Lock(),
)
def _plane(info: CheckpointInfo, version: tuple, kind: str, layer: int, head: int) -> QueryKeyPlane:
    """Raises Failure."""
    return page_kind(info.task).inside.plane(load_transformer(info), kind, layer, head)


def plane_of_sample(checkpoint: Checkpoint, kind: str, layer: int, head: int) -> QueryKeyPlane:
    """Over texts of the sample of the task. Raises Failure."""
    frame = checkpoint.task.read("validation", "sample").head(TEXTS)
    rows = zip(*(frame[column] for column in ("text", "text_b")[: checkpoint.task.input_texts]), strict=True)
    return query_key_plane(checkpoint, [encode(checkpoint, *texts) for texts in rows], layer, head)


def plane_of_sentences(checkpoint: Checkpoint, kind: str, layer: int, head: int) -> QueryKeyPlane:
    """Over sentences of our own, of a model that has no task here. Raises Failure."""
    pairs = sentence_pairs(_language(checkpoint))[:TEXTS]
    return query_key_plane(checkpoint, [checkpoint.text_encoder.encode(*pair) for pair in pairs], layer, head)


def plane_of_references(checkpoint: Checkpoint, kind: PlaneKind, layer: int, head: int) -> QueryKeyPlane:
    """Over sentence pairs of the sample, as the decoder reads them by teacher forcing. Raises Failure."""
    pairs, translations = checkpoint.task.read("validation", "sample").head(TEXTS), []
    for source, reference in zip(pairs["text"], pairs["text_b"], strict=True):
        *_, translation, _ = read_reference(checkpoint, checkpoint.text_encoder.encode(source), reference)
        translations.append(translation)
    return translation_plane(checkpoint, translations, kind, layer, head)


def sentences_note(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Of `plane_of_sentences`: whose they are."""
    return (f"plane.sentences_{_language(checkpoint)}",)


def _language(checkpoint: Checkpoint) -> str:
    """The language of our sentences that a model from elsewhere reads best."""
    return best_read(checkpoint, {language: sentence_pairs(language) for language in LANGUAGES})
