"""The views of positions: what is drawn, and pictures."""

import numpy as np
import pytest

from tests.words import says
from viz_core.analysis.inside.positions import similarity_by_distance, sinusoids, wavelengths
from viz_core.records import Failure, PositionVectors
from viz_core.rendering.positions import position_map, similarity_lines, wavelength_chart
from viz_core.rendering.rotation import shift_rotation

T, D = 40, 16
LEARNED = PositionVectors("learned", np.random.default_rng(0).normal(0, 0.1, (T, D)).round(3))
SINUSOIDS = sinusoids(T, D)


def rotation(say, theme, pair=3, shift=5):
    pairs = SINUSOIDS.vectors[:, 2 * pair : 2 * pair + 2]
    return shift_rotation(pairs, pair, float(wavelengths(D)[pair]), shift, say, theme)


def similarities(measure="cosine"):
    return [similarity_by_distance(positions, measure, 30) for positions in (LEARNED, SINUSOIDS)]


def test_the_map_has_a_row_per_position_and_symmetric_colours(say, light):
    figure = position_map(LEARNED, say, light)
    np.testing.assert_array_equal(figure.data[0].z, LEARNED.vectors)
    bound = np.abs(LEARNED.vectors).max()
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-bound, bound)
    assert says(figure.layout.title.subtitle.text, "positions.map_note", positions=40, dimensions=16)
    assert position_map(PositionVectors("learned", np.zeros((2, 2))), say, light).layout.coloraxis.cmax > 0
    with pytest.raises(Failure):
        position_map(PositionVectors("learned", np.full((2, 2), np.nan)), say, light)


def test_a_few_numbers_that_are_far_larger_do_not_take_the_colours_of_all_others(say, light):
    vectors = LEARNED.vectors.copy()
    vectors[:3, 5] = -4.5, 5, 4.8
    figure = position_map(PositionVectors("learned", vectors), say, light)
    assert 0.2 < figure.layout.coloraxis.cmax == -figure.layout.coloraxis.cmin < 0.4
    assert says(figure.layout.title.subtitle.text, "positions.map_note_beyond", largest="5")


def test_every_wavelength_is_drawn_with_the_positions_of_the_model(say, light):
    figure = wavelength_chart(wavelengths(D), T, say, light)
    assert len(figure.data[0].x) == 8 and figure.data[0].y[0] == pytest.approx(2 * np.pi)
    assert figure.layout.yaxis.type == "log" and figure.layout.shapes[0].y0 == T


def test_a_line_and_its_range_per_kind_of_vectors(say, light):
    figure = similarity_lines(similarities(), say, light)
    lines = [trace for trace in figure.data if trace.name]
    assert [line.name for line in lines] == [
        say(f"positions.kind_{kind}") for kind in ("learned", "sinusoidal")
    ] and len(figure.data) == 6
    assert all(line.y[0] == pytest.approx(1) and len(line.x) == 31 for line in lines)
    assert similarity_lines(similarities("dot"), say, light).layout.title.text == say("positions.similarity_dot")


def test_each_arc_ends_at_the_position_k_later(say, light):
    figure = rotation(say, light)
    pairs = SINUSOIDS.vectors[:, 6:8]
    texts = [int(annotation.text) for annotation in figure.layout.annotations]
    starts, ends = texts[::2], texts[1::2]
    assert len(starts) == 3 and [end - start for start, end in zip(starts, ends, strict=True)] == [5, 5, 5]
    for number, start in enumerate(starts):
        line = figure.data[2 + 2 * number]
        assert (line.y[0], line.x[0]) == pytest.approx(pairs[start])
        angle = np.arctan2(line.y[-1], line.x[-1])
        assert (np.sin(angle), np.cos(angle)) == pytest.approx(pairs[start + 5])
    degrees = 360 * 5 / wavelengths(D)[3]
    assert says(figure.layout.title.subtitle.text, "positions.rotation_note", pair=4, degrees=f"{degrees:.1f}")


@pytest.mark.parametrize("pair, shift", [(0, 39), (7, 1), (0, 1), (3, 38)])
def test_every_pair_and_shift_is_drawn(say, light, pair, shift):
    assert len(rotation(say, light, pair, shift).layout.annotations) >= 2


def test_a_shift_beyond_the_positions_is_refused(say, light):
    with pytest.raises(ValueError, match="40 of 40"):
        rotation(say, light, shift=40)


@pytest.mark.browser
class TestPictures:
    @pytest.mark.slow
    def test_of_the_learned_vectors(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(position_map(LEARNED, say, theme), f"position_map_{name}")

    @pytest.mark.slow
    def test_of_the_wavelengths(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(wavelength_chart(wavelengths(D), T, say, theme), f"wavelengths_{name}")

    @pytest.mark.slow
    def test_of_the_similarities(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(similarity_lines(similarities(), say, theme), f"position_similarity_{name}")

    def test_of_a_rotation(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(rotation(say, theme, pair=2), f"rotation_{name}")
