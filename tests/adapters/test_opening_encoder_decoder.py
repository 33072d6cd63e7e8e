"""Folders of encoders with a decoder: opened, or refused in the same sentences as encoders."""

import json

import pytest
from safetensors.numpy import load_file

from tests.adapters.test_opening import edit_config, refusal
from tests.adapters.tiny_translators import T5_AND_MARIAN_FIRST, network, save_translator
from viz_core.adapters import opening
from viz_core.adapters.folder import read_folder
from viz_core.adapters.opening import LargeModel, open_model
from viz_core.models.protocol import SequenceToSequence
from viz_core.records import OTHER_TRANSLATION


@pytest.fixture
def folder(tmp_path):
    return save_translator(tmp_path / "tiny-t5")


@pytest.mark.parametrize("family", T5_AND_MARIAN_FIRST)
def test_every_family_is_opened(tmp_path, family):
    checkpoint = open_model(f"path:{save_translator(tmp_path / family, family)}")
    assert (
        isinstance(checkpoint.model, SequenceToSequence)
        and checkpoint.task.name == OTHER_TRANSLATION
        and checkpoint.name == family
    )
    assert (checkpoint.model.config.layers, checkpoint.model.config.heads) == (3, 4)
    keys = [message.key for message in checkpoint.settings.lacks]
    assert keys == ["adapters.translates", *(["adapters.position_bias"] if "t5" in family else [])]


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


def test_pickled_weights_are_refused(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert refusal(folder) == "adapters.pickled"


@pytest.mark.parametrize(
    "values, key",
    [
        (dict(d_model=64), "adapters.misfit"),
        (dict(num_layers=4, num_decoder_layers=4), "adapters.misfit"),
        (dict(vocab_size=100), "adapters.misfit"),
        (dict(num_decoder_layers=10**9), "adapters.unequal_sides"),
        (dict(num_decoder_layers=-1), "adapters.unequal_sides"),
        (dict(d_kv="wide"), "adapters.bad_config"),
        (dict(num_heads=10**6), "adapters.bad_size"),
        (dict(eos_token_id=-4), "adapters.bad_special_id"),
        (dict(auto_map={"AutoModel": "modeling.Mine"}), "adapters.remote_code"),
    ],
)
def test_a_config_that_does_not_fit_is_refused(folder, values, key):
    edit_config(folder, **values)
    assert refusal(folder) == key


def test_a_tokenizer_with_more_tokens_than_embeddings_is_refused(folder):
    network("t5", vocab_size=12, eos_token_id=1).save_pretrained(folder)
    assert refusal(folder) == "adapters.vocabulary"


def test_a_large_model_is_estimated_with_its_three_attentions(folder, monkeypatch):
    monkeypatch.setattr(opening, "LARGE", 1000)
    with pytest.raises(LargeModel) as failure:
        open_model(f"path:{folder}")
    parameters = read_folder(folder).parameters
    assert parameters == sum(tensor.size for tensor in load_file(folder / "model.safetensors").values())
    assert failure.value.message.values["needed"] == 4 * (parameters + 3 * 3 * 4 * 512**2) / 1e9


@pytest.mark.slow
def test_a_text_is_no_longer_than_what_tokenizer_and_positions_allow(tmp_path):
    folder = save_translator(tmp_path / "marian", "marian", max_position_embeddings=20)
    assert open_model(f"path:{folder}").text_encoder.max_tokens == 20
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "model_max_length": 12}))
    assert open_model(f"path:{folder}").text_encoder.max_tokens == 12
