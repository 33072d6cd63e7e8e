"""Explanations shared by all visitors: computed once, and never another visitor's."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from streamlit import config

from pages.shared.cache import explain_input
from viz_core import checkpoints
from viz_core.analysis import batching
from viz_core.analysis.explain import explain
from viz_core.records import Failure

VISITORS = 30

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


@pytest.fixture
def info():
    return checkpoints.task_checkpoints("imdb")[0]


@pytest.fixture
def passes(monkeypatch):
    """The texts of each forward pass. Passes are slow, so that visitors at the same moment meet in one."""
    texts, original = [], batching.explain_batch

    def explain_slowly(checkpoint, encodings):
        texts.append([encoding.texts for encoding in encodings])
        time.sleep(0.3)
        return original(checkpoint, encodings)

    monkeypatch.setattr(batching, "explain_batch", explain_slowly)
    return texts


def at_once(function, arguments) -> list:
    """The function's results for all arguments, called at the same moment in a thread each."""
    arguments = list(arguments)
    barrier = Barrier(len(arguments))

    def call(argument):
        barrier.wait(timeout=30)
        return function(argument)

    with ThreadPoolExecutor(len(arguments)) as threads:
        return list(threads.map(call, arguments))


def test_a_new_text_of_thirty_visitors_at_once_is_computed_once(info, passes):
    explanations = at_once(lambda visitor: explain_input(info, "a good film", visitor=visitor), range(VISITORS))
    assert passes == [[("a good film",)]]
    assert all(explanation is explanations[0] for explanation in explanations)


def test_different_texts_of_thirty_visitors_at_once_share_few_passes(info, passes):
    texts = [f"a good film {'and ' * number}" for number in range(VISITORS)]
    explanations = at_once(lambda text: explain_input(info, text), texts)
    assert sorted(text for batch in passes for (text,) in batch) == sorted(text for text in texts)
    assert len(passes) <= 5
    checkpoint = checkpoints.load("imdb", "tiny")
    for explanation, text in zip(explanations, texts, strict=True):
        alone = explain(checkpoint, text)
        assert explanation.encoding.texts == alone.encoding.texts
        np.testing.assert_allclose(explanation.probabilities, alone.probabilities, rtol=0, atol=1e-5)
        np.testing.assert_allclose(explanation.attention, alone.attention, rtol=0, atol=1e-5)


def test_a_text_that_cannot_be_read_is_refused_to_each_of_thirty(info, passes):
    def refusal(visitor: int) -> str:
        with pytest.raises(Failure) as failure:
            explain_input(info, " ")
        return failure.value.message.key

    assert len(set(at_once(refusal, range(VISITORS)))) == 1
    assert passes == []


def test_streamlit_does_not_collect_garbage_after_every_run_of_a_page():
    assert config.get_option("runner.postScriptGC") is False
