"""Embeddings, the input of the first layer.

Shapes: B batch, T tokens, D model width.
"""

import torch
from torch import Tensor, nn

from viz_core.models.config import EncoderConfig
from viz_core.models.dropout import Dropout
from viz_core.models.protocol import NO_HOOK, HookCaller, PointName


class Embedding(nn.Module):
    """Token + position + segment (+ overlap) embeddings; a single segment embedding is added to all tokens.

    Rotary positions are not added here.
    """

    sinusoid: Tensor

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.token = nn.Embedding(config.vocabulary, config.width)
        self.segment = nn.Embedding(config.segments, config.width) if config.segments else None
        self.overlap = nn.Embedding(2, config.width) if config.overlap else None
        if config.positions == "learned":
            self.position = nn.Embedding(config.max_tokens, config.width)
        elif config.positions == "sinusoidal":
            self.register_buffer("sinusoid", sinusoidal_positions(config.max_tokens, config.width), persistent=False)
        self.positions = config.positions
        normalises = config.normalises_embeddings
        self.norm = nn.LayerNorm(config.width, config.norm_epsilon) if normalises else nn.Identity()
        self.dropout = Dropout(config.dropout)

    @property
    def tables(self) -> dict[str, Tensor]:
        """The tables whose rows are summed, `(…, D)`, by hook point."""
        modules = {"segment": self.segment, "overlap": self.overlap}
        tables = {"token": self.token.weight}
        if (positions := self._position_table) is not None:
            tables["position"] = positions
        return tables | {name: module.weight for name, module in modules.items() if module is not None}

    def forward(self, ids: Tensor, segments: Tensor, mask: Tensor, at: HookCaller = NO_HOOK) -> Tensor:
        """Embed ids `(B, T)`, giving `(B, T, D)`."""
        x = at("token", self.token(ids))  # (B, T, D)
        if (positions := self._position_table) is not None:
            x = x + at("position", positions[None, : ids.shape[1]])
        if self.segment is not None:
            x = _add_embedding(x, self.segment, segments, at, "segment")
        if self.overlap is not None:
            x = _add_embedding(x, self.overlap, occurs_in_other_segment(ids, segments, mask), at, "overlap")
        return at("embedding", self.dropout(self.norm(at("embedding_sum", x))))

    @property
    def _position_table(self) -> Tensor | None:
        """Position embeddings `(max_tokens, D)` that are added; None with rotary positions."""
        match self.positions:
            case "learned":
                return self.position.weight
            case "sinusoidal":
                return self.sinusoid
        return None


def _add_embedding(x: Tensor, embedding: nn.Embedding, index: Tensor, at: HookCaller, name: PointName) -> Tensor:
    """Add the rows of an embedding at `index` `(B, T)` to x `(B, T, D)`, calling the hook at `name`.

    Two rows w0, w1 are added as w0 + index · (w1 - w0): the backward pass is then a sum over tokens,
    whereas that of an embedding sorts all indices on a GPU.
    """
    if at.wants(name):
        rows = embedding(index.long().clamp(max=embedding.num_embeddings - 1))
        if (changed := at(name, rows)) is not rows:
            return x + changed
    if embedding.num_embeddings == 1:
        return x + embedding.weight[0]
    if embedding.num_embeddings != 2:
        return x + embedding(index)
    first, second = embedding.weight  # (D,) each
    return torch.addcmul(x + first, index[:, :, None].to(x.dtype), second - first)


def sinusoidal_positions(tokens: int, width: int) -> Tensor:
    """Return sines and cosines of geometrically growing wavelengths, `(T, D)` (Vaswani et al. 2017, section 3.5)."""
    wavelengths = 10_000 ** (torch.arange(0, width, 2) / width)  # (D/2,)
    angles = torch.arange(tokens)[:, None] / wavelengths  # (T, D/2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def occurs_in_other_segment(ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
    """Mark real tokens whose id also occurs in the other segment, except special tokens (ids below 4).

    Returns:
        `(B, T)` bool.
    """
    content = mask & (ids >= 4)
    same = ids[:, :, None] == ids[:, None, :]  # (B, T, T)
    other = segments[:, :, None] != segments[:, None, :]
    return (same & other & content[:, None, :]).any(-1) & content
