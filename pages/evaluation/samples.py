"""Validation rows drawn at random, with what the model answers to each: a first feeling for how good it is."""

from __future__ import annotations

import secrets
from pathlib import Path

import streamlit as st

from pages.evaluation import prediction_table
from pages.shared import corpus_rows, links
from pages.shared.cache import load_model, weights_time
from pages.shared.corpus_rows import Rows
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.batch_prediction.rows import answer_rows
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.predictions import Predictions
from viz_core.records import PredictedRows, Failure
from viz_core.statistics.intervals import wilson
from viz_core.tables.csv_rows import Row
from viz_core.tables.filters import sample

COUNT = 50  # rows, as in the course
_LARGEST = 10**6


def section(info: CheckpointInfo) -> None:
    """The seed, how many are right, and the table."""
    say = translator()
    rows = corpus_rows.validation(info)
    if rows is None:
        return
    seed = _seed()
    try:
        found = _answered(info, rows, info.path, weights_time(info), rows.data, seed)
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
        return
    low, high = wilson(found.correct, len(found))
    st.markdown(
        say(
            "evaluation.samples_right",
            right=found.correct,
            n=len(found),
            share=found.correct / len(found),
            low=low,
            high=high,
        )
    )
    prediction_table.draw(info, found, "samples")


def _seed() -> int:
    """Which draw: part of the link, so that a class looks at the same rows."""
    say = translator()
    if "seed" not in st.session_state:
        link_parameters = st.query_params.get("seed", "")
        st.session_state["seed"] = min(int(link_parameters), _LARGEST) if link_parameters.isascii() and link_parameters.isdigit() else 0
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.number_input(
            say("evaluation.seed"),
            0,
            _LARGEST,
            step=1,
            key="seed",
            persist_state="session",
            width=180,
            help=say("evaluation.seed_help"),
        )
        st.button(say("evaluation.resample"), key="draw", icon=":material/casino:", on_click=_redraw)
    links.record("seed", 0)
    return st.session_state["seed"]


def _redraw() -> None:
    st.session_state["seed"] = secrets.randbelow(_LARGEST)


@st.cache_resource(max_entries=32, show_spinner=False)
def _answered(_info: CheckpointInfo, _rows: Rows, folder: Path, written: float, data: str, seed: int) -> PredictedRows:
    places, model = sample(len(_rows.labels), COUNT, seed), load_model(_info)
    texts = tuple(_rows.texts[place] for place in places)
    _, probabilities = answer_rows(model, [Row(int(place) + 1, row) for place, row in zip(places, texts, strict=True)])
    predictions = Predictions.of(probabilities, model.settings)
    return PredictedRows(
        places + 1, texts, model.task.labels, _rows.labels[places], predictions.predicted, predictions.confidence
    )
