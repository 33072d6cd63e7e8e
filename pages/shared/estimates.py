"""What a training will take, said before it starts: parameters and memory at once, the time when somebody asks."""

from __future__ import annotations

import json

import streamlit as st

from pages.shared.visitor import plain, translator
from viz_core import checkpoints
from viz_core.language import Translator
from viz_core.models.config import EncoderConfig
from viz_core.records import Failure
from viz_core.tasks import TASKS
from viz_core.training import estimate
from viz_core.training.building import encoder_config
from viz_core.training.devices import memory_of
from viz_core.training.prepare import prepare
from viz_core.training.request import Request


def estimated(settings: dict, device: str) -> bool:
    """Says what the training will take; False after it was said that it cannot start."""
    say = translator()
    try:
        request = Request(**settings)
        training = request.training()
        vocabulary, longest = _corpus(request.task, request.data)
        config = encoder_config(training.task, training.encoder, vocabulary)
        needed, available = estimate.memory(config, training.recipe, training.recipe.batch, longest), memory_of(device)
        if available is not None and needed > available:
            raise Failure("training.too_large", parameters=estimate.parameters(config), needed=needed / 1e9,
                          available=available / 1e9, device=device)
    except Failure as failure:
        st.error(plain(say(failure.message)), icon=":material/block:")
        return False
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="estimate"):
        at_hand = request.data == "sample" or TASKS[request.task].corpus.find() is not None
        st.markdown(_sentence(config, needed, available), width="content")
        if at_hand:
            _time(settings, device)
    return at_hand


def duration(seconds: float, say: Translator) -> str:
    """Seconds as a person says them: `40 s`, `12 min`, `2.5 h`."""
    if seconds < 90:
        return say("pages.training_seconds", seconds=max(1, round(seconds)))
    if seconds < 5400:
        return say("pages.training_minutes", minutes=round(seconds / 60))
    return say("pages.training_hours", hours=f"{seconds / 3600:.1f}")


def _sentence(config: EncoderConfig, needed: int, available: int | None) -> str:
    say, gigabytes = translator(), f"{needed / 1e9:.2f}"
    counted = f"{estimate.parameters(config):,}"
    if available is None:
        return say("pages.training_estimate", parameters=counted, memory=gigabytes)
    return say("pages.training_estimate_of", parameters=counted, memory=gigabytes, available=f"{available / 1e9:.0f}")


def _time(settings: dict, device: str) -> None:
    """The time, measured when somebody asks; what was measured once is known to everybody."""
    say = translator()
    asked = json.dumps([{**settings, "name": "", "pinned": []}, device], sort_keys=True)
    if st.button(say("pages.training_measure"), key="measure", type="tertiary", icon=":material/timer:",
                 help=say("pages.training_measure_help")):
        st.session_state["train_measured"] = asked
    if st.session_state.get("train_measured") == asked:
        with st.spinner(say("pages.training_measuring")):
            try:
                seconds = _seconds(asked)
            except Failure as failure:
                st.error(plain(say(failure.message)))
                return
        st.markdown(say("pages.training_time", time=duration(seconds, say)), width="content")


@st.cache_data(max_entries=256, show_spinner=False)
def _seconds(asked: str) -> float:
    settings, device = json.loads(asked)
    training = Request(**settings).training()
    return estimate.estimate(training.task, training.encoder, training.recipe, training.data, device).seconds


@st.cache_data(max_entries=8, show_spinner=False)
def _corpus(task: str, data: str) -> tuple[int, int]:
    """Size of the vocabulary and tokens of the longest text. Those of the whole corpus are read from a model that was
    trained on it, where there is one: reading the corpus takes a while."""
    trained = [one for one in checkpoints.usable(task) if one.metrics.get("data") == "full"]
    if data == "full" and trained:
        return trained[0].settings.encoder.vocabulary, TASKS[task].max_tokens
    prepared = prepare(TASKS[task], data)
    return prepared.text.vocabulary, int(prepared.train.lengths.max())
