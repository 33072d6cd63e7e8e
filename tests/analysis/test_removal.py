import numpy as np
import pytest
import torch

from tests.analysis.toy import CLS, SEP, input_of, toy
from tests.tiny import encoder
from viz_core.analysis.attribution import removal
from viz_core.analysis.attribution.removal import log_odds, logits_with_mask

INPUT = input_of([CLS, 5, 6, SEP])
ALL = [True] * 4


def test_removed_tokens_receive_no_attention():
    """The logit of class 1 is the mean number of the remaining tokens: 3/4, 0 without token 5, 1 without token 6."""
    logits = logits_with_mask(
        toy({5: 3.0}), INPUT, np.array([ALL, [True, False, True, True], [True, True, False, True]])
    )
    assert logits[:, 1].tolist() == [0.75, 0, 1] and logits[:, 0].tolist() == [0, 0, 0]


def test_removing_the_end_equals_a_shorter_input():
    model = encoder()
    ids, segments = [2, 7, 9, 8, 3, 4, 5], [0, 0, 0, 1, 1, 1, 1]
    logits = logits_with_mask(model, input_of(ids, segments), np.arange(7)[None] < 5)
    cut = logits_with_mask(model, input_of(ids[:5], segments[:5]), np.ones((1, 5), bool))
    torch.testing.assert_close(logits, cut)


def test_batches_give_the_same_logits(monkeypatch):
    masks = np.array([ALL, [True, False, True, True], [True, True, False, True]])
    whole = logits_with_mask(encoder(), INPUT, masks)
    monkeypatch.setattr(removal, "BATCH", 4)
    torch.testing.assert_close(logits_with_mask(encoder(), INPUT, masks), whole)


def test_some_token_must_remain():
    with pytest.raises(ValueError, match="mask 1"):
        logits_with_mask(encoder(), INPUT, np.array([ALL, [False] * 4]))


def test_log_odds_by_definition():
    logits = torch.tensor([[0.3, -1.0, 2.0], [0.0, 0.0, 0.0]])
    p = logits.softmax(1)[:, 2]
    torch.testing.assert_close(log_odds(logits, 2), (p / (1 - p)).log())
    torch.testing.assert_close(log_odds(logits[:, :2], 1), logits[:, 1] - logits[:, 0])
    torch.testing.assert_close(log_odds(logits, 2, 0), logits[:, 2] - logits[:, 0])
