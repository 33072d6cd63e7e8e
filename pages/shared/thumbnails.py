"""The attention of all heads of a model on what the visitor typed last, small."""

from pathlib import Path
from threading import Condition

import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.shared.cache import load_model, model_version
from pages.shared.inputs import typed_texts
from pages.shared.kinds import InsideInput, page_kind, task_page
from pages.shared.opening import translation_state
from pages.shared.tasks import TEXT_COUNT
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.atlas import Thumbnails
from viz_core.models.protocol import reads_source
from viz_core.records import Failure
from viz_core.text.length import cut_text

THUMBNAIL_BYTES = 8 * 2**20  # for all visitors; 72 heads take 0.3 MB at most


def thumbnails(info: CheckpointInfo, kind: str) -> Thumbnails | None:
    """Of the attention of this kind; None if the model cannot read the text."""
    texts = typed_input(info)
    try:
        return _thumbnails(info.path, model_version(info), kind, texts, info) if page_kind(info.task).inside else None
    except Failure:
        return None


def typed_input(info: CheckpointInfo) -> tuple[str, ...]:
    """The texts that were typed for the task of a model, of a translation the sentence; at first an example."""
    page = task_page(info.task, st.session_state.get(TEXT_COUNT))
    if reads_source(load_model(info).model):
        return (cut_text(st.session_state.get(translation_state(info.task), {}).get("text") or page.first_texts[0]),)
    return tuple(map(cut_text, typed_texts(page)))


@cached(
    LRUCache(THUMBNAIL_BYTES, getsizeof=lambda thumbnails: thumbnails.cells.nbytes),
    key=lambda path, version, kind, texts, info: hashkey(path, version, kind, texts),
    condition=Condition(),
)
def _thumbnails(path: Path, version: tuple, kind: str, texts: tuple[str, ...], info: CheckpointInfo) -> Thumbnails:
    attention = page_kind(info.task).inside.attention(info, InsideInput(texts))
    return Thumbnails.of(attention[kind], texts)
