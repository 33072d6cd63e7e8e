"""A family of models whose attention does not go through the library's interface opens with one record."""

import pytest
import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

from tests.adapters.tiny_networks import SIZES, wordpiece
from viz_core.adapters.checkpoint import adapt
from viz_core.adapters.families import FAMILIES, Family
from viz_core.analysis.explain import explain
from viz_core.models.protocol import on_weights
from viz_core.records import Failure

RECORD = Family(attention="dropout", dropout="dropping", lacks=("adapters.lacks_values",))


class SkyConfig(PretrainedConfig):
    model_type = "sky"


class SkyAttention(nn.Module):
    """Attention as somebody wrote it by hand: every token gives half of its weight to the token before it."""

    def __init__(self, config: SkyConfig) -> None:
        super().__init__()
        self.heads = config.num_attention_heads
        self.projection = nn.Linear(config.hidden_size, 3 * config.hidden_size)
        self.dropping = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.projection(x).chunk(3, -1)
        )
        scores = (query @ key.mT).masked_fill(~mask[:, None, None].bool(), float("-inf"))
        before = torch.eye(x.shape[1])[(torch.arange(x.shape[1]) - 1).clamp(min=0)]  # of the first token: itself
        return (self.dropping((scores.softmax(-1) + before) / 2) @ value).transpose(1, 2).flatten(-2)


class SkyModel(PreTrainedModel):
    config_class = SkyConfig

    def __init__(self, config: SkyConfig) -> None:
        super().__init__(config)
        self.words = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(SkyAttention(config) for _ in range(config.num_hidden_layers))
        self.post_init()

    def get_input_embeddings(self) -> nn.Embedding:
        return self.words

    def forward(self, input_ids=None, attention_mask=None, inputs_embeds=None) -> BaseModelOutput:
        x = self.words(input_ids) if inputs_embeds is None else inputs_embeds
        for layer in self.layers:
            x = x + layer(x, attention_mask)
        return BaseModelOutput(x)


@pytest.fixture
def network() -> SkyModel:
    torch.manual_seed(0)
    return SkyModel(SkyConfig(**SIZES)).eval()


def test_without_a_record_it_is_refused(network):
    with pytest.raises(Failure, match="adapters.unknown_family"):
        adapt(network, wordpiece())


def test_with_one_record_its_attention_is_what_it_computes(network, monkeypatch):
    monkeypatch.setitem(FAMILIES, "sky", RECORD)
    explanation = explain(adapt(network, wordpiece()), "the cat sat")
    L, H, T, _ = explanation.attention.shape
    assert (SIZES["num_hidden_layers"], SIZES["num_attention_heads"]) == (L, H)
    x, d = network.words(torch.from_numpy(explanation.encoding.ids.copy())), SIZES["hidden_size"] // H
    query, key, _ = network.layers[0].projection(x).chunk(3, -1)
    expected = (query[:, :d] @ key[:, :d].mT).softmax(-1) / 2  # of the first head
    expected[0, 0] += 0.5
    expected[range(1, T), range(T - 1)] += 0.5
    first = torch.from_numpy(explanation.attention[0, 0].copy())
    torch.testing.assert_close(first, expected.detach(), atol=1e-5, rtol=0)


def test_its_weights_are_replaced_on_the_way(network, monkeypatch):
    monkeypatch.setitem(FAMILIES, "sky", RECORD)
    ids, model = torch.arange(5, 12)[None], adapt(network, wordpiece()).model
    nothing = on_weights(lambda layer, weights: weights * 0)
    with torch.no_grad():
        hidden = model.encode(ids, ids * 0, torch.ones_like(ids, dtype=torch.bool), nothing)
    torch.testing.assert_close(hidden, network.words(ids).detach())
