import numpy as np
import pytest

from viz_core.records import Failure
from viz_core.rendering.checks import check_finite


def test_values_that_are_not_finite_are_counted_over_all_arrays():
    check_finite(np.zeros((2, 2)), np.array([1]))
    with pytest.raises(Failure) as failure:
        check_finite(np.array([[np.nan, 1.0], [np.inf, 2.0]]), np.array([-np.inf]))
    assert failure.value.message.values["count"] == 3
