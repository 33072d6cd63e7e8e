"""The methods on a language model: they attribute the next token, and its first token always stays."""

import numpy as np
import pytest
import torch
from tokenizers import processors

from tests.adapters.test_language_model import network
from tests.adapters.tiny_networks import byte_pairs
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.attribution.faithfulness import faithfulness
from viz_core.analysis.attribution.methods import METHODS, attributions
from viz_core.analysis.explain import explain
from viz_core.records import Failure

TEXT = "a cat sat"


@pytest.fixture(scope="module", params=["Llama", "GPT2"])
def model(request):
    tokenizer = byte_pairs(max_tokens=40)
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(single="$A")  # no special tokens
    return adapt(network(request.param), tokenizer, request.param)


def log_odds_of_library(model, explanation, token, without):
    """Of a candidate after the last token that is left, with one masked and the positions of the others kept."""
    net, ids = network(model.name), torch.from_numpy(explanation.encoding.ids.copy())[None]
    mask = torch.ones_like(ids)
    mask[0, without] = 0
    with torch.no_grad():
        logits = net(input_ids=ids, attention_mask=mask, position_ids=torch.arange(ids.shape[1])[None]).logits[0]
    last = int(mask[0].nonzero().max())
    chance = logits[last].double().softmax(0)[token]
    return float((chance / (1 - chance)).log())


def test_leave_one_out_is_what_the_library_loses_without_the_token(model):
    explanation = explain(model, TEXT)
    target, T = 2, len(explanation.encoding.ids)
    removal, *_ = attributions(model, explanation, target)
    assert removal.target == explanation.labels[target]
    token = explanation.label_ids[target]
    whole = log_odds_of_library(model, explanation, token, [])
    expected = [0, *(whole - log_odds_of_library(model, explanation, token, [place]) for place in range(1, T))]
    np.testing.assert_allclose(removal.values, expected, atol=1e-3)


def test_the_first_token_stays_and_the_last_row_is_read(model):
    explanation = explain(model, TEXT)
    results = {result.method: result for result in attributions(model, explanation)}
    assert tuple(results) == METHODS
    assert all(result.groups[0] == -1 and (result.groups[1:] == 0).all() for result in results.values())
    assert results["leave_one_out"].values[0] == 0
    assert results["integrated_gradients"].values[0] == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(results["attention"].values, explanation.attention[-1].mean(0)[-1], atol=1e-6)


def test_faithfulness_is_of_the_candidate(model):
    """Two tokens beside the first: the best of them is removed, or alone is left, at each share but one half of two."""
    explanation = explain(model, "cat sat sat")
    results = attributions(model, explanation)
    removed, kept = faithfulness(model, explanation, results)
    assert removed.methods == kept.methods == METHODS
    assert (np.abs(removed.values) <= 1).all() and removed.values.shape == (5,)


def test_a_text_of_one_token_has_nothing_to_compare(model):
    with pytest.raises(Failure) as failure:
        attributions(model, explain(model, "cat"))
    assert failure.value.message.key == "attribution.one_token"
