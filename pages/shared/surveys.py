"""What the heads of a model do over a corpus: saved evidence, or of a model from elsewhere a survey on our texts."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from weakref import WeakKeyDictionary

import streamlit as st

from pages.shared import evidence, links
from pages.shared.cache import load_model, model_version
from pages.shared.corpus_rows import read_rows
from pages.shared.heads import KIND
from pages.shared.other_models import opened_checkpoint
from pages.shared.visitor import translator
from viz_core.analysis.heads.survey import survey_heads
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.evidence import heads, importance
from viz_core.evidence.importance import Importance
from viz_core.evidence.own_texts import own_texts
from viz_core.evidence.results import read_result, result_file
from viz_core.evidence.surveyed import Surveyed, read_surveys, survey_own_texts
from viz_core.files import file_version
from viz_core.records import ELSEWHERE, HeadSurvey
from viz_core.tasks import get_task
from viz_core.tasks.own import is_own_name

_of_ours: WeakKeyDictionary[Checkpoint, Surveyed] = WeakKeyDictionary()  # while a model is open
_lock = Lock()


def read_or_offer(info: CheckpointInfo) -> Surveyed | None:
    """The surveys of a model; None if there are none yet, after drawing the offer to make them.

    Raises Failure for a model from elsewhere that was closed, or reads none of our texts.
    """
    if info.task in ELSEWHERE:
        return _survey_ours(opened_checkpoint(info.name))
    if surveyed := stored(info):
        return surveyed
    evidence.offer(info, heads.NAME)
    return None


def is_surveyed(info: CheckpointInfo) -> bool:
    """Whether its heads have been surveyed, or are as soon as somebody asks."""
    return info.task in ELSEWHERE or stored(info) is not None


@st.cache_resource(max_entries=32, show_spinner=False)
def _read(path: Path, *versions: tuple) -> Surveyed | None:
    return read_surveys(path)


def stored(info: CheckpointInfo) -> Surveyed | None:
    """The surveys saved with a model; read again when their file or the model changes."""
    version = file_version(result_file(info.path, heads.NAME))
    return _read(info.path, model_version(info), version) if version else None


def stored_importance(info: CheckpointInfo) -> Importance | None:
    """The importance of the heads, if it has been measured."""
    if info.task in ELSEWHERE:
        return None
    version = file_version(result_file(info.path, importance.NAME))
    return _read_importance(info.path, model_version(info), version) if version else None


@st.cache_resource(max_entries=32, show_spinner=False)
def _read_importance(path: Path, *versions: tuple) -> Importance | None:
    return importance.read(read_result(path, importance.NAME))


def _survey_ours(checkpoint: Checkpoint) -> Surveyed:
    """The survey over texts of our own, made once, however many visitors ask for it."""
    with _lock:
        if checkpoint not in _of_ours:
            reading = translator()("heads.reading")
            bar = st.progress(0.0, text=reading)
            try:
                _of_ours[checkpoint] = survey_own_texts(
                    checkpoint, lambda done, total: bar.progress(done / total, text=reading)
                )
            finally:
                bar.empty()
        return _of_ours[checkpoint]


def pick_kind(surveyed: Surveyed) -> HeadSurvey:
    """The survey of the attention that is chosen, where a model has several; at first the last, as of a decoder to its
    encoder."""
    if len(surveyed.surveys) == 1:
        return surveyed.surveys[0]
    say, kinds = translator(), [survey.kind for survey in surveyed.surveys]
    return surveyed.of(
        links.pick(
            st.segmented_control,
            KIND,
            say("heads.kind"),
            kinds,
            lambda kind: say(f"heads.kind_{kind}"),
            default=kinds[-1],
        )
    )


def with_texts(info: CheckpointInfo, surveyed: Surveyed) -> tuple[Surveyed, Callable[[int], tuple[str, ...]]]:
    """Surveys with the texts of their rows, empty for a row that is not there.

    Where the corpus is not here, its download is offered, and the heads are surveyed on the sample instead.
    """
    if surveyed.source == "ours":
        texts = own_texts(load_model(info))
        return surveyed, lambda row: texts[row] if row < len(texts) else ()
    if rows := read_rows(info.task, surveyed.source, "heads.no_corpus"):
        return surveyed, rows.texts_of
    if is_own_name(info.task):  # it has said why its rows are not shown
        return surveyed, lambda row: ()
    with st.spinner(translator()("heads.surveying_sample")):
        sampled, texts_of = _survey_sample(info.path, model_version(info), _info=info)
    return sampled, texts_of


@st.cache_resource(max_entries=8, show_spinner=False)
def _survey_sample(
    path: Path, version: tuple, _info: CheckpointInfo
) -> tuple[Surveyed, Callable[[int], tuple[str, ...]]]:
    frame = get_task(_info.task).read("validation", "sample")
    texts = list(zip(*(frame[name] for name in ("text", "text_b") if name in frame), strict=True))
    surveys = survey_heads(load_model(_info), texts, range(len(texts)))
    return Surveyed(surveys, "sample", len(texts)), dict(enumerate(texts)).__getitem__
