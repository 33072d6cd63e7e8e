"""Checkpoint folders that anyone may have written: each is refused in a sentence of its own, and harms no other.

Every case is checked without building a model of the sizes that it names.
"""

import json
import os
import struct
import sys
from dataclasses import asdict

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from tests.tiny import config, save_checkpoint
from viz_core import checkpoints
from viz_core.checkpoints import CARD, CONFIG, METRICS, TOKENIZER, WEIGHTS, read_card
from viz_core.checkpoints.reading import MAX_CARD
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Failure, Message

DEEP = '{"a":' * 200_000 + "1" + "}" * 200_000


@pytest.fixture
def damaged_model(checkpoints_dir):
    """The folder of a model beside a good one."""
    return save_checkpoint(checkpoints_dir, "imdb", "broken")


def refusal(folder) -> Message:
    """The Failure of loading the model, a sentence that names it; the other models stay usable."""
    with pytest.raises(Failure) as failure:
        checkpoints.load("imdb", folder.name)
    for language in LANGUAGES:
        sentence = Translator(language)(failure.value.message)
        assert f"imdb/{folder.name}" in sentence and len(sentence) < 700
    assert checkpoints.load("imdb", "tiny").name == "tiny"
    infos, failures = checkpoints.list_checkpoints()
    assert ("imdb", "tiny") in {(info.task, info.name) for info in infos} and len(failures) <= 1
    return failure.value.message


def change(file, **changes) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **changes}), "utf-8")


def change_sizes(folder, **sizes) -> None:
    change(folder / CONFIG, encoder={**json.loads((folder / CONFIG).read_text("utf-8"))["encoder"], **sizes})


CONTENTS = [DEEP, "[" * 200_000, '{"a": "\\ud800"}', "[1]"]


@pytest.mark.parametrize("file", [CONFIG, METRICS, TOKENIZER])
@pytest.mark.parametrize("content", CONTENTS, ids=["objects", "lists", "surrogate", "a list"])
def test_json_that_no_parser_should_follow_is_refused(damaged_model, file, content):
    (damaged_model / file).write_text(content, "utf-8")
    message = refusal(damaged_model)
    assert (message.key, message.values["file"]) == ("checkpoints.corrupt", file)


def size(**sizes) -> dict:
    return {"encoder": asdict(config()) | sizes}


CONFIGS = [
    (size(layers=10**5), "layers is 100000: it must be at most 64"),
    (size(layers=10**4200), "layers is 1000"),
    (size(layers=True), "layers is True"),
    (size(layers=2.0), "layers is 2.0"),
    (size(layers="2"), "layers is '2'"),
    (size(layers=[]), "layers is []"),
    (size(heads=None), "heads is None"),
    (size(heads=3), "heads"),
    (size(vocabulary=10**12), "vocabulary is 1000000000000"),
    (size(max_tokens=10**6), "max_tokens is 1000000"),
    (size(width=10**6), "width is 1000000"),
    (size(classes=10**9), "classes is 1000000000"),
    (size(segments=10**9), "segments is 1000000000"),
    (size(dropout="much"), "dropout is 'much'"),
    (size(dropout=float("nan")), "dropout is nan"),
    (size(attention_dropout=[0]), "attention_dropout is "),
    (size(overlap="yes"), "overlap is 'yes': it must be one of False, True"),
    (size(norm=["pre"]), "norm is ['pre']"),
    (size(pooling={}), "pooling is {}"),
    (size(surprise=1), "no setting named surprise"),
    (size(vocabulary=10**6, width=8192, heads=1), "parameters: at most 1,000,000,000"),
    (size(max_tokens=8192, heads=8, layers=1), "536,870,912 attention weights in 1 layers of 8 heads"),
    ({"encoder": {}}, ""),
    ({"encoder": 7}, ""),
    ({"encoder": None}, ""),
    ({"task": ["imdb"]}, ""),
    ({"task": "poems"}, ""),
    ({"kind": {}}, ""),
    ({"kind": "gpt"}, ""),
    ({"temperature": 0}, "temperature is 0"),
    ({"temperature": 10**400}, ""),
    ({"temperature": 1e-300}, ""),
    ({"temperature": True}, "temperature is True"),
    ({"temperature": "1e400"}, ""),
    ({"temperature": float("nan")}, "temperature is nan"),
    ({"threshold": 1.5}, "threshold is 1.5"),
    ({"threshold": True}, ""),
    ({"threshold": [0.5]}, ""),
    ({"caution": {}}, ""),
    ({"caution": "x" * 10**6}, ""),
    ({"surprise": 1}, "surprise"),
    ({"x" * 10**6: 1}, ""),
]


@pytest.mark.parametrize("changes, reason", CONFIGS, ids=lambda part: str(part)[:40])
def test_a_config_of_no_model_is_refused_before_anything_is_built(damaged_model, monkeypatch, changes, reason):
    change(damaged_model / CONFIG, **changes)
    with monkeypatch.context() as patched, pytest.raises(Failure) as failure:
        patched.setattr(nn.Module, "load_state_dict", None)
        checkpoints.read_info(damaged_model)
    assert failure.value.message.key == "checkpoints.bad_config"
    assert reason in str(failure.value.message.values["reason"])
    assert refusal(damaged_model) == failure.value.message


def test_a_temperature_of_1e400_is_refused(damaged_model):
    text = (damaged_model / CONFIG).read_text("utf-8")
    (damaged_model / CONFIG).write_text(text.replace('"temperature": 2.0', '"temperature": 1e400'), "utf-8")
    assert refusal(damaged_model).values["reason"] == "temperature is inf: it must be a number, 0.001 to 1000"


def change_weights(folder, change) -> None:
    weights = load_file(folder / WEIGHTS)
    save_file({name: change(name, tensor) for name, tensor in weights.items()}, folder / WEIGHTS)


def test_sizes_are_compared_before_memory_is_allocated(damaged_model, monkeypatch):
    """4 GB of embeddings would be built before the file is read."""
    change_sizes(damaged_model, vocabulary=10**6, width=512, heads=2)
    monkeypatch.setattr(nn.Module, "load_state_dict", None)
    with pytest.raises(Failure) as failure:
        checkpoints.load("imdb", "broken")
    values = failure.value.message.values["reason"].values
    assert failure.value.message.key == "checkpoints.misfit" and values["expected"] == "[1000000, 512]"


@pytest.mark.parametrize(
    "damage, key",
    [
        (lambda weights: weights.popitem(), "checkpoints.missing_tensor"),
        (lambda weights: weights.update(surprise=torch.zeros(1)), "checkpoints.unknown_tensor"),
        (lambda weights: weights.update({"classifier.bias": torch.zeros(3)}), "checkpoints.tensor_shape"),
        (lambda weights: weights.update({"classifier.bias": torch.zeros(())}), "checkpoints.tensor_shape"),
    ],
    ids=["missing", "unknown", "shape", "scalar"],
)
def test_other_tensors_than_those_of_the_model_are_refused(damaged_model, damage, key):
    weights = load_file(damaged_model / WEIGHTS)
    damage(weights)
    save_file(weights, damaged_model / WEIGHTS)
    message = refusal(damaged_model)
    assert (message.key, message.values["reason"].key) == ("checkpoints.misfit", key)


MISFITS = [
    dict(width=16),
    dict(layers=3),
    dict(layers=1),
    dict(vocabulary=31),
    dict(overlap=True),
    dict(feedforward=99),
]


@pytest.mark.parametrize("sizes", MISFITS, ids=str)
def test_other_sizes_than_those_of_the_weights_are_refused(damaged_model, sizes):
    change_sizes(damaged_model, **sizes)
    assert refusal(damaged_model).key == "checkpoints.misfit"


@pytest.mark.parametrize("dtype", [torch.int32, torch.int8, torch.bool, torch.uint8], ids=str)
def test_weights_that_are_no_floating_point_numbers_are_refused(damaged_model, dtype):
    change_weights(damaged_model, lambda name, tensor: tensor.to(dtype) if name == "classifier.weight" else tensor)
    message = refusal(damaged_model)
    assert (message.key, message.values["tensor"]) == ("checkpoints.not_floats", "classifier.weight")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_floating_point_weights_of_any_precision_are_read(damaged_model, dtype):
    change_weights(damaged_model, lambda _, tensor: tensor.to(dtype))
    model = checkpoints.load("imdb", "broken").model
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_weights_that_are_not_finite_are_refused(damaged_model, value):
    change_weights(damaged_model, lambda name, tensor: tensor.index_fill(0, torch.tensor([0]), value))
    message = refusal(damaged_model)
    assert message.key == "checkpoints.not_finite" and 0 < message.values["invalid"] < message.values["total"]


HEADERS = [
    {"classifier.bias": {"dtype": "F32", "shape": [2**60], "data_offsets": [0, 2**62]}},
    {"classifier.bias": {"dtype": "F4", "shape": [1], "data_offsets": [0, 4]}},
    {"classifier.bias": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}},
    {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "b": 7},
]


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: json.dumps(header)[:40])
def test_a_header_of_the_weights_that_cannot_be_true_is_refused(damaged_model, header):
    content = json.dumps(header).encode()
    (damaged_model / WEIGHTS).write_bytes(struct.pack("<Q", len(content)) + content + b"\0" * 4)
    assert refusal(damaged_model).key == "checkpoints.corrupt"


def test_a_model_of_another_task_is_listed_as_unusable(damaged_model):
    change(damaged_model / CONFIG, task="afqmc")
    values = {"name": "imdb/broken", "trained_task": "afqmc", "task": "imdb"}
    assert refusal(damaged_model) == Message("checkpoints.wrong_task", values)
    assert checkpoints.find("imdb", "broken") is None
    assert [failure.message.key for failure in checkpoints.list_checkpoints()[1]] == ["checkpoints.wrong_task"]


@pytest.mark.skipif(sys.platform == "win32", reason="has no named pipes")
@pytest.mark.parametrize("file", [CONFIG, METRICS, TOKENIZER, WEIGHTS])
@pytest.mark.parametrize("endless", ["pipe", "device"])
def test_what_never_ends_is_not_read(damaged_model, file, endless):
    (damaged_model / file).unlink()
    if endless == "pipe":
        os.mkfifo(damaged_model / file)
    else:
        (damaged_model / file).symlink_to("/dev/zero")
    message = refusal(damaged_model)
    assert message.values["file"] == file and "a pipe or a device" in message.values["reason"]


def test_a_card_is_shown_up_to_its_limit(damaged_model):
    (damaged_model / CARD).write_bytes(b"# " + b"x" * 2 * MAX_CARD)
    assert len(read_card(damaged_model)) == MAX_CARD


@pytest.mark.skipif(sys.platform == "win32", reason="has no named pipes")
def test_a_card_that_is_a_link_or_never_ends_is_not_shown(damaged_model, tmp_path):
    card, secret = damaged_model / CARD, tmp_path / "secret"
    secret.write_text("of the server", "utf-8")
    card.unlink(missing_ok=True)
    card.symlink_to(secret)
    assert read_card(damaged_model) == ""
    card.unlink()
    os.mkfifo(card)
    assert read_card(damaged_model) == ""
