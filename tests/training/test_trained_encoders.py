"""A checkpoint of this project as the start of another training."""

import hashlib

import pytest
import torch

from tests.tiny import save_bag, save_checkpoint
from viz_core import checkpoints
from viz_core.models.encoder import Encoder
from viz_core.records import Failure
from viz_core.tasks import get_task
from viz_core.training.settings import TrainingSettings
from viz_core.training.start import provenance, start_from, start_tokenizer


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path))
    save_checkpoint(tmp_path, "imdb")
    return tmp_path


def training(task="imdb", encoder="imdb/tiny", **sizes):
    return TrainingSettings(task, overrides=sizes, recipe={"encoder": encoder}).training()


def start(task="imdb", **sizes):
    """The untrained model, and the checkpoint that it started from."""
    source = checkpoints.load("imdb", "tiny")
    model = Encoder(training(task, **sizes).with_vocabulary(source.text_encoder.vocabulary).config).eval()
    start_from(model, "imdb/tiny", get_task(task).labels)
    return model, source


def logits(model, encoding):
    ids, segments = torch.tensor(encoding.ids)[None], torch.tensor(encoding.segments)[None]
    with torch.no_grad():
        return model(ids, segments, torch.ones_like(ids, dtype=torch.bool)).logits[0]


def test_before_its_first_step_it_predicts_what_the_checkpoint_predicts(root):
    model, source = start()
    encoding = source.text_encoder.encode("A good film.")
    torch.testing.assert_close(logits(model, encoding), logits(source.model, encoding))


def test_shorter_texts_need_the_first_positions_only(root):
    model, source = start(max_tokens=8)
    tokenizer = start_tokenizer("imdb/tiny", 8)
    text = "The plot is good, the film is bad and the rest is a good story."
    assert len(tokenizer.encode(text).ids) == 8 < len(source.text_encoder.encode(text).ids)
    assert model.embedding.position.weight.shape[0] == 8
    encoding = source.text_encoder.encode("A film.")
    torch.testing.assert_close(logits(model, encoding), logits(source.model, encoding))


def test_it_reads_no_more_tokens_than_the_checkpoint_has_positions(root):
    most = checkpoints.load("imdb", "tiny").settings.config.max_tokens
    assert training().config.max_tokens == most
    with pytest.raises(Failure, match=f"max_tokens is 99999.*imdb/tiny.*{most}"):
        training(max_tokens=99_999)


def test_another_task_has_a_classifier_of_its_own(root):
    model, source = start("thucnews")
    assert model.classifier.weight.shape == (10, source.settings.config.width)
    weight = "layers.0.attention.query.weight"
    assert torch.equal(model.state_dict()[weight], source.model.state_dict()[weight])


def test_classes_are_recognised_by_their_names_not_by_their_numbers(root):
    source = checkpoints.load("imdb", "tiny")
    model = Encoder(training().with_vocabulary(source.text_encoder.vocabulary).config).eval()
    own, theirs = model.classifier.weight.detach().clone(), source.model.classifier.weight
    start_from(model, "imdb/tiny", ("positive", "neutral"))
    assert torch.equal(model.classifier.weight[0], theirs[1]), "the second class of the checkpoint"
    assert torch.equal(model.classifier.weight[1], own[1]), "which it does not have"


def test_the_card_can_tell_what_it_was_made_of(root):
    weights = (root / "imdb" / "tiny" / checkpoints.WEIGHTS).read_bytes()
    sha256 = hashlib.sha256(weights).hexdigest()
    metrics = checkpoints.load("imdb", "tiny").metrics.entries
    training = {"recipe": {"pretrain_epochs": 3}, "device": "cpu", "wall_seconds": 90}
    checkpoints.save_metrics(root / "imdb" / "tiny", {**metrics, **training})
    assert provenance("imdb/tiny") == {"name": "imdb/tiny", "licence": "", "sha256": sha256, "training": training}
    origin = {"name": "tiny-bert", "licence": "mit", "sha256": "0"}
    training["pretrained"] = origin
    checkpoints.save_metrics(root / "imdb" / "tiny", {**metrics, **training})
    made = {"name": "imdb/tiny, made of tiny-bert", "licence": "mit", "sha256": sha256}
    assert provenance("imdb/tiny") == {**made, "training": training}
    training["recipe"] = {"encoder": "imdb/earlier"}
    training["pretrained"] = {**origin, "name": "imdb/earlier"}
    checkpoints.save_metrics(root / "imdb" / "tiny", {**metrics, **training})
    assert provenance("imdb/tiny")["name"] == "imdb/tiny", "it was made here from one that was made here"


@pytest.mark.parametrize("name", ["imdb/missing", "imdb", "chess/tiny", "imdb/bag"])
def test_anything_else_is_a_sentence(root, name):
    save_bag(root, "bag", 0.0)
    with pytest.raises(Failure, match="pretrained.no_encoder"):
        training(encoder=name)
