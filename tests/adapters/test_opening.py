"""Folders from elsewhere: what can be opened is, and everything else is refused in a sentence that says why."""

import json
import os
import struct
import subprocess
import sys
from collections import namedtuple
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from tests.adapters.rotary import ROTARY, rotary_network
from tests.adapters.test_gguf_header import entry, tensor, text, written
from tests.adapters.tiny_networks import CORE_FIRST, byte_pairs, network, wordpiece
from tests.browser import PROJECT
from viz_core.adapters import folder as folder_module
from viz_core.adapters import opening
from viz_core.adapters.folder import read_folder
from viz_core.adapters.opening import LargeModel, open_model
from viz_core.analysis.attribution.methods import attributions
from viz_core.analysis.explain import explain
from viz_core.analysis.inside.inside import inside
from viz_core.analysis.inside.passes import Selected
from viz_core.analysis.whatif import Changes, head_effects, predict_with_changes
from viz_core.language import Translator
from viz_core.records import Failure

GGUF = [
    entry("general.architecture", 8, text("gpt2")),
    *(entry(f"gpt2.{size}", 4, struct.pack("<I", 1)) for size in ("block_count", "attention.head_count")),
    entry("gpt2.embedding_length", 4, struct.pack("<I", 4)),
]
BYTES = ("roberta", "xlm-roberta", "camembert", "deberta")


def save_model(path, family="bert", kind="ForSequenceClassification", **sizes):
    """The folder of a tiny model, as the library saves it."""
    tokenizer = byte_pairs() if family in BYTES else wordpiece()
    network(family, kind, **{"vocab_size": 270, **sizes}).save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


@pytest.fixture
def folder(tmp_path):
    return save_model(tmp_path / "tiny-bert")


def edit_config(folder, **values):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **values}))


def refusal(folder, **options) -> str:
    """The key of the refusal, which is a sentence in both languages that names the model."""
    with pytest.raises(Failure) as failure:
        open_model(f"path:{folder}", **options)
    for language in ("en", "zh"):
        assert folder.name in Translator(language)(failure.value.message)
    return failure.value.message.key


@pytest.mark.parametrize("family", CORE_FIRST)
def test_a_classifier_of_every_family_is_opened_and_explained(tmp_path, family):
    checkpoint = open_model(f"path:{save_model(tmp_path / family, family)}")
    explanation = explain(checkpoint, "the cat sat on")
    assert explanation.model == family and explanation.task == "other" and explanation.threshold is None
    assert explanation.labels == ("LABEL_0", "LABEL_1", "LABEL_2")
    np.testing.assert_allclose(explanation.probabilities.sum(), 1)
    np.testing.assert_allclose(explanation.attention.sum(-1), 1, atol=1e-5)


@pytest.mark.parametrize("family", ROTARY)
def test_a_language_model_is_opened_from_its_folder_and_followed(tmp_path, family):
    """Also where the names of weights in a file are older than the library's, as those of GPT-NeoX."""
    network = rotary_network(family)
    network.save_pretrained(tmp_path / family)
    byte_pairs().save_pretrained(tmp_path / family)
    checkpoint = open_model(f"path:{tmp_path / family}")
    encoding = checkpoint.text_encoder.encode("the cat sat")
    record = inside(checkpoint, encoding, Selected("causal", 1, 2, 2, 1))
    with torch.no_grad():
        logits = network(input_ids=torch.tensor(encoding.ids)[None]).logits[0, -1]
    np.testing.assert_allclose(record.prediction.logits[0], logits.max(), atol=1e-4)


def test_the_names_of_the_classes_are_those_of_its_config(folder):
    edit_config(folder, id2label={"0": "sad", "1": "glad", "2": "neither"})
    assert explain(open_model(f"path:{folder}"), "the cat").labels == ("sad", "glad", "neither")


def test_texts_and_pairs_are_both_read(folder):
    checkpoint = open_model(f"path:{folder}")
    assert explain(checkpoint, "the cat", "the mat").encoding.texts == ("the cat", "the mat")
    assert explain(checkpoint, "the cat").encoding.texts == ("the cat",)


def test_what_if_changes_heads_and_tokens_of_it(folder):
    checkpoint = open_model(f"path:{folder}")
    encoding = explain(checkpoint, "the cat sat on the mat").encoding
    unchanged, masked, unknown = predict_with_changes(
        checkpoint, encoding, [Changes(), Changes(masked=frozenset({(0, 1)})), Changes(unknown=frozenset({2}))]
    )
    effects = head_effects(checkpoint, encoding)
    np.testing.assert_allclose(effects[0, 1], masked[-1] - unchanged[-1], atol=1e-6)
    assert effects.shape == (3, 4) and abs(effects).max() > 1e-4
    replaced = explain(checkpoint, "the 花 sat on the mat").probabilities  # which its tokenizer does not know
    np.testing.assert_allclose(unknown, replaced, atol=1e-6)


@pytest.mark.parametrize(
    "family",
    [
        "bert",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("roberta", "distilbert", "mpnet", "deberta-v2")),
    ],
)
def test_tokens_of_it_are_scored_and_integrated_gradients_add_up(tmp_path, family):
    checkpoint = open_model(f"path:{save_model(tmp_path / family, family)}")
    scores = {score.method: score for score in attributions(checkpoint, explain(checkpoint, "the cat sat on"))}
    assert len(scores) == 5 and all(np.isfinite(score.values).all() for score in scores.values())
    assert abs(scores["leave_one_out"].values).max() > 1e-4
    gradients = scores["integrated_gradients"]
    assert gradients.gap < 0.05 and abs(gradients.values).max() > 1e-4
    special = explain(checkpoint, "the cat sat on").encoding.special
    assert abs(gradients.values[special]).max() == 0  # they are the same in the baseline


@pytest.mark.parametrize("kind", ["Model", "ForMaskedLM"])
def test_a_model_without_a_classifier_has_attention_and_no_prediction(tmp_path, kind):
    checkpoint = open_model(f"path:{save_model(tmp_path / 'base', kind=kind)}")
    explanation = explain(checkpoint, "the cat")
    assert not explanation.has_prediction and explanation.attention.shape == (3, 4, 4, 4)
    assert [message.key for message in checkpoint.settings.lacks] == ["adapters.lacks_classifier"]


@pytest.mark.parametrize("problem", [dict(num_labels=1), dict(problem_type="multi_label_classification")])
def test_a_score_or_several_labels_at_once_are_no_prediction(tmp_path, problem):
    """Their outputs are no probabilities of classes, which sum to 1."""
    checkpoint = open_model(f"path:{save_model(tmp_path / 'scores', **problem)}")
    assert not explain(checkpoint, "the cat").has_prediction


@pytest.mark.parametrize(
    "file, key",
    [
        ("config.json", "adapters.no_config"),
        ("model.safetensors", "adapters.no_weights"),
        ("tokenizer.json", "adapters.no_tokenizer"),
    ],
)
def test_a_folder_that_lacks_a_file_is_refused(folder, file, key):
    (folder / file).unlink()
    assert refusal(folder) == key


def test_pickled_weights_are_refused_and_not_read(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert refusal(folder) == "adapters.pickled"


@pytest.mark.parametrize("others", [("config.json", "tokenizer.json"), ()])
def test_a_gguf_file_that_is_none_is_refused(folder, others):
    """Alone, as a folder often has it, or beside a config and a tokenizer."""
    (folder / "model.safetensors").rename(folder / "model.Q4.gguf")
    for file in others:
        (folder / file).unlink()
    assert refusal(folder) == "adapters.unreadable"


@pytest.fixture
def gguf_folder(tmp_path):
    """A header without the weights."""
    file, _ = written(tmp_path, entries=GGUF, tensors=[tensor("token_embd.weight", 4, 4)])
    return file.parent


def test_a_gguf_folder_without_what_reads_it_or_with_a_choice_is_refused_with_what_to_do(gguf_folder, monkeypatch):
    monkeypatch.setattr(opening, "find_spec", lambda name: None if name == "gguf" else name)
    assert refusal(gguf_folder) == "adapters.gguf_packages"
    (gguf_folder / "other.gguf").write_bytes(b"")
    assert refusal(gguf_folder) == "adapters.gguf_several"


def test_what_a_gguf_header_says_is_judged_before_anything_is_unpacked(gguf_folder, monkeypatch):
    monkeypatch.setattr(opening, "find_spec", lambda name: name)
    monkeypatch.setattr(opening, "try_converting", lambda *_: pytest.fail("it was unpacked"))
    monkeypatch.setattr(opening, "LARGE", 63)
    summary = read_folder(gguf_folder)
    assert (summary.family, summary.parameters, summary.bytes) == ("gpt2", 16, 64)
    assert refusal(gguf_folder) == "adapters.large"
    monkeypatch.setattr(opening, "disk_usage", lambda _: SimpleNamespace(free=63))
    with pytest.raises(Failure) as failure:
        open_model(f"path:{gguf_folder}", accept_large=True)
    assert failure.value.message.key == "adapters.gguf_disk"
    monkeypatch.setattr(folder_module, "MOST_BYTES", 63)
    assert refusal(gguf_folder) == "adapters.gguf_large"
    written(gguf_folder, entries=GGUF[:-1], tensors=[])
    assert refusal(gguf_folder) == "adapters.bad_size"
    written(gguf_folder, entries=[entry("general.architecture", 8, text("deci"))], tensors=[])
    assert refusal(gguf_folder) == "adapters.unknown_family"


def test_a_slow_tokenizer_is_refused(folder):
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\nthe\n")
    assert refusal(folder) == "adapters.slow_tokenizer"


@pytest.mark.parametrize("file", ["config.json", "model.safetensors"])
def test_a_damaged_file_is_refused(folder, file):
    (folder / file).write_bytes(b"{")
    assert refusal(folder) == "adapters.unreadable"


def test_a_damaged_tokenizer_is_refused(folder):
    (folder / "tokenizer.json").write_text("{}")
    assert refusal(folder) == "adapters.unreadable_model"


@pytest.mark.parametrize(
    "values, key",
    [
        (dict(hidden_size=64), "adapters.misfit"),
        (dict(num_hidden_layers=4), "adapters.misfit"),
        (dict(vocab_size=100), "adapters.misfit"),
        (dict(num_attention_heads=5), "adapters.bad_config"),
        (dict(num_hidden_layers=-1), "adapters.bad_size"),
        (dict(hidden_size=10**6), "adapters.bad_size"),
        (dict(num_attention_heads="many"), "adapters.bad_size"),
        (dict(model_type="xlnet"), "adapters.unknown_family"),
        (dict(model_type=None), "adapters.no_config"),
        (dict(auto_map={"AutoModel": "modeling.Mine"}), "adapters.remote_code"),
    ],
)
def test_a_config_that_does_not_fit_is_refused(folder, values, key):
    edit_config(folder, **values)
    assert refusal(folder) == key


def test_how_many_weights_are_missing_is_said(folder):
    edit_config(folder, num_hidden_layers=5)  # two more layers of 16 tensors
    with pytest.raises(Failure) as failure:
        open_model(f"path:{folder}")
    assert failure.value.message.values["reason"].values["count"] == 32


@pytest.mark.parametrize("value", [float("nan"), "x", -1])
def test_a_config_with_which_nothing_can_be_computed_is_refused(folder, value):
    edit_config(folder, classifier_dropout=value)
    assert refusal(folder) in ("adapters.unreadable_model", "adapters.bad_config")


@pytest.mark.parametrize("value", ["", None, -3, []])
def test_a_tokenizer_config_that_says_nonsense_is_refused(folder, value):
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "model_max_length": value}))
    if value is None:  # as if it said nothing
        assert open_model(f"path:{folder}").text_encoder.max_tokens == 40
    else:
        assert refusal(folder) == "adapters.unreadable_model"


@pytest.mark.process
@pytest.mark.slow
def test_two_visitors_may_open_models_at_the_same_moment(folder):
    """In a fresh process: whoever imports a library first makes the other wait, also for what is on the hub."""
    code = """
import sys
from concurrent.futures import ThreadPoolExecutor
from viz_core.adapters.opening import open_model
from viz_core.adapters.references import library_lock
from viz_core.records import Failure

def watch(event, arguments):
    if event == "import" and arguments[0] in ("transformers", "huggingface_hub") and not library_lock._is_owned():
        print("imported without the lock:", arguments[0])

sys.addaudithook(watch)

def name(reference):
    try:
        return open_model(reference).name
    except Failure as failure:
        return failure.message.key

print(*ThreadPoolExecutor(3).map(name, sys.argv[1:]))
"""
    arguments = [sys.executable, "-c", code, "hf:ours/none", *[f"path:{folder}"] * 2]
    run = subprocess.run(
        arguments, capture_output=True, text=True, cwd=PROJECT, env={**os.environ, "HF_HUB_OFFLINE": "1"}
    )
    assert run.stdout.split() == ["adapters.hub_unreachable", "tiny-bert", "tiny-bert"], run.stderr


ENDLESS = {"type": "Split", "pattern": {"Regex": "(q+)+[cd]"}, "behavior": "Isolated", "invert": False}


@pytest.mark.parametrize("file", ["tokenizer.json", "tokenizer.4.0.0.json"])
def test_a_tokenizer_that_may_take_forever_is_refused_whatever_its_file(folder, file):
    """The library takes the file of the newest version that the settings name."""
    content = json.loads((folder / "tokenizer.json").read_text())
    (folder / file).write_text(json.dumps({**content, "pre_tokenizer": ENDLESS}))
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    files = {"fast_tokenizer_files": ["tokenizer.json", file]}
    (folder / "tokenizer_config.json").write_text(json.dumps({**settings, **files}))
    assert refusal(folder) == "adapters.unknown_part"


@pytest.mark.parametrize("file", ["model.safetensors", "model-00001-of-00001.safetensors"])
def test_a_file_that_only_claims_to_be_large_is_refused(folder, file):
    (folder / "model.safetensors").rename(folder / file)
    if file != "model.safetensors":
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"any": file}}))
    os.truncate(folder / file, 400 * 10**9)  # without taking room on the disk
    assert refusal(folder) == "adapters.large_download"


def test_a_folder_with_a_pipe_is_refused(folder):
    os.mkfifo(folder / "generation_config.json")
    assert refusal(folder) == "adapters.unreadable"


def test_weights_that_are_no_numbers_are_refused(folder):
    weights = load_file(folder / "model.safetensors")
    weights["classifier.bias"][0] = np.nan
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    assert refusal(folder) == "checkpoints.not_finite"


def test_a_tokenizer_with_more_tokens_than_embeddings_is_refused(folder):
    network("bert", vocab_size=20).save_pretrained(folder)
    assert refusal(folder) == "adapters.vocabulary"


def test_weights_in_several_files_are_read_by_their_index(tmp_path, folder):
    sharded = tmp_path / "sharded"
    network("bert", vocab_size=270).save_pretrained(sharded, max_shard_size="20KB")
    wordpiece().save_pretrained(sharded)
    assert len(list(sharded.glob("model-*.safetensors"))) > 1 and not (sharded / "model.safetensors").exists()
    both = [explain(open_model(f"path:{path}"), "the cat").probabilities for path in (folder, sharded)]
    np.testing.assert_allclose(*both, atol=1e-6)
    next(sharded.glob("model-*.safetensors")).unlink()
    assert refusal(sharded) == "adapters.missing_file"


def test_a_large_model_is_estimated_and_opened_when_accepted(folder, monkeypatch):
    monkeypatch.setattr(opening, "LARGE", 1000)
    with pytest.raises(LargeModel) as failure:
        open_model(f"path:{folder}")
    values, parameters = failure.value.message.values, read_folder(folder).parameters
    assert parameters == sum(tensor.size for tensor in load_file(folder / "model.safetensors").values())
    assert values["needed"] == 4 * (parameters + 3 * 4 * 512**2) / 1e9
    assert open_model(f"path:{folder}", accept_large=True).model.config.layers == 3


def test_a_model_that_does_not_fit_into_memory_is_refused(folder, monkeypatch):
    memory = namedtuple("Memory", "available")
    monkeypatch.setattr(opening.psutil, "virtual_memory", lambda: memory(10**6))
    assert refusal(folder, accept_large=True) == "adapters.no_memory"


def test_half_precision_is_computed_in_single(tmp_path):
    path = tmp_path / "half"
    network("bert", vocab_size=270).half().save_pretrained(path)
    wordpiece().save_pretrained(path)
    checkpoint = open_model(f"path:{path}")
    assert next(checkpoint.model.parameters()).dtype == torch.float32
