"""The error browser: validation rows filtered by outcome, label, confidence, length and overlap."""

import re
from pathlib import Path

import numpy as np
import streamlit as st

from pages.evaluation import prediction_table
from pages.shared import corpus_rows, evidence, links
from pages.shared.cache import load_model, model_version
from pages.shared.corpus_rows import CorpusRows
from pages.shared.own_tasks import escaped
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.evaluation.slices import overlaps
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence import predictions
from viz_core.evidence.predictions import Predictions
from viz_core.evidence.results import read_result
from viz_core.records import Failure, PredictedRows
from viz_core.tables.filters import OUTCOMES, Filter, filter_rows
from viz_core.tasks import get_task

PAGE_SIZE = 25  # rows
_ANY = "any"
_RANGE = re.compile(r"\d{1,6}-\d{1,6}", re.ASCII)


def section(info: CheckpointInfo) -> None:
    """The filters, the number of matching rows, and these rows, the most confident first."""
    say = translator()
    rows = corpus_rows.validation_rows(info)
    if rows is None:
        return
    saved = None
    if rows.data == "full":
        saved = predictions.read(read_result(info.path, predictions.NAME), len(rows.labels), info.settings)
        if saved is None:
            evidence.offer(info, predictions.NAME)
            return
    try:
        predicted, lengths, overlap = _predict_rows(info, rows, saved, info.path, model_version(info), rows.data)
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
        return
    indices = filter_rows(predicted, _filters(info.task, lengths, overlap), lengths, overlap)
    n, wrong = len(predicted), len(predicted) - predicted.correct
    if not (wrong or len(indices)):
        st.markdown(say("evaluation.no_errors", n=n))
        return
    st.markdown(say("evaluation.errors_matching", count=len(indices), n=n, wrong=wrong))
    if len(indices):
        prediction_table.draw_rows(info, predicted.at(_page(indices)), "errors")


@st.cache_resource(max_entries=8, show_spinner=False)
def _predict_rows(
    _info: CheckpointInfo, _rows: CorpusRows, _predictions: Predictions | None, folder: Path, version: tuple, data: str
) -> tuple[PredictedRows, np.ndarray, np.ndarray | None]:
    """N rows with saved predictions, or computed here for the sample; token counts `(N,)`; overlap of pairs `(N,)`.

    Arguments with an underscore are no part of the cache key. Raises Failure.
    """
    model = load_model(_info)
    sides = [list(side) for side in zip(*_rows.texts, strict=True)]
    lengths = np.array([len(ids) for ids in model.text_encoder.ids(*sides)[0]])
    overlap = overlaps(_rows.texts) if model.task.pair else None
    return corpus_rows.predict_rows(model, _rows, _predictions), lengths, overlap


def _filters(task: str, lengths: np.ndarray, overlap: np.ndarray | None) -> Filter:
    """The filter widgets, whose values are part of the link."""
    say, labels = translator(), get_task(task).labels
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="filters"):
        outcome, truth = (
            links.pick(
                st.segmented_control,
                key,
                say(f"evaluation.{key}"),
                options,
                name,
                default,
                on_change=_first_page,
                width="content",
            )
            for key, options, name, default in (
                ("outcome", OUTCOMES, lambda name: say(f"evaluation.outcome_{name}"), "wrong"),
                ("truth", [_ANY, *labels], lambda name: escaped(task, say(_truth(name))), _ANY),
            )
        )
    with st.container(horizontal=True, gap="large", key="ranges"):
        confidence = _shares("sure")
        length = _range("length", int(lengths.min()), int(lengths.max()), "%d")
        common = None if overlap is None else _shares("common")
    return Filter(outcome, confidence, length, common, None if truth == _ANY else labels.index(truth))


def _truth(label: str) -> str:
    return "evaluation.any" if label == _ANY else f"rendering.label_{label}"


def _shares(name: str) -> tuple[float, float]:
    """A range slider in percent."""
    start, end = _range(name, 0, 100, "%d%%")
    return start / 100, end / 100


def _range(name: str, low: int, high: int, format_: str) -> tuple[int, int]:
    """A range slider, `low-high` in the link; a range from another model is clipped to the bounds of this model, unless
    it was all of that."""
    say, bounds = translator(), f"{name}_bounds"
    if low == high:
        return low, high
    if st.session_state.get(name) == st.session_state.get(bounds) != (low, high):
        st.session_state.pop(name, None)
    st.session_state[bounds] = low, high

    def read(text: str) -> tuple[int, int] | None:
        if not _RANGE.fullmatch(text):
            return None
        start, end = (min(max(int(end), low), high) for end in text.split("-"))
        return (start, end) if start <= end else None

    return links.link(
        st.slider,
        name,
        say(f"evaluation.{name}"),
        low,
        high,
        default=(low, high),
        read=read,
        form=lambda ends: "-".join(map(str, ends)),
        format=format_,
        width=260,
        on_change=_first_page,
        help=say(f"evaluation.{name}_help"),
    )


def _page(indices: np.ndarray) -> np.ndarray:
    """The indices on the current page of the table."""
    say, last = translator(), -(-len(indices) // PAGE_SIZE)
    number = min(st.session_state.get("errors_page", 1), last)
    if last > 1:
        st.session_state["errors_page"] = number
        st.number_input(say("evaluation.page_of", last=last), 1, last, key="errors_page", width=180)
        number = st.session_state["errors_page"]
    return indices[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]


def _first_page() -> None:
    st.session_state["errors_page"] = 1
