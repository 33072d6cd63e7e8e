"""Rows of a validation split: of the full corpus, or of the shipped sample where the corpus is not available."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from pages.shared.own_tasks import check_rows, rows_version
from pages.shared.visitor import act, translator
from pages.shared.wording import escape_markdown
from viz_core.batch_prediction.rows import classify_rows
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.evidence.predictions import Predictions
from viz_core.records import Failure, PredictedRows
from viz_core.tables.csv_rows import Row
from viz_core.tasks import get_task


@dataclass(frozen=True, eq=False)
class CorpusRows:
    """N rows. data: `full` or `sample`. numbers: `(N,)` in the split, ascending. texts: one or two per row. labels:
    `(N,)`."""

    data: str
    numbers: np.ndarray
    texts: tuple[tuple[str, ...], ...]
    labels: np.ndarray

    def at(self, indices: np.ndarray) -> CorpusRows:
        """Some of the rows. indices: `(n,)`."""
        texts = tuple(self.texts[index] for index in indices)
        return CorpusRows(self.data, self.numbers[indices], texts, self.labels[indices])

    def texts_of(self, number: int) -> tuple[str, ...]:
        """The texts of the row with this number; empty if the split has no such row."""
        position = int(np.searchsorted(self.numbers, number))
        return self.texts[position] if number in self.numbers[position : position + 1] else ()


def validation_rows(info: CheckpointInfo) -> CorpusRows | None:
    """The validation split that a model was tuned on.

    Without its corpus: offers the download and returns the sample's split. None if nothing can be read; the reason is
    shown.
    """
    data = info.metrics.training_data
    missing = data == "full" and get_task(info.task).find_corpus() is None
    return read_rows(info.task, data, "evaluation.no_corpus") or (read_rows(info.task, "sample") if missing else None)


def read_rows(task: str, data: str, missing: str = "") -> CorpusRows | None:
    """The validation split, or None if it cannot be read; the reason is shown.

    missing: catalogue key of the sentence shown beside the download button where the corpus is not available.
    """
    say, source = translator(), get_task(task).find_corpus()
    if data == "full" and source is None:
        _offer_download(task, missing)
        return None
    try:
        check_rows(task)
        with st.spinner(say("evaluation.reading")):
            return _read(task, data, source, rows_version(task))
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/database_off:")
        return None


def _offer_download(task: str, missing: str) -> None:
    say, corpus = translator(), get_task(task).require_corpus()
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":material/database_off: {escape_markdown(say(missing, archive=corpus.archive))}", width="stretch")
        download_button(task)


def predict_rows(model: Checkpoint, rows: CorpusRows, predictions: Predictions | None = None) -> PredictedRows:
    """The rows with their predictions, as they are saved, else computed here. Raises Failure."""
    numbers = rows.numbers + 1
    if predictions is None:
        numbered = [Row(int(number), texts) for number, texts in zip(numbers, rows.texts, strict=True)]
        predictions = Predictions.from_probabilities(classify_rows(model, numbered)[1], model.settings)
    return PredictedRows(
        numbers, rows.texts, model.task.labels, rows.labels, predictions.predicted, predictions.confidence
    )


def download_button(task: str) -> None:
    """A button that downloads the corpus of a task."""
    say = translator()
    if st.button(say("pages.training_download"), key="download_corpus", icon=":material/download:"):
        act(lambda: get_task(task).require_corpus().download(progress=False), say("pages.training_downloading"))


@st.cache_resource(max_entries=4, show_spinner=False)
def _read(task: str, data: str, source: Path | None, version: tuple | None) -> CorpusRows:
    """For all visitors: the caller checks who may see them."""
    frame = get_task(task).read("validation", data)
    texts = tuple(zip(*(frame[name] for name in ("text", "text_b") if name in frame), strict=True))
    labels = frame["label"] if "label" in frame else frame.index * 0  # a translation has none
    return CorpusRows(data, frame.index.to_numpy(), texts, labels.to_numpy("int64"))
