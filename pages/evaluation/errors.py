"""Every validation row with its answer, to be filtered: where is the model wrong, and where is it wrong and sure of it?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import streamlit as st

from pages.evaluation import prediction_table
from pages.shared import corpus_rows, evidence, links
from pages.shared.cache import load_model, weights_time
from pages.shared.corpus_rows import Rows
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.slices import overlaps
from viz_core.batch_prediction.rows import answer_rows
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence import predictions
from viz_core.evidence.predictions import Predictions
from viz_core.evidence.results import read_result
from viz_core.records import PredictedRows, Failure
from viz_core.tables.csv_rows import Row
from viz_core.tables.filters import OUTCOMES, Filter, matching
from viz_core.tasks import TASKS

PAGE = 25  # rows at once
_ANY = "any"


def section(info: CheckpointInfo) -> None:
    """The filters, how many rows they let through, and these, the most confident first."""
    say = translator()
    rows = corpus_rows.validation(info)
    if rows is None:
        return
    kept = None
    if rows.data == "full":
        kept = predictions.read(read_result(info.path, predictions.NAME), len(rows.labels), info.settings)
        if kept is None:
            evidence.offer(info, predictions.NAME)
            return
    try:
        found, lengths, shared = _answered(info, rows, kept, info.path, weights_time(info), rows.data)
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
        return
    places = matching(found, _wanted(info.task, lengths, shared), lengths, shared)
    st.markdown(say("evaluation.errors_matching", count=len(places), n=len(found), wrong=len(found) - found.correct))
    if len(places):
        prediction_table.draw(info, found.at(_page(places)), "errors")


@st.cache_resource(max_entries=8, show_spinner=False)
def _answered(
    _info: CheckpointInfo, _rows: Rows, _predictions: Predictions | None, folder: Path, written: float, data: str
) -> tuple[PredictedRows, np.ndarray, np.ndarray | None]:
    """All rows with their answers, kept ones or, of the small sample, computed here; tokens of each; common characters."""
    model, numbers = load_model(_info), np.arange(1, len(_rows.labels) + 1)
    if _predictions is None:
        _, probabilities = answer_rows(
            model, [Row(number, texts) for number, texts in zip(numbers, _rows.texts, strict=True)]
        )
        _predictions = Predictions.of(probabilities, model.settings)
    sides = [list(side) for side in zip(*_rows.texts, strict=True)]
    lengths = np.array([len(ids) for ids in model.text.ids(*sides)[0]])
    rows = PredictedRows(
        numbers, _rows.texts, model.task.labels, _rows.labels, _predictions.predicted, _predictions.confidence
    )
    return rows, lengths, overlaps(_rows.texts) if model.task.pair else None


def _wanted(task: str, lengths: np.ndarray, shared: np.ndarray | None) -> Filter:
    """The filters, which are part of the link."""
    say, labels = translator(), TASKS[task].labels
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="filters"):
        links.restore("outcome", "wrong", OUTCOMES)
        outcome = st.segmented_control(
            say("evaluation.outcome"),
            OUTCOMES,
            key="outcome",
            required=True,
            persist_state="session",
            on_change=_first_page,
            width="content",
            format_func=lambda name: say(f"evaluation.outcome_{name}"),
        )
        links.restore("truth", _ANY, [_ANY, *labels])
        truth = st.segmented_control(
            say("evaluation.truth"),
            [_ANY, *labels],
            key="truth",
            required=True,
            persist_state="session",
            on_change=_first_page,
            width="content",
            format_func=lambda name: say("evaluation.any") if name == _ANY else say(f"rendering.label_{name}"),
        )
    for name, usual in (("outcome", "wrong"), ("truth", _ANY)):
        links.record(name, usual)
    with st.container(horizontal=True, gap="large", key="ranges"):
        sure = _range("sure", 0, 100, "%d%%")
        length = _range("length", int(lengths.min()), int(lengths.max()), "%d")
        common = None if shared is None else _range("common", 0, 100, "%d%%")
    return Filter(
        outcome,
        _shares(sure),
        length,
        None if common is None else _shares(common),
        None if truth == _ANY else labels.index(truth),
    )


def _shares(percents: tuple[int, int]) -> tuple[float, float]:
    return percents[0] / 100, percents[1] / 100


def _range(name: str, low: int, high: int, form: str) -> tuple[int, int]:
    """A slider with two ends, `low-high` in the link; what was chosen for another model is cut to the bounds of this one."""
    say, key = translator(), f"range_{name}"
    given = st.session_state.get(key) or _ends(st.query_params.get(name, "")) or (low, high)
    start, end = (min(max(one, low), high) for one in given)
    st.session_state[key] = (start, end) if start <= end else (low, high)
    if low == high:
        return low, high
    found = st.slider(
        say(f"evaluation.{name}"),
        low,
        high,
        key=key,
        format=form,
        width=260,
        on_change=_first_page,
        persist_state="session",
        help=say(f"evaluation.{name}_help"),
    )
    links.write({name: "-".join(map(str, found))}, {name: f"{low}-{high}"})
    return found


def _ends(link_parameters: str) -> tuple[int, int] | None:
    parts = link_parameters.split("-")
    return (
        tuple(map(int, parts))
        if len(parts) == 2 and all(one.isascii() and one.isdigit() and len(one) < 7 for one in parts)
        else None
    )


def _page(places: np.ndarray) -> np.ndarray:
    """Those of the rows that are on the page which is looked at."""
    say, last = translator(), -(-len(places) // PAGE)
    number = min(st.session_state.get("errors_page", 1), last)
    if last > 1:
        st.session_state["errors_page"] = number
        st.number_input(say("evaluation.page_of", last=last), 1, last, key="errors_page", width=180)
        number = st.session_state["errors_page"]
    return places[(number - 1) * PAGE : number * PAGE]


def _first_page() -> None:
    st.session_state["errors_page"] = 1
