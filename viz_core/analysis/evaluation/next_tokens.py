"""How well a language model predicts texts: perplexity per word, bits per character, copying.

Perplexity is that of words, whatever the tokens, so that models with other tokens can be compared:
exp of the negative log-probability of all tokens, ends of texts included, by the number of words. A
word is a run of letters and digits, with apostrophes inside, or a single other mark.
"""

import math
import re
from collections.abc import Callable, Sequence

import numpy as np
import torch

from viz_core.models.batch import length_batches, pad
from viz_core.models.protocol import Network
from viz_core.records import LanguageFigures
from viz_core.statistics.kneser_ney import KneserNey
from viz_core.text.tokenizer import TextEncoder

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]|_")
_BATCH = 32  # windows


def measure_windows(
    model: Network,
    encoder: TextEncoder,
    windows: Sequence[np.ndarray],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> LanguageFigures:
    """Measure a model on windows of tokens; the first token of each is only read.

    Args:
        model: A language model.
        encoder: Its tokenizer.
        windows: Token ids, `(T,)` each.
        progress: Called with the number of windows done and the total; may raise.
    """
    losses, correct = _predict(model, windows, progress)
    words, characters = np.sum([_count(encoder, ids) for ids in windows], axis=0)
    return language_figures(windows, losses, int(words), int(characters), int(correct))


def language_figures(
    windows: Sequence[np.ndarray], losses: Sequence[np.ndarray], words: int, characters: int, correct: int
) -> LanguageFigures:
    """Figures from the losses `(T - 1,)` in nats of the predicted tokens of each window."""
    total, tokens = float(sum(map(np.sum, losses))), sum(map(len, losses))
    repeated = np.concatenate([loss[completes_pair(ids)] for ids, loss in zip(windows, losses, strict=True)])
    return LanguageFigures(
        n=len(windows),
        tokens=tokens,
        words=words,
        characters=characters,
        perplexity=math.exp(total / words),
        bits_per_character=total / math.log(2) / characters,
        token_loss=total / tokens,
        token_accuracy=correct / tokens,
        repeated_loss=float(repeated.mean()) if len(repeated) else None,
    )


def baseline_perplexity(train: Sequence[np.ndarray], texts: Sequence[np.ndarray], vocabulary: int, words: int) -> float:
    """Perplexity per word of an interpolated Kneser-Ney 5-gram over the same tokens.

    Args:
        train: Token ids of each text that it counts, `(T,)`, with the special ones.
        texts: Those of each text that it is measured on.
        vocabulary: Number of tokens.
        words: Words of `texts`.
    """
    baseline = KneserNey.fit(train, vocabulary)
    return math.exp(-sum(float(baseline.log_probabilities(text).sum()) for text in texts) / words)


def completes_pair(ids: np.ndarray) -> np.ndarray:
    """Whether each token after the first and the one before it occurred before as neighbours.

    Such a token can be copied: it is what an induction head predicts (Olsson et al. 2022).

    Args:
        ids: `(T,)`.

    Returns:
        `(T - 1,)` bool.
    """
    pairs = ids[:-1].astype(np.int64) << 32 | ids[1:]
    _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
    return first[inverse] < np.arange(len(pairs))


def _predict(
    model: Network, windows: Sequence[np.ndarray], progress: Callable[[int, int], None]
) -> tuple[list[np.ndarray], int]:
    """Losses `(T - 1,)` of each window, and the number of tokens predicted correctly."""
    device, lengths = next(model.parameters()).device, np.array([len(ids) for ids in windows])
    losses, correct, done = [np.empty(0)] * len(windows), 0, 0
    with torch.inference_mode():
        for rows in length_batches(lengths, _BATCH):
            ids, segments, mask = pad(
                [windows[row] for row in rows], [np.zeros_like(windows[row]) for row in rows], device
            )
            labels, real = ids[:, 1:], mask[:, 1:]
            logits = model.predict(ids[:, :-1]).logits.float()
            loss = torch.nn.functional.cross_entropy(logits.transpose(1, 2), labels, reduction="none").cpu()
            correct += int(((logits.argmax(-1) == labels) & real).sum())
            for row, values in zip(rows, loss.double().numpy(), strict=True):
                losses[row] = values[: lengths[row] - 1]
            done += len(rows)
            progress(done, len(windows))
    return losses, correct


def _count(encoder: TextEncoder, ids: np.ndarray) -> tuple[int, int]:
    """Words and characters that begin after the first token of a window: the window before has counted the others.

    A word that a window cuts at its apostrophe counts as two.
    """
    text, begin = encoder.text(ids.tolist()), len(encoder.text(ids[:1].tolist()))
    return sum(match.start() >= begin for match in _WORD.finditer(text)), len(text) - begin
