"""Random validation rows with their predictions: a first impression of a model."""

import secrets
from pathlib import Path

import streamlit as st

from pages.evaluation import prediction_table
from pages.shared import corpus_rows, links
from pages.shared.cache import load_model, model_version
from pages.shared.corpus_rows import CorpusRows
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Failure, PredictedRows
from viz_core.statistics.intervals import wilson
from viz_core.tables.filters import sample

COUNT = 50  # rows, as in the course
_LARGEST = 10**6


def section(info: CheckpointInfo) -> None:
    """The seed, the accuracy on the sample, and the table."""
    say = translator()
    rows = corpus_rows.validation_rows(info)
    if rows is None:
        return
    seed = _seed()
    try:
        predicted = _predict_rows(info, rows, info.path, model_version(info), rows.data, seed)
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
        return
    low, high = wilson(predicted.correct, len(predicted))
    st.markdown(
        say(
            "evaluation.samples_correct",
            correct=predicted.correct,
            n=len(predicted),
            share=predicted.correct / len(predicted),
            low=low,
            high=high,
        )
    )
    prediction_table.draw_rows(info, predicted, "samples")


def _seed() -> int:
    """The seed of the sample, which is part of the link, so that a whole class sees the same rows."""
    say = translator()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        seed = links.link(
            st.number_input,
            "seed",
            say("evaluation.seed"),
            0,
            _LARGEST,
            default=0,
            read=_read_seed,
            step=1,
            width=180,
            help=say("evaluation.seed_help"),
        )
        st.button(say("evaluation.resample"), key="draw", icon=":material/casino:", on_click=_draw_seed)
    return seed


def _read_seed(text: str) -> int:
    digits = text.lstrip("0")[:8] if text.isascii() and text.isdigit() else ""  # Python reads 4,300 at most
    return min(int(digits or 0), _LARGEST)


def _draw_seed() -> None:
    st.session_state["seed"] = secrets.randbelow(_LARGEST)


@st.cache_resource(max_entries=32, show_spinner=False)
def _predict_rows(
    _info: CheckpointInfo, _rows: CorpusRows, folder: Path, version: tuple, data: str, seed: int
) -> PredictedRows:
    indices = sample(len(_rows.labels), COUNT, seed)
    return corpus_rows.predict_rows(load_model(_info), _rows.at(indices))
