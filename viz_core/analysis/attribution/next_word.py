"""Why this word of a translation, not that one? The source and the words before it, as one text of a classifier.

The methods of `methods.py` then apply as they are: Yin and Neubig 2022, "Interpreting Language Models
with Contrastive Explanations", section 3, https://arxiv.org/abs/2202.10419.

Shapes: B batch, L layers of either side, H heads, S source tokens, P tokens that the decoder has
read, T = S + P.
"""

from dataclasses import replace
from functools import reduce
from typing import cast

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.explain import explain_batch
from viz_core.analysis.patching.next_word import NextWord
from viz_core.analysis.whatif import block_keys
from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import PAD
from viz_core.models.protocol import Hook, HookPoint, Network, Output
from viz_core.models.recording import chain, record, replacing
from viz_core.records import Candidate, Encoding, Explanation, Step, Translation, read_only


def explain_word(
    checkpoint: Checkpoint, translation: Translation, position: int, hook: Hook | None = None
) -> tuple[Checkpoint, Explanation]:
    """Explain the word at a position of a translation.

    Args:
        hook: What was changed in the model, as in `changes_hook`.

    Returns:
        The model as a classifier, and its explanation, whose classes are `choices`.
    """
    read = translation.target.first(position + 1)
    model = NextWordOfBoth(checkpoint.model, read.ids.tolist(), hook)
    view = replace(checkpoint, model=cast(Network, model))
    (explained,) = explain_batch(view, [_side_by_side(translation.source, read)])
    words = choices(translation.steps[position])
    return view, replace(
        explained,
        labels=tuple(word.token for word in words),
        probabilities=read_only(np.array([word.probability for word in words])),
        label_ids=tuple(word.id for word in words),
    )


def choices(step: Step) -> list[Candidate]:
    """The word that came, then the other candidates, the likeliest first."""
    return [step.output, *(candidate for candidate in step.candidates if candidate.token != step.output.token)]


class NextWordOfBoth(NextWord):
    """A model that translates, as a classifier of the source and the words after it as one text.

    Its attention has a layer per sub-layer, `(3 L, B, H, T, T)`: of the encoder, then of each layer of
    the decoder the causal and the cross-attention. A token that attends to none there attends to itself.
    """

    def __init__(self, model: Network, beginning: list[int], changes: Hook | None = None) -> None:
        super().__init__(model, beginning)
        self.changes, self.blank = changes, getattr(model, "blank", PAD)

    def forward(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """Compute the logits `(B, C)` of the next token for texts `(B, T)`."""
        layers: list[Tensor] = []

        def keep(point: HookPoint, weights: Tensor) -> Tensor:
            layers.append(weights)
            return weights

        S = self._split(ids)
        seen = _chain(hook, Hook(keep, {"weights"}) if need_attention else None)
        hooks = _chain(self.changes, _without(mask[:, S:]), seen and _on_whole_text(seen, S, ids.shape[1]))
        output = self.after(ids[:, :S], mask[:, :S], ids[:, S:], False, hooks)
        return Output(output.logits, {"self": torch.stack(layers)} if need_attention else {})

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """Compute the embeddings of all tokens, before positions are added, `(B, T, D)`."""
        recorded = record(cast(Network, self), (ids, segments, mask), {"token"}, hook)
        return torch.cat([recorded["token"], recorded["token", -1, "causal"]], dim=1)

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """Compute the output from the result of `embed`."""
        S, ids = self._split(x), torch.zeros(x.shape[:2], dtype=torch.long)  # any ids: x takes their place
        embedded = replacing({HookPoint("token"): x[:, :S], HookPoint("token", kind="causal"): x[:, S:]})
        return self(ids, ids, mask, need_attention, _chain(embedded, hook))

    def _split(self, tokens: Tensor) -> int:
        """Number of tokens of the source, S, in texts `(B, T, …)`."""
        return tokens.shape[1] - len(self.beginning)


def _side_by_side(source: Encoding, read: Encoding) -> Encoding:
    """Both texts as one input: the second is what the decoder has read."""
    return Encoding(
        texts=source.texts + read.texts,
        tokens=source.tokens + read.tokens,
        ids=np.append(source.ids, read.ids),
        segments=np.repeat([0, 1], [len(source.ids), len(read.ids)]),
        offsets=np.vstack([source.offsets, read.offsets]),
        words=np.append(source.words, read.words + source.words[-1] + 1),
        special=np.append(source.special, read.special),
        unknown=np.append(source.unknown, read.unknown),
        notices=source.notices,
    )


def _chain(*hooks: Hook | None) -> Hook | None:
    """Call those that there are, one after another."""
    present = [hook for hook in hooks if hook]
    return reduce(chain, present) if present else None


def _without(mask: Tensor) -> Hook | None:
    """Mask words that the decoder has read: False in `(B, P)`."""
    if mask.all():
        return None
    reach = torch.ones(mask.shape[1], mask.shape[1], dtype=torch.bool).tril()

    def block(point: HookPoint, weights: Tensor) -> Tensor:
        return block_keys(weights, mask, reach) if point.kind == "causal" else weights

    return Hook(block, {"weights"})


def _on_whole_text(hook: Hook, S: int, T: int) -> Hook:
    """Show the hook weights `(B, H, T, T)` of all tokens, whichever of them an attention is between."""
    source, read = slice(0, S), slice(S, T)
    blocks = {"self": (source, source), "causal": (read, read), "cross": (read, source)}

    def change(point: HookPoint, tensor: Tensor) -> Tensor:
        if point.name != "weights":
            return hook(point, tensor)
        queries, keys = blocks[point.kind]
        whole = torch.eye(T).repeat(*tensor.shape[:2], 1, 1)
        whole[:, :, queries] = 0
        whole[:, :, queries, keys] = tensor
        return hook(point, whole)[:, :, queries, keys]

    return Hook(change, hook.points)
