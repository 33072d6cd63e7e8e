"""Colours and scales in the browser equal those of the figures."""

import numpy as np
import pytest

from tests.explorer.javascript import ask
from viz_core.rendering.scales import share, ticks
from viz_core.rendering.theme import contrast, ink_on, shade, theme

WEIGHTS = [0.0, 1e-5, 4e-4, 0.003, 0.05, 0.3, 0.7]
POSITIONS = [0, 0.004, 0.05, 0.1, 0.333, 0.5, 0.77, 0.999, 1]


@pytest.mark.parametrize("scale", ["linear", "sqrt", "log"])
def test_scales_and_legends_equal_those_of_the_figures(scale):
    shares, marks = ask("shares", weights=WEIGHTS, largest=0.7, scale=scale)
    np.testing.assert_allclose(shares, share(np.array(WEIGHTS), 0, 0.7, scale), atol=1e-6)
    np.testing.assert_allclose(marks, ticks(0, 0.7, scale), atol=1e-9)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_colours_and_their_ink_equal_those_of_the_figures(mode):
    stops = theme(mode).sequential
    for position, (channels, ink) in zip(POSITIONS, ask("colours", stops=stops, positions=POSITIONS), strict=True):
        expected = shade(stops, position)
        assert channels == pytest.approx([int(expected[start : start + 2], 16) for start in (1, 3, 5)], abs=1), (
            "halves may be rounded differently"
        )
        assert contrast(ink, expected) >= 0.97 * contrast(ink_on(expected), expected)
