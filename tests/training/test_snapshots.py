"""Attention snapshots of pinned inputs: written and read back, precisely enough to draw."""

import numpy as np
import pytest

from tests.models.tiny import encoder_decoder
from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.records import Failure
from viz_core.tasks import get_task
from viz_core.text.building import SEP, UNK, build_translation_tokenizer
from viz_core.text.tokenizer import TextEncoder
from viz_core.training.snapshots import read_snapshot, snapshot_evaluations, write_snapshot


@pytest.mark.parametrize("task, texts", [("imdb", ("a good film",)), ("afqmc", ("花呗怎么还", "借呗🙂\n"))])
def test_a_snapshot_is_read_as_it_was_written(tmp_path, task, texts):
    save_checkpoint(tmp_path, task)
    written = explain(checkpoints.load(task, "tiny", tmp_path), *texts)
    write_snapshot(tmp_path, 0, 2, written)
    snapshot = read_snapshot(tmp_path, 0, 2)
    np.testing.assert_allclose(snapshot.attention, written.attention, atol=2e-5)
    np.testing.assert_allclose(snapshot.attention.sum(-1), 1, atol=1e-6)
    assert snapshot.attention.dtype == np.float32 and not snapshot.attention.flags.writeable
    assert snapshot.probabilities.tolist() == written.probabilities.tolist()
    assert (
        snapshot.task,
        snapshot.model,
        snapshot.labels,
        snapshot.pooling,
        snapshot.threshold,
        snapshot.predicted,
    ) == (task, "tiny", written.labels, written.pooling, 0.4, written.predicted)
    assert (snapshot.encoding.texts, snapshot.encoding.tokens) == (texts, written.encoding.tokens)
    for name in ("ids", "segments", "offsets", "words", "special", "unknown"):
        array = getattr(snapshot.encoding, name)
        assert np.array_equal(array, getattr(written.encoding, name)) and not array.flags.writeable
    assert [path.name for path in (tmp_path / "probes").iterdir()] == ["0-2.npz"]


@pytest.mark.parametrize("complete", [True, False])
def test_a_snapshot_of_a_translation_has_all_three_attentions(tmp_path, complete):
    text = TextEncoder(build_translation_tokenizer(["我 去 学 校", "I go to school"], 16, min_count=1))
    model = encoder_decoder(vocabulary=text.vocabulary, max_tokens=16)
    checkpoint = Checkpoint("tiny", get_task("tatoeba"), Settings("tatoeba", model.config), model, text, None)
    outputs = [*text.encode("I go").ids[1:-1].tolist(), UNK, *([SEP] if complete else [])]
    written = explain_translation(checkpoint, text.encode("我去学校"), outputs)
    write_snapshot(tmp_path, 3, 0, written)
    snapshot = read_snapshot(tmp_path, 3, 0)
    assert (snapshot.steps, snapshot.complete, snapshot.text) == (written.steps, complete, written.text)
    assert snapshot.steps[2].rank is None, "an unknown token is never produced"
    for kind, weights in written.attention.items():
        np.testing.assert_allclose(snapshot.attention[kind], weights, atol=2e-5)
        np.testing.assert_allclose(snapshot.attention[kind].sum(-1), 1, atol=1e-6)
        assert not snapshot.attention[kind].flags.writeable
        assert (snapshot.queries(kind), snapshot.keys(kind)) == (written.queries(kind), written.keys(kind))


def test_uniform_attention_over_512_tokens_stays_uniform(tmp_path):
    save_checkpoint(tmp_path, "imdb")
    explanation = explain(checkpoints.load("imdb", "tiny", tmp_path), "a good film")
    uniform = np.full((1, 1, 512, 512), 1 / 512, np.float32)
    write_snapshot(tmp_path, 1, 0, type(explanation)(**{**vars(explanation), "attention": uniform}))
    np.testing.assert_allclose(read_snapshot(tmp_path, 1, 0).attention, uniform, rtol=1e-6)


def test_evaluations_are_in_ascending_order(tmp_path):
    save_checkpoint(tmp_path, "imdb")
    explanation = explain(checkpoints.load("imdb", "tiny", tmp_path), "a good film")
    for evaluation in (10, 0, 9):
        write_snapshot(tmp_path, evaluation, 1, explanation)
    assert snapshot_evaluations(tmp_path, 1) == [0, 9, 10] and snapshot_evaluations(tmp_path, 0) == []


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04", b"\x93NUMPY"])
def test_a_missing_or_damaged_snapshot_is_a_failure(tmp_path, content):
    if content is not None:
        (tmp_path / "probes").mkdir()
        (tmp_path / "probes" / "3-0.npz").write_bytes(content)
    with pytest.raises(Failure) as failure:
        read_snapshot(tmp_path, 3, 0)
    assert (failure.value.message.key, failure.value.message.values["evaluation"]) == ("training.no_snapshot", 3)
