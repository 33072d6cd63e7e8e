"""MPNet's self-attention by `attention.attend`, as the library's own does not use its attention interface.

Song et al. 2020, "MPNet: Masked and Permuted Pre-training for Language Understanding",
https://arxiv.org/abs/2004.09297.
"""

from typing import Any

from torch import Tensor, nn

from viz_core.adapters.attention import attend


class MPNetAttention(nn.Module):
    """The library's `MPNetSelfAttention` with the same projections, `q`, `k`, `v` and `o`."""

    def __init__(self, original: Any) -> None:
        super().__init__()
        self.q: nn.Linear = original.q
        self.k: nn.Linear = original.k
        self.v: nn.Linear = original.v
        self.o: nn.Linear = original.o
        self.heads: int = original.num_attention_heads
        self.dropout: nn.Dropout = original.dropout

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        output_attentions: bool = False,
        **_: object,
    ) -> tuple[Tensor | None, ...]:
        """Attend like the library's: `(B, T, D)` and, if requested, the weights `(B, H, T, T)`."""
        query, key, value = (self._split_heads(linear(hidden_states)) for linear in (self.q, self.k, self.v))
        context, weights = attend(
            self,
            query,
            key,
            value,
            attention_mask,
            dropout=self.dropout.p if self.training else 0.0,
            position_bias=position_bias,
        )
        output = self.o(context.flatten(2))
        return (output, weights) if output_attentions else (output,)

    def _split_heads(self, x: Tensor) -> Tensor:
        """Reshape `(B, T, D)` to `(B, H, T, d)`."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


def replace_attention(model: Any) -> None:
    """Replace the attention of every layer of an `MPNetModel`."""
    for layer in model.encoder.layer:
        layer.attention.attn = MPNetAttention(layer.attention.attn)
