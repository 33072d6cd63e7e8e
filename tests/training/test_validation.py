"""Measuring a model during training."""

from collections.abc import Iterator

import numpy as np
import pytest

from tests.analysis.toy import toy
from viz_core.records import Examples
from viz_core.training.validation import Stopped, validation_logits

ROWS = 2 * 1024  # more than one batch


def test_a_stop_between_two_batches_ends_the_evaluation():
    ids = [np.array([0, 1, 2])] * ROWS
    examples = Examples(ids, [np.zeros(3, int)] * ROWS, np.zeros(ROWS, int))
    answers: Iterator[bool] = iter([False, True])  # before the first batch, and after it
    with pytest.raises(Stopped):
        validation_logits(toy({}), examples, lambda: next(answers, True))
