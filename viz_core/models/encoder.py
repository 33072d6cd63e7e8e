"""Transformer encoder (Vaswani et al. 2017) with a classifier, written from scratch.

Its parts are in embedding.py, attention.py and layers.py.

Shapes: B batch, L layers, H heads, T tokens, D model width. `mask` is `(B, T)`, True where a token
is real and False where it is padding.
"""

from collections.abc import Sequence
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_core.models.anatomy import Anatomy, Linear, Norm, ReadOut, Stack
from viz_core.models.attention import Rotation
from viz_core.models.config import EncoderConfig
from viz_core.models.dropout import Dropout
from viz_core.models.embedding import Embedding
from viz_core.models.layers import Layer, initialise, run_layers
from viz_core.models.protocol import NO_HOOK, AttentionKind, Hook, HookCaller, Output


class Stem(nn.Module):
    """A convolution over three neighbouring tokens, with residual connection and layer normalisation.

    It gives the first layer n-grams (Kim 2014); a convolution ahead of attention is a much reduced
    form of Gulati et al. 2020, section 2.2.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(config.width, config.width, kernel_size=3, padding=1)
        self.norm = nn.LayerNorm(config.width, config.norm_epsilon)

    def forward(self, x: Tensor, mask: Tensor, at: HookCaller = NO_HOOK) -> Tensor:
        """Mix each token of x `(B, T, D)` with its neighbours."""
        x = x * mask[:, :, None].to(x.dtype)  # padding must not leak into its neighbours
        return at("stem", self.norm(x + at("convolved", F.relu(self._convolve(x)))))

    def _convolve(self, x: Tensor) -> Tensor:
        """Convolve x `(B, T, D)` along T, as three linear layers computed as one product and then shifted.

        Products are fast for every T, whereas the convolutions of a GPU choose a kernel anew for each.
        """
        weight = torch.cat(self.convolution.weight.unbind(-1))  # (3 D, D)
        previous, current, following = F.linear(x, weight).chunk(3, dim=-1)  # (B, T, D) each
        y = current + cast(Tensor, self.convolution.bias)
        y = y + F.pad(previous[:, :-1], (0, 0, 1, 0))
        return y + F.pad(following[:, 1:], (0, 0, 0, 1))


class Encoder(nn.Module):
    """A `protocol.Model`: embeddings, a stack of layers, and a classifier on [CLS] or the mean over real tokens."""

    attention_kinds: tuple[AttentionKind, ...] = ("self",)

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = Embedding(config)
        self.stem = Stem(config) if config.stem == "convolution" else None
        self.layers = cast(Sequence[Layer], nn.ModuleList(Layer(config) for _ in range(config.layers)))
        self.norm = nn.LayerNorm(config.width, config.norm_epsilon) if config.norm == "pre" else nn.Identity()
        self.dropout = Dropout(config.dropout)
        self.classifier = nn.Linear(config.width, config.classes)
        self.apply(initialise)

    @property
    def token_embedding(self) -> nn.Embedding:
        """Token embeddings, `(vocabulary, D)`."""
        return self.embedding.token

    @property
    def output_projections(self) -> dict[str, list[Tensor]]:
        """Output projection of each layer, `(D, D)`, outputs first, by kind of attention."""
        return {"self": [layer.attention.output.weight for layer in self.layers]}

    @property
    def read_out(self) -> ReadOut | None:
        """What maps the end of the residual stream to the logits; None in a post-norm model."""
        return self.anatomy.read_out

    @property
    def anatomy(self) -> Anatomy:
        """Weights of the model by function."""
        config, stem = self.config, self.stem
        return Anatomy(
            heads=config.heads,
            key_heads=config.heads,
            norm=config.norm,
            activation=config.activation,
            positions=config.positions,
            pooling=config.pooling,
            encoder=Stack(
                self.embedding.tables,
                [layer.parts() for layer in self.layers],
                embedding_norm=Norm.of(self.embedding.norm),
                convolution=Linear(stem.convolution.weight, stem.convolution.bias) if stem else None,
                stem_norm=Norm.of(stem.norm) if stem else None,
                final_norm=Norm.of(self.norm),
            ),
            classifier=Linear.of(self.classifier),
        )

    def forward(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """Compute logits and, if requested, attention.

        If attention is not requested, the fused kernel is used; the logits agree to 1e-5.

        Args:
            ids: `(B, T)` int64.
            segments: `(B, T)` int64.
            mask: `(B, T)` bool, True for real tokens.
            need_attention: Whether to return the attention of all layers.
            hook: Called at its points of the pass.

        Raises:
            ValueError: If T exceeds the positions of the encoder.
        """
        return self.from_embeddings(self.embed(ids, segments, mask, hook), mask, need_attention, hook)

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """Compute the sum of all embeddings, normalised if the config says so, `(B, T, D)`.

        Raises:
            ValueError: If T exceeds the positions of the encoder.
        """
        if ids.shape[1] > self.config.max_tokens:
            raise ValueError(
                f"{ids.shape[1]} tokens exceed the {self.config.max_tokens} positions of this encoder: shorten the text"
            )
        return self.embedding(ids, segments, mask, HookCaller(hook))

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """Compute the output from embeddings `(B, T, D)`."""
        hidden, attention = self._layers(x, mask, need_attention, hook)
        at = HookCaller(hook)
        logits = at("logits", self.classifier(self.dropout(at("pooled", self.pool(hidden, mask)))))
        return Output(logits, {} if attention is None else {"self": attention})

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """Compute the output of the last layer, `(B, T, D)`."""
        return self._layers(self.embed(ids, segments, mask, hook), mask, False, hook)[0]

    def pool(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Pool hidden states `(B, T, D)` into the input of the classifier, `(B, D)`."""
        if self.config.pooling == "cls":
            return hidden[:, 0]
        real = mask[:, :, None].to(hidden.dtype)  # (B, T, 1)
        return (hidden * real).sum(1) / real.sum(1)

    def _layers(self, x: Tensor, mask: Tensor, need_attention: bool, hook: Hook | None) -> tuple[Tensor, Tensor | None]:
        """Compute the output of the last layer, normalised if pre-norm, and, if requested, attention.

        Returns:
            `(B, T, D)`, and `(L, B, H, T, T)` or None.
        """
        at = HookCaller(hook)
        if self.stem is not None:
            x = self.stem(x, mask, at)
        rotation = None
        if self.config.positions == "rotary":
            positions = torch.arange(x.shape[1], device=x.device)[None]
            rotation = Rotation.of(positions, self.config.width // self.config.heads)
        x, attention = run_layers(self.layers, x, mask, need_attention, hook, rotation)
        return at("final", self.norm(x)), attention
