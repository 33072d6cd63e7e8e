"""Of many cases that one piece of code serves, `make test` tries a few, and `make test-slow` the others."""

from collections.abc import Iterable

import pytest


def few(cases: Iterable, quick: int = 1) -> list:
    """The cases, those after the first ones marked as slow."""
    return [
        case
        if number < quick
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for number, case in enumerate(cases)
    ]
