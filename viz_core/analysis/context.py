"""The context of a language model: what it has read, kept so that only further tokens are computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import torch
from torch import Tensor

from viz_core.analysis.decoding import CANDIDATES, Decoding, log_probabilities, special_ids, step
from viz_core.analysis.generation import given_tokens
from viz_core.analysis.whatif import Head, check_heads
from viz_core.checkpoints import Checkpoint
from viz_core.models.decoding import Shaping, exclude
from viz_core.models.protocol import Hook, HookPoint
from viz_core.models.reading_state import ReadingState
from viz_core.records import Encoding, Failure, ShapedCandidate, Step

_POSITIONS = 1_000_003  # a seed has as many others of its own, one for each position


@dataclass(frozen=True, eq=False)
class Context:
    """T tokens that a language model has read.

    Attributes:
        ids: The tokens.
        steps: What was expected at each of them; None where nothing had been read.
        state: Keys and values of all of them.
        masked: Heads whose output was set to 0 all along.
        logits: `(C,)`, of the token that follows.
    """

    ids: tuple[int, ...]
    steps: tuple[Step | None, ...]
    state: ReadingState
    logits: Tensor
    masked: frozenset[Head] = frozenset()

    @property
    def bytes(self) -> int:
        """Memory of keys, values and logits."""
        tensors = [self.logits, *(tensor for layer in self.state.past for tensor in layer)]
        return sum(tensor.nbytes for tensor in tensors)


def written_text(checkpoint: Checkpoint, text: str, written: Sequence[int]) -> tuple[Encoding, int]:
    """Encode a text with the tokens that were written after it, and count those of the text.

    Raises:
        Failure: As `given_tokens`; for tokens that are not in the vocabulary; if they are more than
            the context holds.
    """
    given, encoder = given_tokens(checkpoint, text), checkpoint.text_encoder
    for token in written:
        if not 0 <= token < checkpoint.model.config.vocabulary:
            raise Failure("generation.unknown_token", token=token)
    if len(given.ids) + len(written) > encoder.max_tokens or any(n.key == "text.truncated" for n in given.notices):
        raise Failure("generation.full", most=encoder.max_tokens)
    return encoder.extend(given, written), len(given.ids)


@torch.inference_mode()
def read_on(
    checkpoint: Checkpoint, ids: Sequence[int], before: Context | None = None, masked: frozenset[Head] = frozenset()
) -> Context:
    """Read tokens; those at the beginning that were read `before`, with the same heads, are not computed again.

    Args:
        masked: Heads whose output is set to 0.

    Raises:
        Failure: If the numbers of the model are not finite, or it has no such head.
    """
    model, ids, steps = checkpoint.language_model, tuple(ids), list[Step | None]([None])
    nothing = torch.empty((1, 0), dtype=torch.long)
    state, rows, kept = model.start(nothing, nothing.bool()), list[Tensor](), 0  # rows of logits, (C,) each
    if before and before.masked == masked:
        if before.ids == ids:
            return before
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before.ids, ids, strict=False)))
        if same == len(before.ids):
            state, steps, rows, kept = before.state, list(before.steps), [before.logits], same
        elif same:  # the last of them once more, because only the logits at the end are kept
            kept = same - 1
            state, steps = before.state.first(kept), list(before.steps[:same])
    output, state = model.read(state, torch.tensor([ids[kept:]]), hook=_masking(checkpoint, masked))
    if not torch.isfinite(output.logits).all():
        raise Failure("analysis.no_numbers", name=checkpoint.name)
    rows.extend(output.logits[0])
    special, further = special_ids(model), ids[len(ids) - len(rows) + 1 :]
    for row, token in zip(rows[:-1], further, strict=True):  # one by one, to save memory
        steps.append(step(checkpoint.text_encoder, log_probabilities(row, special), token))
    return Context(ids, tuple(steps), state, rows[-1].clone(), masked)


def _masking(checkpoint: Checkpoint, masked: frozenset[Head]) -> Hook | None:
    check_heads(checkpoint, masked)
    heads: dict[HookPoint, list[int]] = {}
    for layer, head in masked:
        heads.setdefault(HookPoint("weights", layer, "causal"), []).append(head)

    def mask(point: HookPoint, weights: Tensor) -> Tensor:
        weights[:, heads[point]] = 0
        return weights

    return Hook(mask, heads.keys()) if heads else None


def write_on(checkpoint: Checkpoint, context: Context, decoding: Decoding, most: int) -> Iterator[Context]:
    """Write up to `most` tokens, and yield the context after each; at the end of the text or of the room it stops.

    What a seed draws at a position does not depend on where the writing began.
    """
    for _ in range(min(most, checkpoint.text_encoder.max_tokens - len(context.ids))):
        token = next_token(checkpoint, context, decoding)
        if special_ids(checkpoint.language_model).ends(token):
            return
        context = read_on(checkpoint, (*context.ids, token), context, context.masked)
        yield context


def next_token(checkpoint: Checkpoint, context: Context, decoding: Decoding) -> int:
    """Pick the token that follows."""
    pick = replace(decoding, seed=decoding.seed * _POSITIONS + len(context.ids)).pick()
    return int(pick(_logits(checkpoint, context)[None])[0])


def shaped_candidates(checkpoint: Checkpoint, context: Context, shaping: Shaping) -> tuple[ShapedCandidate, ...]:
    """Return the likeliest tokens that may follow, with their probabilities before and after each step of shaping."""
    stages = (Shaping(), Shaping(shaping.temperature), Shaping(shaping.temperature, shaping.top_k), shaping)
    probabilities = torch.stack([stage.probabilities(_logits(checkpoint, context)) for stage in stages], dim=1)
    ids = probabilities[:, 0].topk(min(CANDIDATES, len(probabilities))).indices
    token = checkpoint.text_encoder.token
    return tuple(ShapedCandidate(index, token(index), tuple(probabilities[index].tolist())) for index in ids.tolist())


def _logits(checkpoint: Checkpoint, context: Context) -> Tensor:
    return exclude(context.logits, special_ids(checkpoint.language_model).excluded)
