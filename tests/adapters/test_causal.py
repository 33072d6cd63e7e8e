"""GPT-2: causal attention of a text, and the likeliest next tokens."""

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, GPT2Model

from tests.adapters.tiny_networks import byte_pairs
from viz_core.adapters.checkpoint import adapt
from viz_core.adapters.opening import open_model
from viz_core.analysis.explain import CANDIDATES, explain, explain_batch
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.analysis.selection import attention_map
from viz_core.analysis.value_norms import value_norms
from viz_core.models.protocol import on_weights

TEXT = "cat sat cat é"


def network(cls=GPT2LMHeadModel):
    torch.manual_seed(0)
    net = cls(GPT2Config(vocab_size=270, n_embd=32, n_layer=3, n_head=4, n_positions=40, eos_token_id=2)).eval()
    for parameter in net.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    return net


@pytest.fixture(scope="module")
def checkpoint():
    return adapt(network(), byte_pairs(), "tiny-gpt2")


def library_output(encoding, **options):
    net = network()
    net.set_attn_implementation("eager")
    with torch.no_grad():
        return net(input_ids=torch.from_numpy(encoding.ids.copy())[None], output_attentions=True, **options)


def test_attention_and_candidates_are_those_of_the_library(checkpoint):
    explanation = explain(checkpoint, TEXT)
    output = library_output(explanation.encoding)
    weights = torch.stack(output.attentions)[:, 0]
    torch.testing.assert_close(torch.from_numpy(explanation.attention.copy()), weights, atol=1e-5, rtol=0)
    probabilities, likeliest = output.logits[0, -1].double().softmax(-1).topk(CANDIDATES)
    np.testing.assert_allclose(explanation.probabilities, probabilities, atol=1e-6)
    assert explanation.labels == tuple(checkpoint.text_encoder.token(index) for index in likeliest.tolist())
    assert explanation.predicted == 0 and explanation.threshold is None and explanation.kind == "causal"


def test_no_query_attends_to_a_later_token_and_maps_say_so(checkpoint):
    explanation = explain(checkpoint, TEXT)
    T = len(explanation.encoding.ids)
    assert (explanation.attention[..., *np.triu_indices(T, 1)] == 0).all()
    assert attention_map(explanation, 0, 0).reach.tolist() == list(range(1, T + 1))
    statistics = head_statistics(explanation)
    assert statistics.next is None and statistics.previous.shape == (3, 4)
    assert value_norms(checkpoint, explanation.encoding).shape == (3, 4, T)


def test_a_padded_text_gets_the_candidates_of_its_own_last_token(checkpoint):
    encodings = [checkpoint.text_encoder.encode(text) for text in ("cat", TEXT)]
    for together, text in zip(explain_batch(checkpoint, encodings), ("cat", TEXT), strict=True):
        alone = explain(checkpoint, text)
        assert together.labels == alone.labels
        np.testing.assert_allclose(together.probabilities, alone.probabilities, atol=1e-5)


def test_the_hook_changes_it_and_a_pass_can_start_from_its_embeddings(checkpoint):
    ids = torch.from_numpy(explain(checkpoint, TEXT).encoding.ids.copy())[None]
    tensors, model = (ids, torch.zeros_like(ids), torch.ones_like(ids, dtype=torch.bool)), checkpoint.model
    with torch.no_grad():
        logits = model(*tensors).logits
        again = model.from_embeddings(model.embed(*tensors), tensors[2]).logits
        without = model(*tensors, hook=on_weights(lambda layer, weights: weights * 0)).logits
    torch.testing.assert_close(again, logits, atol=1e-4, rtol=1e-4)
    assert not torch.allclose(without, logits, atol=1e-3)


@pytest.mark.parametrize("cls, classes", [(GPT2LMHeadModel, CANDIDATES), (GPT2Model, 0)])
def test_a_folder_is_opened(tmp_path, cls, classes):
    network(cls).save_pretrained(tmp_path / "gpt2")
    byte_pairs().save_pretrained(tmp_path / "gpt2")
    opened = open_model(f"path:{tmp_path / 'gpt2'}")
    assert len(explain(opened, TEXT).probabilities) == classes
    key = "adapters.next_token" if classes else "adapters.lacks_classifier"
    assert [message.key for message in opened.settings.lacks] == [key]
