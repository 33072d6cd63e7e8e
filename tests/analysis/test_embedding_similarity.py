"""How far changes move the embedding of a model without a classifier."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tests.analysis.test_whatif import MODEL, REVIEW
from viz_core.analysis import whatif
from viz_core.analysis.whatif import Changes, embedding_similarities
from viz_core.records import Encoding


class Lookup:
    """Its last layer's output is a unit vector of each token, of its own; a hook multiplies the last one by 3."""

    attention_kinds = ("self",)
    config = SimpleNamespace(layers=1, heads=2, width=6, classes=0)

    def encode(self, ids, segments, mask, hook=None):
        return torch.eye(6)[ids] if hook is None else torch.eye(6)[ids] * torch.tensor([1, 1, 1, 1, 1, 3])


@pytest.fixture
def lookup():
    return replace(MODEL, model=Lookup(), settings=MODEL.settings)


def encoding() -> Encoding:
    """Four tokens, ids 2 to 5, the first and the last special."""
    return replace(
        REVIEW,
        texts=("a b",),
        tokens=("[CLS]", "a", "b", "[SEP]"),
        ids=np.array([2, 3, 4, 5]),
        segments=np.zeros(4, np.int64),
        offsets=np.array([(0, 0), (0, 1), (2, 3), (0, 0)]),
        words=np.arange(4),
        special=np.array([True, False, False, True]),
        unknown=np.zeros(4, bool),
    )


def test_the_mean_over_what_is_left_is_compared(lookup):
    """(1, 1, 1, 1) / 4 and (1, 0, 1, 1) / 3: 3 / (2 · √3); [UNK] in place of a token: 3 / (2 · 2)."""
    variants = [
        Changes(),
        Changes(removed=frozenset([1])),
        Changes(deleted=frozenset([1])),
        Changes(unknown=frozenset([1])),
    ]
    similarities = embedding_similarities(lookup, encoding(), variants)
    np.testing.assert_allclose(similarities, [[1], [np.sqrt(3) / 2], [np.sqrt(3) / 2], [0.75]])


def test_the_unchanged_input_is_embedded_without_a_hook(lookup, monkeypatch):
    """Two passes, of one input each: (1, 1, 1, 1), and (1, 1, 1, 3) with a hook: 6 / (2 · √12)."""
    monkeypatch.setattr(whatif, "CELLS", 1)
    expected = 6 / (2 * np.sqrt(12))
    [similarity] = embedding_similarities(lookup, encoding(), [Changes(masked=frozenset([(0, 1)]))])
    assert similarity == pytest.approx(expected)
