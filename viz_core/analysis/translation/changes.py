"""What-if for translations: masked cross-attention heads, blocked source tokens, a wrong word fed.

Masked heads of the cross-attention: Michel et al. 2019, "Are Sixteen Heads Really Better than
One?", section 3, https://arxiv.org/abs/1905.10650.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.decoding import log_probabilities, special_ids
from viz_core.analysis.translation.explain_translation import source_tensors
from viz_core.analysis.whatif import Head, block_keys, check_heads, check_tokens
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import Hook, HookPoint
from viz_core.records import Encoding, Failure, Translation


@dataclass(frozen=True)
class TranslationChanges:
    """The changes to a translation, none by default; everything counts from 0.

    Attributes:
        masked: Heads of the cross-attention whose output is set to 0.
        blocked: Source tokens that neither encoder nor decoder may attend to; the remaining weights
            of each row are rescaled to sum to 1.
        fed: Position, from 0, -> the id that the decoder reads after it, in place of the one that
            it produced there.
    """

    masked: frozenset[Head] = frozenset()
    blocked: frozenset[int] = frozenset()
    fed: Mapping[int, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.masked or self.blocked or self.fed)


def changes_hook(checkpoint: Checkpoint, source: Encoding, changes: TranslationChanges) -> Hook | None:
    """Hook that masks the heads and blocks the tokens; None if there are neither.

    Raises:
        Failure: If a head, a token or a word does not exist, or if no source token is left.
    """
    config, S, excluded = checkpoint.model.config, len(source.ids), special_ids(checkpoint.model).excluded
    check_heads(checkpoint, changes.masked)
    check_tokens(changes.blocked, source)
    for position, token in changes.fed.items():
        possible = 0 <= token < config.vocabulary and token not in excluded
        if not (possible and 0 <= position < config.max_tokens):
            raise Failure("translation.unknown_word", position=position + 1)
    if len(changes.blocked) == S:
        raise Failure("analysis.whatif_all_blocked")
    if not (changes.masked or changes.blocked):
        return None
    attendable = torch.ones(1, S, dtype=torch.bool)
    attendable[0, list(changes.blocked)] = False

    def change(point: HookPoint, tensor: Tensor) -> Tensor:
        if point.kind == "causal":
            return tensor
        if changes.blocked:
            tensor = block_keys(tensor, attendable.expand(len(tensor), -1))
        heads = [head for layer, head in changes.masked if layer == point.layer]
        if point.kind == "cross" and heads:
            tensor = tensor.index_fill(1, torch.tensor(heads), 0.0)
        return tensor

    return Hook(change, {"weights"})


def probabilities_with_changes(
    checkpoint: Checkpoint, translation: Translation, changes: TranslationChanges
) -> np.ndarray:
    """Probability of each token of a translation `(T,)` under the changes.

    Each is conditioned on the tokens before it, with those of `fed` replaced.

    Raises:
        Failure: As `changes_hook`.
    """
    outputs = torch.tensor([step.output.id for step in translation.steps])
    chances = chances_with_changes(checkpoint, translation, changes)
    return chances.gather(-1, outputs[:, None])[:, 0].exp().numpy()


def chances_with_changes(checkpoint: Checkpoint, translation: Translation, changes: TranslationChanges) -> Tensor:
    """Log-probability of every token at each position of a translation `(T, V)`, likewise."""
    hook = changes_hook(checkpoint, translation.source, changes)
    read = np.array(translation.target.ids)
    for position, token in changes.fed.items():
        if position + 1 < len(read):
            read[position + 1] = token
    with torch.inference_mode():
        logits = checkpoint.model(*source_tensors(translation.source), torch.from_numpy(read)[None], hook=hook).logits
    return log_probabilities(logits[0], special_ids(checkpoint.model))


def fed_ids(checkpoint: Checkpoint, words: Sequence[tuple[int, int | str]]) -> dict[int, int]:
    """Ids that the decoder shall read, by position; words as ids or as typed.

    Positions are checked first, so that no more words are looked up than a translation has.

    Raises:
        Failure: For a position or a word that no translation has.
    """
    fed = dict(words)
    for position in fed:
        if not 0 <= position < checkpoint.model.config.max_tokens:
            raise Failure("translation.unknown_word", position=position + 1)
    return {position: word_id(checkpoint, word) if isinstance(word, str) else word for position, word in fed.items()}


def word_id(checkpoint: Checkpoint, word: str) -> int:
    """Id of a typed word that the decoder shall read; the name of the end, such as `[SEP]`, is the end.

    Raises:
        Failure: Unless it is a single token of the vocabulary.
    """
    encoder, ids = checkpoint.text_encoder, special_ids(checkpoint.model)
    token = ids.end if word == encoder.token(ids.end) else encoder.single_token(word)
    if token is None or token in ids.excluded:
        raise Failure("translation.not_a_word", word=word[:40])
    return token
