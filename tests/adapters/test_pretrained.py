"""What a folder says about its encoder becomes our config, or a sentence says why not."""

import pytest

from tests.adapters.tiny_folder import change_config, save_pretrained
from viz_core.adapters.pretrained import read_pretrained
from viz_core.records import Failure
from viz_core.training.settings import TrainingSettings


def training(folder, task="imdb", preset="finetune", encoder=None, **recipe):
    settings = {"encoder": f"path:{folder}", **recipe}
    return TrainingSettings(task, preset, overrides=encoder or {}, recipe=settings).training()


def test_sizes_are_those_of_the_folder_and_the_rest_is_of_the_preset(tmp_path):
    save_pretrained(tmp_path)
    model = training(tmp_path, encoder={"dropout": 0.2}).config
    sizes = model.layers, model.heads, model.width, model.feedforward, model.segments, model.max_tokens
    assert sizes == (3, 4, 32, 48, 2, 40)
    assert (model.norm, model.embedding_norm, model.norm_epsilon, model.activation) == ("post", True, 1e-12, "gelu")
    assert (model.dropout, model.pooling, model.classes) == (0.2, "mean", 2)


def test_it_is_named_by_its_card_or_by_its_folder(tmp_path):
    save_pretrained(tmp_path / "folder")
    assert (named := read_pretrained(f"path:{tmp_path}/folder")).name == "tiny-bert" and named.licence == "mit"
    (tmp_path / "folder" / "README.md").unlink()
    assert (named := read_pretrained(f"path:{tmp_path}/folder")).name == "folder" and named.licence == ""


@pytest.mark.parametrize(
    "encoder, reason",
    [
        ({"layers": 2}, "layers is 2: tiny-bert, which it starts from, has 3"),
        ({"norm": "pre"}, "norm is pre: tiny-bert, which it starts from, has post"),
        ({"max_tokens": 41}, "max_tokens is 41: tiny-bert, which it starts from, has 40"),
        ({"max_tokens": 4}, "max_tokens=4 .* 5"),
    ],
)
def test_settings_that_contradict_the_weights_are_refused(tmp_path, encoder, reason):
    save_pretrained(tmp_path)
    with pytest.raises(Failure, match=reason):
        training(tmp_path, encoder=encoder)


@pytest.mark.parametrize(
    "task, preset, recipe, reason",
    [
        ("imdb", "bag", {}, "bag model cannot start from it"),
        ("tatoeba", "small", {}, "encoder_decoder model cannot start from it"),
        ("thucnews", "small", {"units": "words"}, "units and embeddings cannot be set"),
        ("imdb", "small", {"embeddings": "skipgram"}, "units and embeddings cannot be set"),
    ],
)
def test_what_has_no_use_for_a_pretrained_encoder_is_refused(tmp_path, task, preset, recipe, reason):
    save_pretrained(tmp_path)
    with pytest.raises(Failure, match=reason):
        training(tmp_path, task, preset, **recipe)


@pytest.mark.parametrize(
    "entries, reason",
    [
        ({"hidden_act": "gelu_new"}, "hidden_act is 'gelu_new': our encoder has gelu and relu"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type is 'relative_key'"),
        ({"is_decoder": True}, "is_decoder is True: only False"),
        ({"num_attention_heads": 5}, "width 32 is not divisible by 5 heads"),
        ({"num_hidden_layers": "3"}, "layers is '3': it must be a whole number"),
        ({"layer_norm_eps": -1}, "norm_epsilon is -1"),
        ({"type_vocab_size": 1}, "type_vocab_size is 1: "),
        ({"embedding_size": 16}, "embedding_size is 16, hidden_size 32"),
    ],
)
def test_a_config_that_is_not_ours_is_refused_with_its_entry(tmp_path, entries, reason):
    save_pretrained(tmp_path)
    change_config(tmp_path, **entries)
    with pytest.raises(Failure, match=reason) as failure:
        read_pretrained(f"path:{tmp_path}")
    assert failure.value.message.key == "pretrained.bad_config"


def test_a_family_with_another_computation_is_refused_with_those_that_can_be_used(tmp_path):
    save_pretrained(tmp_path, "roberta")
    with pytest.raises(Failure, match=r"'roberta'.*BERT.*ELECTRA.*DistilBERT"):
        read_pretrained(f"path:{tmp_path}")
