"""GPT-2 as our encoder with causal attention: every number on the way is that of the library."""

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2Model

from tests.adapters.test_causal import TEXT, library_output, network
from tests.adapters.test_inside import assert_close
from tests.adapters.tiny_networks import byte_pairs
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.explain import CANDIDATES, explain, input_tensors
from viz_core.analysis.inside.blocks import model_blocks
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.inside import inside
from viz_core.analysis.inside.logit_lens import text_lens
from viz_core.analysis.inside.passes import Selected
from viz_core.analysis.inside.query_key_plane import queries_keys, query_key_plane
from viz_core.checkpoints import Checkpoint
from viz_core.records import Encoding, Failure

QUERY = 3
WEIGHT = Selected("causal", 1, 2, QUERY, 1)


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return adapt(network(), byte_pairs(), "tiny-gpt2")


@pytest.fixture(scope="module")
def encoding(checkpoint) -> Encoding:
    return checkpoint.text_encoder.encode(TEXT)


@pytest.fixture(scope="module")
def library(encoding):
    output = library_output(encoding, output_hidden_states=True)
    return output.logits[0, -1], [state[0] for state in output.hidden_states], [w[0] for w in output.attentions]


def test_every_step_is_that_of_the_library(checkpoint, encoding, library):
    logits, states, weights = library
    record = inside(checkpoint, encoding, WEIGHT)
    assert_close(record.query.embedded, states[0][QUERY])
    assert_close(record.query.streams[1], states[1][QUERY])
    assert_close(record.of_head.weights, weights[1][2, QUERY])
    assert_close(record.of_layer.output, states[2][QUERY])
    assert_close(record.prediction.pooled, states[-1][-1])
    probabilities, likeliest = logits.softmax(-1).topk(CANDIDATES)
    assert_close(record.prediction.probabilities, probabilities)
    assert_close(record.prediction.logits, logits[likeliest])
    assert record.prediction.labels == tuple(checkpoint.text_encoder.token(i) for i in likeliest.tolist())
    assert (record.kind, record.pooling, record.sizes["C"], record.activation) == ("causal", "last", 270, "gelu_tanh")
    assert "embedding" not in record.norms and np.isneginf(record.of_head.masked[QUERY + 1 :]).all()


def test_a_padded_text_is_computed_as_alone(checkpoint, encoding):
    ids = torch.from_numpy(np.array([encoding.ids, encoding.ids]))
    mask = torch.ones_like(ids, dtype=torch.bool)
    mask[1, 3:] = False
    with torch.inference_mode():
        both = checkpoint.model(ids, torch.zeros_like(ids), mask).logits
        alone = checkpoint.model(ids[:1, :3], torch.zeros_like(ids[:1, :3]), mask[:1, :3]).logits
    torch.testing.assert_close(both[1], alone[0], atol=1e-5, rtol=0)
    assert (both[0] - both[1]).abs().max() > 0.1


def test_a_change_leads_to_the_next_token_and_the_tokens_before_it_are_kept(checkpoint, encoding):
    before = inside(checkpoint, encoding, WEIGHT).prediction
    record = inside(checkpoint, encoding, WEIGHT, HeadChanges(values=-10, everywhere=True))
    now, labels = record.prediction, record.prediction.labels
    assert set(before.labels) <= set(labels) and len(labels) > CANDIDATES
    rows = [labels.index(label) for label in before.labels]
    np.testing.assert_allclose(record.unchanged.probabilities[rows], before.probabilities, atol=1e-6)
    assert labels[record.unchanged.predicted] == before.labels[0] and now.probabilities[0] == max(now.probabilities)


def test_output_layer_and_token_embeddings_are_counted_once(checkpoint):
    blocks = model_blocks(checkpoint.model.anatomy)
    assert (blocks[-1].name, blocks[-1].parameters) == ("classifier", 0)
    library = sum(parameter.numel() for parameter in network().parameters())
    assert sum(block.parameters for block in blocks) == checkpoint.model.config.parameters() == library


def test_the_lens_ends_with_the_prediction_and_the_plane_has_its_scores(checkpoint, encoding):
    lens, explanation = text_lens(checkpoint, encoding), explain(checkpoint, TEXT)
    assert lens.probabilities.shape == (4, len(encoding.ids))
    assert lens.outputs[-1] == lens.likeliest[-1][-1] == explanation.labels[0].replace(" ", "␣")
    ((queries, keys),) = queries_keys(checkpoint, input_tensors(encoding), [encoding], "causal", 1, 2)
    np.testing.assert_allclose(queries[QUERY] @ keys.T, inside(checkpoint, encoding, WEIGHT).of_head.scores, atol=1e-3)
    assert query_key_plane(checkpoint, [encoding], 1, 2).queries.shape == (len(encoding.ids), 2)


def test_scores_that_are_divided_otherwise_are_said():
    torch.manual_seed(0)
    settings = GPT2Config(vocab_size=270, n_embd=32, n_layer=2, n_head=4, n_positions=40, scale_attn_weights=False)
    with pytest.raises(Failure) as failure:
        _ = adapt(GPT2Model(settings).eval(), byte_pairs(), "tiny").model.anatomy
    assert failure.value.message.key == "inside.entry"
