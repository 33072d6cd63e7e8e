"""Explanations shared by all visitors: computed once, and never another visitor's."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import numpy as np
import pytest
from safetensors.torch import load_file, save_file
from streamlit import config

from pages.shared import cache
from pages.shared.cache import TRANSLATION_BYTES, explain_input, explanation_bytes, load_model, translation_bytes
from tests.pages.routes.test_many_at_once import until
from tests.tiny import text_encoder
from tests.tiny_translation import SOURCE, translation_checkpoint
from viz_core import checkpoints
from viz_core.analysis import batching
from viz_core.analysis.explain import explain
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.checkpoints import CONFIG, METRICS, TOKENIZER, WEIGHTS
from viz_core.records import OTHER, Failure
from viz_core.text.length import MAX_CHARACTERS

VISITORS = 30

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


@pytest.fixture
def info():
    return checkpoints.task_checkpoints("imdb")[0]


@pytest.fixture
def passes(monkeypatch):
    """The texts of each forward pass."""
    texts, original = [], batching.explain_batch

    def explain_batch(checkpoint, encodings, **named):
        texts.append([encoding.texts for encoding in encodings])
        return original(checkpoint, encodings, **named)

    monkeypatch.setattr(batching, "explain_batch", explain_batch)
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


def test_different_texts_of_thirty_visitors_at_once_share_a_pass_after_the_first(info, passes, monkeypatch):
    compute = batching.explain_batch

    def compute_once_all_wait(checkpoint, encodings, **named):
        if not passes:
            until(lambda: len(cache._queue._waiting) == VISITORS - 1)
        return compute(checkpoint, encodings, **named)

    monkeypatch.setattr(batching, "explain_batch", compute_once_all_wait)
    texts = [f"a good film {'and ' * number}" for number in range(VISITORS)]
    explanations = at_once(lambda text: explain_input(info, text), texts)
    assert sorted(text for batch in passes for (text,) in batch) == sorted(text for text in texts)
    assert [len(batch) for batch in passes] == [1, VISITORS - 1]
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


def edit(file, **changes) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **changes}), "utf-8")


@pytest.mark.parametrize("file", [CONFIG, TOKENIZER, METRICS, WEIGHTS])
def test_another_file_beside_the_others_is_noticed(info, file):
    before, explanation = load_model(info), explain_input(info, "a good good film")
    assert explain_input(info, "a good good film") is explanation and load_model(info) is before
    if file == CONFIG:
        edit(info.path / CONFIG, temperature=1.0)
    elif file == TOKENIZER:
        text_encoder("imdb", max_tokens=5).save(info.path / TOKENIZER)
    elif file == METRICS:
        edit(info.path / METRICS, data="sample")
    else:
        weights = {name: tensor + 1 for name, tensor in load_file(info.path / WEIGHTS).items()}
        save_file(weights, info.path / WEIGHTS)
    checkpoint, changed = load_model(info), explain_input(info, "a good good film")
    assert checkpoint is not before and changed is not explanation
    assert (checkpoint.settings.temperature == 1.0) == (file == CONFIG)
    assert (len(changed.encoding.tokens) == 5) == (file == TOKENIZER)
    assert checkpoint.metrics.training_data == ("sample" if file == METRICS else "full")


def test_an_explanation_counts_its_texts_and_tokens(info):
    """The attention of these texts is the same size, as the model reads 16 tokens of each."""
    short, long = (explain_input(info, "good film " * count) for count in (9, 1_999))
    assert short.attention.shape == long.attention.shape
    texts = 2 * len("good film ") * (1_999 - 9)
    assert explanation_bytes(long) - explanation_bytes(short) == texts
    assert explanation_bytes(short) > short.attention.nbytes


@pytest.mark.parametrize("shape", [(12, 12, 512, 512), (24, 16, 512, 512)], ids=str)
def test_an_explanation_of_a_large_model_from_elsewhere_is_computed_once(info, monkeypatch, shape):
    """Each head that is shown asks for it."""
    large = replace(explain_input(info, "good film"), attention=np.broadcast_to(np.float32(0), shape))
    computed = []
    monkeypatch.setattr(cache, "_load", lambda *names: None)
    monkeypatch.setattr(cache._queue, "explain", lambda *_, **named: computed.append(named) or large)
    for _ in range(2):
        assert explain_input(replace(info, task=OTHER), "good film") is large
    assert len(computed) == 1


def test_the_texts_of_fifty_large_requests_are_not_kept(info):
    """A megabyte each: what follows the limit is no part of the key, nor of the explanation."""
    explanations = [explain_input(info, f"good {number} " + "film " * 200_000) for number in range(50)]
    assert all(len(explanation.encoding.texts[0]) == MAX_CHARACTERS for explanation in explanations)
    assert explain_input(info, "good 7 " + "film " * 200_000) is explanations[7]
    assert explain_input(info, "good 7 " + "film " * 199_999) is not explanations[7]  # its notice has another count


def test_a_cache_of_translations_counts_their_attention():
    """Three kinds of 6 layers × 8 heads × 512 × 512 weights of 4 bytes: 151 MB, of which it keeps three."""
    checkpoint = translation_checkpoint()
    translation = explain_translation(checkpoint, checkpoint.text_encoder.encode(SOURCE), [5, 6])
    weights = np.broadcast_to(np.float32(0), (6, 8, 512, 512))  # takes no memory
    large = replace(translation, attention=dict.fromkeys(("self", "causal", "cross"), weights))
    assert translation_bytes(large) - translation_bytes(translation) == 3 * 4 * 6 * 8 * 512**2 - sum(
        array.nbytes for array in translation.attention.values()
    )
    assert 3 * translation_bytes(large) < TRANSLATION_BYTES < 4 * translation_bytes(large)
