"""Patching of translations: which word follows a beginning of the translation is the class of a source."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np
import torch
from torch import Tensor, nn

from viz_core.analysis.decoding import special_ids
from viz_core.analysis.patching.contrast import check_texts, contrast
from viz_core.analysis.translation.translating import translate
from viz_core.checkpoints import Checkpoint
from viz_core.models.decoding import greedy
from viz_core.models.protocol import AttentionKind, Hook, Network, Output, reads_source
from viz_core.records import Contrast, Encoding, Failure, read_only

CROSS: AttentionKind = "cross"
_NEVER = -1e4  # logit of what decoding excludes; finite, as all logits must be


@dataclass(frozen=True)
class _Sizes:
    """What patching and attribution ask the config of a model."""

    layers: int
    heads: int
    classes: int
    parameter_count: int
    pooling: Literal["last"] = "last"

    def parameters(self) -> int:
        """Number of parameters."""
        return self.parameter_count


class NextWord(nn.Module):
    """A model that translates, after a beginning of the translation, as a classifier of sources.

    Its classes are the tokens that may come next; its heads those of the encoder, `self`, or of the
    `cross`-attention.
    """

    beginning: Tensor
    excluded: Tensor

    def __init__(self, model: nn.Module, beginning: Sequence[int], kind: AttentionKind = "self") -> None:
        super().__init__()
        self.translator, self.attention_kinds = model, (kind,)
        self.register_buffer("beginning", torch.tensor(beginning), persistent=False)  # (P,)
        excluded = torch.tensor(special_ids(model).excluded, dtype=torch.long)
        self.register_buffer("excluded", excluded, persistent=False)

    @property
    def config(self) -> _Sizes:
        """Sizes of the encoder, and of the vocabulary."""
        config = cast(Network, self.translator).config
        return _Sizes(config.layers, config.heads, config.classes, config.parameters())

    def forward(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """Compute the logits `(B, C)` of the token after the beginning, for sources `(B, S)`."""
        output = self.after(ids, mask, self.beginning.expand(len(ids), -1), need_attention, hook)
        return Output(output.logits, {"self": output.attention["self"]} if need_attention else {})

    def after(self, source: Tensor, mask: Tensor, read: Tensor, need_attention: bool, hook: Hook | None) -> Output:
        """Compute the output with the logits `(B, C)` of the token after those that are read, `(B, P)`."""
        output: Output = self.translator(source, mask, read, need_attention, hook)
        return output._replace(logits=output.logits[:, -1].index_fill(-1, self.excluded, _NEVER))


def as_classifier(checkpoint: Checkpoint) -> Checkpoint:
    """Return a checkpoint that patching can run: of a model that translates, what the first word follows from."""
    model: object = checkpoint.model
    if not reads_source(model):
        return checkpoint
    first = NextWord(cast(Network, model), [special_ids(model).begin])
    return replace(checkpoint, model=cast(Network, first))


def written_before(checkpoint: Checkpoint) -> str:
    """Return the words of the translation after which the next one is compared, of a checkpoint of `contrast_of`."""
    network: Network = checkpoint.model
    return checkpoint.text_encoder.decode(network.beginning.tolist()[1:]).texts[0]


def contrast_of(
    checkpoint: Checkpoint, source: Encoding, target: Encoding, kind: AttentionKind = "self"
) -> tuple[Checkpoint, Contrast]:
    """Compare two inputs of any model; of one that translates, by the first word in which both translations differ.

    Args:
        kind: Of a model that translates, the attention whose heads are patched: at all tokens of the
            source, or, `cross`, at all positions before that word.

    Returns:
        The model whose parts are patched, and the contrast.

    Raises:
        Failure: As `contrast`, if both sources have the same translation, or without cross-attention.
    """
    model: object = checkpoint.model
    if not reads_source(model):
        if kind == CROSS:
            raise Failure("patching.no_cross", name=checkpoint.name)
        return checkpoint, contrast(checkpoint, source, target)
    check_texts(source, target)
    ids, hypotheses = special_ids(model), translate(checkpoint.generator, [source.ids, target.ids], greedy)
    first, second = ((*hypothesis.tokens, ids.end) for hypothesis in hypotheses)
    shared = next((place for place, (one, other) in enumerate(zip(first, second, strict=False)) if one != other), None)
    if shared is None:
        text = checkpoint.text_encoder.decode(first[:-1]).texts[0]
        raise Failure("patching.same_translations", text=text)
    beginning = [ids.begin, *first[:shared]]
    network: Network = checkpoint.model
    model = NextWord(network, beginning, kind)
    view = replace(checkpoint, model=cast(Network, model))
    found = contrast(view, source, target, (first[shared], second[shared]))
    if kind == CROSS:
        found = replace(found, pairs=read_only(np.repeat(np.arange(len(beginning))[:, None], 2, axis=1)))
    return view, found
