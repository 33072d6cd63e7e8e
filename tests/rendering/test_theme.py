"""Colours, measured: equal steps, readable text, hues that colour-blind readers can tell apart."""

import itertools

import numpy as np
import pytest

from viz_core.rendering.theme import contrast, half_width, ink_on, shade, template, theme

# Linear RGB as seen with full deuteranopia, protanopia, tritanopia: Machado, Oliveira & Fernandes (2009).
BLINDNESS = np.array(
    [
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ]
)
BOTH = pytest.mark.parametrize("mode", ["light", "dark"])


def linear(colour):
    channels = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    """Björn Ottosson's OKLab, in which equal distances look equal."""
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    ) @ np.clip(rgb, 0, 1)
    return np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    ) @ np.cbrt(cones)


@BOTH
@pytest.mark.parametrize("name", ["sequential", "diverging"])
def test_scales_have_equal_steps(mode, name):
    colours = np.array([oklab(linear(stop)) for stop in getattr(theme(mode), name)])
    steps = np.linalg.norm(np.diff(colours, axis=0), axis=1)
    assert steps.max() / steps.min() < 1.1


@BOTH
def test_zero_is_the_background_and_lightness_is_monotonic(mode):
    colours = theme(mode)
    assert colours.sequential[0] == colours.background == colours.diverging[len(colours.diverging) // 2]
    lightness = np.diff([oklab(linear(stop))[0] for stop in colours.sequential])
    assert (lightness < 0).all() if mode == "light" else (lightness > 0).all()


@BOTH
def test_hues_can_be_told_apart_by_colour_blind_readers(mode):
    colours = theme(mode)
    for pair in [*itertools.combinations(colours.groups, 2), colours.classes, (colours.query, colours.key)]:
        for eye in [np.eye(3), *BLINDNESS]:
            first, second = (oklab(eye @ linear(colour)) for colour in pair)
            assert np.linalg.norm(first - second) > 0.12, pair


@BOTH
def test_differences_are_orange_below_zero_and_blue_above(mode):
    stops = theme(mode).diverging
    for below, above in zip(stops[:5], stops[:5:-1], strict=True):
        (red, _, blue), (other_red, _, other_blue) = linear(below), linear(above)
        assert red > blue and other_blue > other_red
        for eye in [np.eye(3), *BLINDNESS]:  # the palest pair differs least
            assert np.linalg.norm(oklab(eye @ linear(below)) - oklab(eye @ linear(above))) > 0.075, (below, above)


@BOTH
def test_text_and_marks_can_be_read(mode):
    colours = theme(mode)
    assert contrast(colours.ink, colours.background) > 10
    assert contrast(colours.muted, colours.background) > 4.5 and contrast(colours.muted, colours.surface) > 4.5
    assert all(contrast(mark, colours.background) > 4.5 for mark in (colours.query, colours.key, colours.accent))
    assert all(contrast(hue, colours.background) > 3 for hue in (*colours.groups, *colours.classes, *colours.heads))
    shades = [
        shade(stops, share) for stops in (colours.sequential, colours.diverging) for share in np.linspace(0, 1, 101)
    ]
    assert min(contrast(ink_on(colour), colour) for colour in shades) > 4.5


@BOTH
def test_ten_classes_can_be_told_apart_and_have_hues_of_their_own(mode):
    colours = theme(mode)
    assert colours.class_hues(2) == colours.classes and len(set(colours.class_hues(10))) == 10
    assert colours.class_hues(11)[10] == colours.class_hues(3)[0]
    for eye in [np.eye(3), *BLINDNESS]:
        hues = [oklab(eye @ linear(hue)) for hue in colours.class_hues(10)]
        assert min(np.linalg.norm(first - second) for first, second in itertools.combinations(hues, 2)) > 0.06
    for hue, label in itertools.product(colours.class_hues(10), colours.classes):
        assert np.linalg.norm(oklab(linear(hue)) - oklab(linear(label))) > 0.11, (hue, label)
    readable = sum(contrast(hue, colours.background) > 3 for hue in colours.class_hues(10))
    assert readable >= {"light": 6, "dark": 8}[mode], "the others are seen by their edge, which is muted"


@BOTH
def test_agreement_has_no_hue(mode):
    for share in np.linspace(0, 1, 5):
        colour = oklab(linear(shade(theme(mode).neutral, share)))
        assert np.linalg.norm(colour[1:]) < 0.025  # OKLab's chroma; the palest blue of differences has 0.04


@BOTH
def test_compared_heads_can_be_told_apart(mode):
    hues = [oklab(linear(colour)) for colour in theme(mode).heads]
    assert min(np.linalg.norm(first - second) for first, second in itertools.combinations(hues, 2)) > 0.1


@BOTH
def test_compared_heads_do_not_have_the_hues_of_the_classes(mode):
    colours = theme(mode)
    for head, label in itertools.product(colours.heads, colours.classes):
        assert np.linalg.norm(oklab(linear(head)) - oklab(linear(label))) > 0.11, (head, label)


def test_contrast_and_shade_by_hand():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert ink_on("#ffffff") == "#000000" and ink_on("#0e1117") == "#ffffff"
    assert (
        min(contrast(ink_on(grey), grey) for grey in (f"#{level:02x}{level:02x}{level:02x}" for level in range(256)))
        > 4.5
    )
    assert [shade(("#000000", "#0a64ff", "#ffffff"), share) for share in (0, 0.25, 0.5, 1)] == [
        "#000000",
        "#053280",
        "#0a64ff",
        "#ffffff",
    ]


def test_projector_is_larger_in_the_same_colours():
    laptop, projector = theme("dark"), theme("dark", projector=True)
    assert projector.text > laptop.text and projector.side > laptop.side
    assert projector.sequential == laptop.sequential and projector.group(-1) == laptop.groups[0]


def test_unknown_modes_are_rejected():
    with pytest.raises(ValueError, match="'sepia'"):
        theme("sepia")


def test_template_has_the_page_colours(light):
    layout = template(light).layout
    assert layout.paper_bgcolor == "#ffffff" and "Noto Sans CJK SC" in layout.font.family


def test_two_figures_fit_side_by_side():
    assert half_width(theme("light")).side == 336 and half_width(theme("dark")).text == theme("dark").text


def test_a_task_brings_the_hues_of_its_classes():
    two, three = ("#112233", "#445566"), ("#112233", "#445566", "#778899")
    assert theme("light").with_colours(()) == theme("light")
    assert theme("dark").with_colours(two).class_hues(2) == two
    assert theme("dark").with_colours(three).class_hues(3) == three
    assert theme("light").with_colours(three).class_hues(2) == theme("light").classes
