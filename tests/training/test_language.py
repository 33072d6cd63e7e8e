"""Learning to continue texts: the objective by hand, and a training on the sample."""

import math

import numpy as np
import pandas as pd
import pytest
import torch

from tests.models.tiny import decoder
from tests.tiny_language_model import TEXTS, language_checkpoint, save_language_model
from tests.training.tiny import DEVICE
from viz_core import checkpoints
from viz_core.commands.language import measure
from viz_core.models.kinds import KINDS
from viz_core.models.protocol import Hook
from viz_core.records import Examples, Failure, Generation, LanguageFigures
from viz_core.tasks import get_task
from viz_core.text.building import CLS, SEP
from viz_core.training.batches import DeviceExamples
from viz_core.training.kinds import training_kind
from viz_core.training.language import LanguageValidation, NextToken
from viz_core.training.prepare import prepare
from viz_core.training.settings import TrainingSettings
from viz_core.training.snapshots import read_snapshot, write_snapshot
from viz_core.training.start import start_from, start_tokenizer
from viz_core.training.train import train
from viz_core.training.validation import Stopped

NAME = "imdb-text"
TINY = dict(layers=1, heads=2, width=16, feedforward=16)


def test_the_loss_is_that_of_every_token_after_the_first():
    model, rows = decoder(), [np.array([2, 5, 6, 7, 3]), np.array([2, 9, 3])]
    examples = Examples(rows, [np.zeros_like(row) for row in rows], np.full(2, -1))
    (batch,) = DeviceExamples(examples, torch.device("cpu"), 16).batches([np.arange(2)], 0, 1)
    sums = NextToken(model)(batch)
    expected = [
        -model.predict(torch.tensor([row[:i].tolist()])).logits[0, -1].log_softmax(-1)[row[i]]
        for row in rows
        for i in range(1, len(row))
    ]
    assert sums.loss.item() == pytest.approx(sum(expected).item(), rel=1e-5)
    assert (sums.weight.item(), sums.predictions.item()) == (6, 6)


def test_examples_are_windows_of_all_texts_one_after_another():
    checkpoint, frame = language_checkpoint(max_tokens=8), frame_of_texts()
    examples = checkpoint.task.examples(frame, checkpoint.text_encoder)
    assert {len(row) for row in examples.ids[:-1]} == {8} and set(examples.labels.tolist()) == {-1}
    stream = np.concatenate([examples.ids[0], *(row[1:] for row in examples.ids[1:])])
    assert stream.tolist() == np.concatenate(checkpoint.text_encoder.whole_ids(list(TEXTS))).tolist()
    assert (stream == CLS).sum() == (stream == SEP).sum() == len(TEXTS)


def frame_of_texts():
    return pd.DataFrame({"text": TEXTS})


def test_a_training_on_the_sample_learns_and_its_checkpoint_continues_texts(tmp_path, monkeypatch):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path))
    recipe, seen = {"epochs": 2, "batch": 8, "evaluations": 1, "lr": 0.01, "train_rows": 60}, []
    settings = TrainingSettings(NAME, data="sample", device=DEVICE, overrides=TINY, recipe=recipe)
    final = train(settings.training(), tmp_path / NAME / "small", seen.append)
    assert seen[1]["token_loss"] < seen[0]["token_loss"] < math.log(8_000)
    assert final["perplexity"] == seen[1]["perplexity"] < seen[0]["perplexity"]
    checkpoint = checkpoints.load(NAME, "small")
    generation = training_kind(NAME).explain(checkpoint, ("This film is",))
    assert isinstance(generation, Generation) and generation.text.startswith("This film is")
    card = (tmp_path / NAME / "small" / checkpoints.CARD).read_text(encoding="utf-8")
    assert f"{final['perplexity']:.2f}" in card
    figures = measure(checkpoint, checkpoint.task.read("validation", "sample"), "sample")
    assert figures.perplexity == pytest.approx(final["perplexity"], rel=1e-4)
    assert 1 < figures.kneser_ney_perplexity < figures.perplexity, "a tiny model of a few steps knows less than counts"
    assert LanguageFigures.from_dict(figures.to_dict()) == figures


def test_validation_can_be_stopped_and_names_numbers_that_are_none():
    checkpoint = language_checkpoint()
    examples = checkpoint.task.examples(frame_of_texts(), checkpoint.text_encoder)
    validation = LanguageValidation(examples, checkpoint.text_encoder)
    with pytest.raises(Stopped):
        validation.measure(checkpoint.model, checkpoint.settings, lambda: True)
    with torch.no_grad():
        checkpoint.model.norm.weight.fill_(torch.nan)
    with pytest.raises(FloatingPointError, match="nan"):
        validation.measure(checkpoint.model, checkpoint.settings, lambda: False)


def test_a_continuation_is_kept_as_a_snapshot(tmp_path):
    written = training_kind(NAME).explain(language_checkpoint(), (TEXTS[0],))
    write_snapshot(tmp_path, 2, 0, written)
    snapshot = read_snapshot(tmp_path, 2, 0)
    assert isinstance(snapshot, Generation)
    assert (snapshot.text, snapshot.steps, snapshot.given) == (written.text, written.steps, written.given)
    assert (snapshot.explanation.kind, snapshot.explanation.label_ids) == ("causal", written.explanation.label_ids)
    np.testing.assert_allclose(snapshot.explanation.attention, written.explanation.attention, atol=1e-4)


def test_settings_of_classifications_are_refused():
    with pytest.raises(Failure) as failure:
        TrainingSettings(NAME, data="sample", recipe={"r_drop": 1.0})
    assert "r_drop" in failure.value.message.values["reason"]


def test_the_vocabulary_is_that_of_train():
    prepared = prepare(get_task(NAME), "sample")
    assert prepared.text.vocabulary <= 8_000 and not len(prepared.unlabelled)


@pytest.mark.parametrize("positions", ["rotary", "learned"])
def test_a_training_goes_on_from_a_language_model_of_ours(tmp_path, monkeypatch, positions):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path))
    save_language_model(tmp_path, positions=positions)
    source = checkpoints.load("imdb-text", "tiny")
    settings = TrainingSettings("imdb-text", overrides={"max_tokens": 16}, recipe={"encoder": "imdb-text/tiny"})
    training = settings.training().with_vocabulary(source.text_encoder.vocabulary)
    model = KINDS["decoder"].build(training.config).eval()
    start_from(model, "imdb-text/tiny", ())
    ids = torch.arange(3, 12)[None]
    assert training.config.layers == source.model.config.layers and training.config.max_tokens == 16
    with torch.no_grad():
        torch.testing.assert_close(model.predict(ids).logits, source.model.predict(ids).logits)


class TestAClassifierStartsAsALanguageModel:
    """The layers are the same, the attention is not: of text, each token attends to all."""

    @pytest.fixture
    def root(self, tmp_path, monkeypatch):
        monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path))
        return tmp_path

    def settings(self, **overrides):
        return TrainingSettings("imdb", overrides=overrides, recipe={"encoder": "imdb-text/tiny"})

    def test_where_it_attends_to_nothing_later_it_computes_the_same(self, root):
        save_language_model(root)
        source = checkpoints.load("imdb-text", "tiny")
        training = self.settings().training().with_vocabulary(source.text_encoder.vocabulary)
        model = KINDS["encoder"].build(training.config).eval()
        start_from(model, "imdb-text/tiny", training.task.labels)
        ids = torch.arange(3, 12)[None]
        inputs = ids, torch.zeros_like(ids), torch.ones_like(ids, dtype=torch.bool)
        later = torch.ones(9, 9, dtype=torch.bool).triu(1)

        def read_on(point, scores):
            return scores.masked_fill(later, -torch.inf)

        with torch.no_grad():
            expected = source.model.encode(*inputs)
            torch.testing.assert_close(model.encode(*inputs, hook=Hook(read_on, {"scores"})), expected)
            assert not torch.allclose(model.encode(*inputs), expected, atol=1e-2)

    def test_it_reads_texts_as_long_as_its_task(self, root):
        save_language_model(root)
        config = self.settings().training().config
        assert (config.max_tokens, config.pooling, config.positions) == (512, "mean", "rotary")
        assert (start_tokenizer("imdb-text/tiny", 512).truncation or {})["max_length"] == 512

    def test_a_size_of_its_own_is_refused(self, root):
        save_language_model(root)
        with pytest.raises(Failure, match="layers is 7"):
            self.settings(layers=7).training()

    def test_positions_that_are_added_are_not_an_encoders(self, root):
        save_language_model(root, positions="learned")
        with pytest.raises(Failure, match="decoder"):
            self.settings().training()
