"""Windows of tokens: every token but the first is predicted once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viz_core.text.windows import pack


def test_windows_overlap_by_one_token():
    windows = pack([np.array([1, 2, 3]), np.array([4, 5, 6, 7])], 3)
    assert [window.tolist() for window in windows] == [[1, 2, 3], [3, 4, 5], [5, 6, 7]]
    assert [window.tolist() for window in pack([np.array([1, 2, 3, 4])], 3)] == [[1, 2, 3], [3, 4]]
    assert [window.tolist() for window in pack([np.array([1])], 3)] == [[1]]


@given(st.lists(st.integers(0, 9), min_size=2, max_size=40), st.integers(2, 9))
def test_every_token_is_predicted_once_and_in_order(tokens, length):
    windows = pack([np.array(tokens)], length)
    assert [token for window in windows for token in window[1:].tolist()] == tokens[1:]
    assert all(len(window) == length for window in windows[:-1]) and 2 <= len(windows[-1]) <= length
