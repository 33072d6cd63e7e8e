"""Alignments of a model whose attention and predictions are set by hand."""

from types import SimpleNamespace

import pytest
import torch

from viz_core.analysis.translation.head_alignment import measure_alignments
from viz_core.models.protocol import Output
from viz_core.records import AlignedPair
from viz_core.text.building import build_translation_tokenizer
from viz_core.text.tokenizer import TextEncoder

TEXT = TextEncoder(build_translation_tokenizer(["a b c x y z"] * 2, 16))
IDS = {TEXT.token(number): number for number in range(TEXT.vocabulary)}
LINKS = frozenset({(0, 2), (1, 1), (2, 0)})  # in reverse
PAIR = AlignedPair(("a", "b", "c"), ("x", "y", "z"), LINKS, LINKS)


class Reversed:
    """Translates in reverse: x for c, y for b, z for a. Of its two heads the first attends to the source of the next
    target token, the second to that of the token that it reads; all else rests on [SEP]."""

    def __call__(self, source, mask, target, need_attention=False):
        B, T, S = len(source), target.shape[1], source.shape[1]
        logits = torch.zeros(B, T, TEXT.vocabulary)
        weights = torch.zeros(1, B, 2, T, S)
        weights[..., -1] = 0.9  # on [SEP], which no token is aligned with
        for position in range(T):
            if position < 3:
                weights[0, :, 0, position, 3 - position] = 0.1
                logits[:, position, IDS["xyz"[position]]] = 2.0 * mask[:, 3 - position]
            if position > 0:
                weights[0, :, 1, position, 4 - position] = 0.1
        return Output(logits, {"cross": weights} if need_attention else {})


def measure(count: int = 3, **options):
    """The alignments of as many equal pairs."""
    model = Reversed()
    checkpoint = SimpleNamespace(model=model, generator=model, text_encoder=TEXT)
    return measure_alignments(checkpoint, [PAIR] * count, **options)


def test_heads_that_align_by_construction():
    measured = measure()
    assert (measured.pairs, measured.sure, measured.possible) == (3, 9, 9)
    rates = {(score.query, score.layer, score.head): score.error_rate for score in measured.scores if score.query}
    assert rates["produces", 0, 0] == rates["reads", 0, 1] == 0
    # The other query attends to the source of the token before, c for y and b for z, or of the one after, b for x and a
    # for y; where it attends to nothing, the first source token is taken: a, which z is aligned with.
    assert rates["produces", 0, 1] == 1
    assert rates["reads", 0, 0] == pytest.approx(2 / 3)
    best = measured.best
    assert (best.query, best.layer, best.head, best.precision, best.recall) == ("produces", 0, 0, 1, 1)
    assert measured.selected == 0


def test_baselines_by_hand():
    """The diagonal of three and three words has one of three links; so have random links on average."""
    measured = measure()
    diagonal, left_out, random = (measured.of(name) for name in ("diagonal", "leave_one_out", "random"))
    assert left_out.error_rate == 0
    assert diagonal.error_rate == pytest.approx(2 / 3) == diagonal.low == diagonal.high
    assert (diagonal.precision, diagonal.recall) == pytest.approx((1 / 3, 1 / 3))
    assert measured.gain == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert random.error_rate == pytest.approx(2 / 3, abs=0.02) and random.low < 0.5 < 0.8 < random.high


def test_the_mean_over_heads_is_that_of_their_weights():
    measured = measure()
    layer, everything = measured.mean("produces", 0), measured.mean("produces")
    assert layer.error_rate == everything.error_rate, "there is only one layer"
    # x: c by the first head. y: b and c alike, the first of them is b. z: a and b alike, a.
    assert layer.error_rate == 0


def test_every_pair_is_reported_and_an_exception_ends_it():
    reports = []
    measure(2, progress=lambda *step: reports.append(step))
    assert reports == [(0, 2), (1, 2), (2, 2)]

    def stop(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        measure(2, progress=stop)
