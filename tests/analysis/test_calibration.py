import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.analysis.evaluation.metrics import calibration, expected_calibration_error
from viz_core.statistics.intervals import wilson


def test_bins_by_hand():
    """Of 15 bins, 0.9 and 0.92 share the 14th (0.867 to 0.933), half of them correct; 1.0 is in the last."""
    curve = calibration(np.array([[0.1, 0.9], [0.08, 0.92], [1.0, 0.0]]), np.array([1, 0, 0]))
    assert curve.count.tolist() == [0] * 13 + [2, 1]
    assert (curve.confidence[13], curve.accuracy[13]) == pytest.approx((0.91, 0.5))
    assert (curve.low[13], curve.high[13]) == wilson(1, 2)
    assert (curve.confidence[14], curve.accuracy[14]) == (1.0, 1.0)
    assert np.isnan([curve.confidence[0], curve.accuracy[0], curve.low[0], curve.high[0]]).all()


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=1, max_size=50))
def test_the_weighted_gaps_add_up_to_the_calibration_error(rows):
    positive, labels = (np.array(values) for values in zip(*rows, strict=True))
    probabilities = np.stack([1 - positive, positive], axis=1)
    curve = calibration(probabilities, labels)
    gaps = np.nansum(np.abs(curve.confidence - curve.accuracy) * curve.count) / curve.count.sum()
    assert gaps == pytest.approx(expected_calibration_error(probabilities, labels), abs=1e-9)
