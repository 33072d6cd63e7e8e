"""An encoder of ours, opened by transformers as BERT, computes the same."""

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from tests.tasks.own import add_task, table
from viz_core import checkpoints
from viz_core.adapters.checkpoint import adapt
from viz_core.adapters.export import export_folder, misfit
from viz_core.analysis.explain import explain
from viz_core.checkpoints import Settings
from viz_core.models.kinds import KINDS
from viz_core.records import Failure
from viz_core.tasks import get_task
from viz_core.training.settings import model_config

AS_BERT = dict(layers=2, heads=2, width=16, feedforward=24, norm="post", embedding_norm=True, pooling="cls")


def checkpoint(tmp_path, task: str, kind: str = "encoder", **fields) -> checkpoints.Checkpoint:
    """An untrained model with large weights, of which small differences would be seen."""
    record = get_task(task)
    tokenizer = record.build_tokenizer(record.texts(record.read("train", "sample")), record.max_tokens)
    text = record.text_encoder(tokenizer)
    values = {**(AS_BERT if kind == "encoder" else {}), **fields}
    config = model_config(record, kind, values, text.vocabulary)
    torch.manual_seed(0)
    model = KINDS[kind].build(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    settings = Settings(task, config, temperature=1.7, kind=kind)
    checkpoints.save(tmp_path / "model", settings, model, text, {})
    return checkpoints.load_folder(tmp_path / "model", task)


@pytest.fixture
def task() -> str:
    return add_task().name


@pytest.mark.parametrize("activation", ["gelu", "relu"])
def test_transformers_predicts_the_same(tmp_path, task, activation):
    ours = checkpoint(tmp_path, task, activation=activation)
    export_folder(ours, tmp_path / "bert")
    network = AutoModelForSequenceClassification.from_pretrained(tmp_path / "bert").eval()
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "bert")
    texts = list(table()["text"][:12])
    with torch.no_grad():
        logits = network(**tokenizer(texts, padding=True, return_tensors="pt")).logits
    expected = np.stack([explain(ours, text).probabilities for text in texts])
    np.testing.assert_allclose(logits.softmax(-1).numpy(), expected, atol=1e-5)
    assert network.config.id2label == dict(enumerate(ours.task.labels))


def test_a_pair_is_read_as_a_pair(tmp_path):
    ours = checkpoint(tmp_path, "afqmc", overlap=False)
    export_folder(ours, tmp_path / "bert")
    network = AutoModelForSequenceClassification.from_pretrained(tmp_path / "bert").eval()
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "bert")
    texts = ("花呗怎么还款", "花呗如何还钱")
    with torch.no_grad():
        logits = network(**tokenizer(*texts, return_tensors="pt")).logits[0]
    np.testing.assert_allclose(logits.softmax(-1).numpy(), explain(ours, *texts).probabilities, atol=1e-5)


def test_the_attention_of_the_exported_model_is_the_same(tmp_path, task):
    ours = checkpoint(tmp_path, task)
    export_folder(ours, tmp_path / "bert")
    network = AutoModelForSequenceClassification.from_pretrained(tmp_path / "bert", attn_implementation="eager").eval()
    theirs = adapt(network, AutoTokenizer.from_pretrained(tmp_path / "bert"))
    text = table()["text"][3]
    np.testing.assert_allclose(explain(theirs, text).attention, explain(ours, text).attention, atol=1e-5)


@pytest.mark.parametrize(
    ("fields", "setting"),
    [
        ({"norm": "pre", "embedding_norm": False}, "norm"),
        ({"pooling": "mean"}, "pooling"),
        ({"positions": "sinusoidal"}, "positions"),
    ],
)
def test_what_bert_does_not_compute_is_said(tmp_path, task, fields, setting):
    ours = checkpoint(tmp_path, task, **fields)
    assert misfit(ours).values["setting"] == setting
    with pytest.raises(Failure, match="export.impossible"):
        export_folder(ours, tmp_path / "bert")
    assert not (tmp_path / "bert").exists()


def test_other_kinds_are_no_bert(tmp_path, task):
    assert misfit(checkpoint(tmp_path, task, "bag", width=8, bigrams=100)).key == "export.no_encoder"
