"""The rows of a validation split on a page: those of the corpus, or of the sample where the corpus is not at hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Failure
from viz_core.tasks import TASKS


@dataclass(frozen=True, eq=False)
class Rows:
    """data: `full` or `sample`. texts: one or two per row. labels: `(N,)`."""

    data: str
    texts: tuple[tuple[str, ...], ...]
    labels: np.ndarray


def validation(info: CheckpointInfo) -> Rows | None:
    """The split that belongs to a model. Where its corpus is not at hand, the sample's, after this and the way to the corpus
    were said; None after it was said why nothing can be read."""
    data = info.metrics.trained_on
    missing = data == "full" and TASKS[info.task].corpus.find() is None
    return rows(info.task, data, "evaluation.no_corpus") or (rows(info.task, "sample") if missing else None)


def rows(task: str, data: str, missing: str = "") -> Rows | None:
    """The validation split; None after it was said why it cannot be read. missing: the key of a sentence for where the corpus
    is not at hand; a button that downloads it stands beside it."""
    say, source = translator(), TASKS[task].corpus.find()
    if data == "full" and source is None:
        _offer(task, missing)
        return None
    try:
        with st.spinner(say("evaluation.reading")):
            return _read(task, data, source)
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/database_off:")
        return None


def _offer(task: str, missing: str) -> None:
    say, corpus = translator(), TASKS[task].corpus
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":material/database_off: {escape_markdown(say(missing, archive=corpus.archive))}", width="stretch")
        if st.button(say("pages.training_download"), key="download_corpus", icon=":material/download:"):
            try:
                with st.spinner(say("pages.training_downloading")):
                    corpus.download(progress=False)
            except Failure as failure:
                st.error(escape_markdown(say(failure.message)))
            else:
                st.rerun()


@st.cache_resource(max_entries=4, show_spinner=False)
def _read(task: str, data: str, source: Path | None) -> Rows:
    frame = TASKS[task].read("validation", data)
    texts = tuple(zip(*(frame[name] for name in ("text", "text_b") if name in frame), strict=True))
    return Rows(data, texts, frame["label"].to_numpy("int64"))
