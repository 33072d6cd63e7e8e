"""Colours and scales in the browser equal those of the figures."""

import numpy as np
import pytest

from viz_core.rendering.scales import share
from viz_core.rendering.theme import contrast, ink_on, shade, theme

pytestmark = pytest.mark.browser
WEIGHTS = [0.0, 1e-5, 4e-4, 0.003, 0.05, 0.3, 0.7]
POSITIONS = [0, 0.004, 0.05, 0.1, 0.333, 0.5, 0.77, 0.999, 1]


def test_a_square_root_by_hand(js):
    assert js(
        "return [scales.share(0.09, 1, 'sqrt'), scales.share(0.09, 0.36, 'sqrt'), scales.share(0, 1, 'log')]"
    ) == pytest.approx([0.3, 0.5, 0])


@pytest.mark.parametrize("scale", ["linear", "sqrt", "log"])
def test_scales_equal_those_of_the_figures_and_can_be_inverted(js, scale):
    shares = js("return weights.map((weight) => scales.share(weight, 0.7, scale))", weights=WEIGHTS, scale=scale)
    np.testing.assert_allclose(shares, share(np.array(WEIGHTS), 0, 0.7, scale), atol=1e-6)
    back = js("return shares.map((share) => scales.weightAt(share, 0.7, scale))", shares=shares, scale=scale)
    np.testing.assert_allclose(back, WEIGHTS, atol=1e-9)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_colours_and_their_ink_equal_those_of_the_figures(js, mode):
    stops = theme(mode).sequential
    for position in POSITIONS:
        expected = shade(stops, position)
        colour, ink = js(
            "return [colours.colourAt(stops, position), colours.inkAt(stops, position)]", stops=stops, position=position
        )
        channels = [int(channel) for channel in colour[4:-1].split()]
        assert channels == pytest.approx([int(expected[start : start + 2], 16) for start in (1, 3, 5)], abs=1), (
            "halves may be rounded differently"
        )
        assert contrast(ink, expected) >= 0.97 * contrast(ink_on(expected), expected)


def test_a_palette_has_a_colour_for_each_step_of_weight(js):
    stops = theme("light").sequential
    pixels, expected = js(
        """const palette = scales.palette(stops, "sqrt", 0.5);
        const steps = [0, 1, 655, 16384, 65535], channels = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) &
        255]; return [steps.map((step) => channels(palette[step])),
                steps.map((step) => colours.colourAt(stops, scales.share((step / 65535) * 0.5, 0.5, "sqrt")))]""",
        stops=stops,
    )
    for pixel, colour in zip(pixels, expected, strict=True):
        assert pixel == pytest.approx([int(channel) for channel in colour[4:-1].split()], abs=2)


def test_palettes_of_two_themes_differ(js):
    light, dark = (
        js("return scales.palette(stops, 'linear', 1)[0] >>> 0", stops=theme(mode).sequential)
        for mode in ("light", "dark")
    )
    assert (light, dark) == (0xFFFFFFFF, 0xFF17110E)
