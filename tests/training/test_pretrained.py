"""A training that starts from a pre-trained encoder, on the sample corpus."""

import pytest
import torch

from tests.adapters.tiny_folder import save_pretrained
from tests.training.tiny import RecordingCallback
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.analysis.inside.inside import inside
from viz_core.analysis.inside.logit_lens import class_lens
from viz_core.analysis.inside.passes import Selected
from viz_core.datasets import corpus
from viz_core.recipes import Recipe
from viz_core.tasks import get_task
from viz_core.training.prepare import prepare
from viz_core.training.settings import TrainingSettings
from viz_core.training.train import train_in

pytestmark = pytest.mark.process
SMALL = dict(epochs=1, train_rows=48, batch=16, lr=1e-3)


def train(work, folder, callback=None, **recipe):
    settings = TrainingSettings(
        "imdb", "finetune", "tiny", "sample", "cpu", recipe={**SMALL, "encoder": f"path:{folder}", **recipe}
    )
    return train_in(work, settings.training(), callback or RecordingCallback())


@pytest.fixture
def folder(tmp_path):
    save_pretrained(tmp_path / "tiny")
    return tmp_path / "tiny"


def test_it_starts_from_the_weights_and_ends_as_a_model_that_every_analysis_opens(tmp_path, folder):
    before = []
    callback = RecordingCallback()
    callback.on_snapshot = lambda evaluation, load: before.append(load().model.state_dict())
    trainer, done = train(tmp_path / "work", folder, callback)
    network = save_pretrained(tmp_path / "again")  # the same random weights
    query = network.encoder.layer[1].attention.self.query.weight
    torch.testing.assert_close(
        before[0]["layers.1.attention.query.weight"], query, atol=1e-3, rtol=1e-3
    )  # half precision
    checkpoint = checkpoints.load_folder(trainer.best, "imdb")
    explanation = explain(checkpoint, "The film was unwatchable, not a good story.")
    assert done and explanation.attention.shape[:2] == (3, 4)
    assert explanation.encoding.tokens[4:7] == ("un", "##watch", "##able")
    record = inside(checkpoint, explanation.encoding, Selected("self", 1, 2, 3, 4))
    assert record.norm == "post" and "embedding" in record.norms
    lens = class_lens(checkpoint, explanation.encoding)
    assert lens.probabilities[-1] == pytest.approx(explanation.probabilities, abs=1e-5)


def test_the_card_names_what_it_was_made_of(tmp_path, folder):
    trainer, _ = train(tmp_path / "work", folder)
    entries = checkpoints.read_info(trainer.best).metrics.entries
    card = checkpoints.read_card(trainer.best)
    assert entries["pretrained"]["name"] == "tiny-bert" and entries["recipe"]["encoder"] == f"path:{folder}"
    start = (
        f"the pre-trained encoder tiny-bert (licence mit; sha256 of its weights `{entries['pretrained']['sha256']}`)"
    )
    assert f"fine-tuned from {start}" in card
    assert f"--encoder path:{folder}" in card and "from scratch" not in card


def test_a_stopped_training_resumes_to_the_same_weights(tmp_path, folder):
    whole, _ = train(tmp_path / "whole", folder)
    _, done = train(tmp_path / "parts", folder, RecordingCallback(lambda step: step == 2))
    parts, _ = train(tmp_path / "parts", folder)
    assert not done
    first, second = (checkpoints.load_folder(trainer.best, "imdb").model.state_dict() for trainer in (whole, parts))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_tokens_are_cached_for_each_tokenizer_and_length(tmp_path, folder):
    task, cache = get_task("imdb"), corpus.PROJECT / "data" / "cache"
    reference = f"path:{folder}"
    prepared = prepare(task, "sample", encoder=reference, max_tokens=16)
    assert prepared.train.lengths.max() == 16 and prepared.text.vocabulary == 24
    again = prepare(task, "sample", encoder=reference, max_tokens=16)
    assert [row.tolist() for row in again.train.ids] == [row.tolist() for row in prepared.train.ids]
    prepare(task, "sample", encoder=reference, max_tokens=20)
    prepare(task, "sample", max_tokens=20)
    assert len(list(cache.glob("tokens-imdb-*"))) == 3


def test_a_recipe_names_an_encoder_as_text():
    with pytest.raises(ValueError, match="encoder is 3"):
        Recipe(encoder=3)
