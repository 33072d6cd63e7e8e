from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.fake_health import heads
from tests.words import says
from viz_core.rendering.head_profile import head_profile


def example(layers: int, count: int, pair: bool = True):
    random = np.random.default_rng(0)
    profile = heads(layers, count, pair)
    shares = {name: random.beta(0.7, 1.5, (layers, count)) for name in profile.statistics}
    uniform = dict.fromkeys(shares, 0.06) | {"entropy": 1, "entropy_cls": 1, "dependence": 0, "distance": 5.6}
    statistics = shares | {"distance": random.uniform(1, 14, (layers, count))}
    return replace(profile, statistics=statistics, uniform=uniform)


def test_a_row_per_head_and_a_column_per_statistic(say, light):
    profile = replace(example(2, 4), uniform={})
    figure = head_profile(profile, say, light)
    table, numbers = figure.data
    shares = {**profile.statistics, "distance": profile.statistics["distance"] / profile.statistics["distance"].max()}
    assert table.z.shape == (8, 12) and (table.zmin, table.zmax) == (0, 1)
    assert list(figure.layout.yaxis.ticktext) == ["1.1", "1.2", "1.3", "1.4", "2.1", "2.2", "2.3", "2.4"]
    for column, values in enumerate(shares.values()):
        np.testing.assert_allclose(table.z[:, column], values.ravel())
    assert list(numbers.text) == [number for row in table.text for number in row]
    assert says(figure.layout.title.subtitle.text, "health.profile_note", rows=profile.rows)


def test_heads_are_ranked_by_a_statistic(say, light):
    """Heads without a value stand last."""
    values = {"entropy": np.array([[0.5, 0.4], [0.3, 0.2]]), "same": np.array([[0.1, np.nan], [0.7, 0.2]])}
    figure = head_profile(replace(heads(2, 2, pair=True), statistics=values), say, light, "same")
    table = figure.data[0]
    assert list(figure.layout.yaxis.ticktext) == ["2.1", "2.2", "1.1", "1.2"]
    assert [list(row) for row in table.text] == [["0.30", "0.70"], ["0.20", "0.20"], ["0.50", "0.10"], ["0.40", "–"]]
    assert list(table.customdata[0][1]) == ["2.1", say("health.statistic_same")] and not figure.layout.shapes
    entropy, same = (text.replace("<br>", " ") for text in figure.layout.xaxis.ticktext)
    assert (entropy, same) == (say("health.statistic_entropy"), f"<b>{say('health.statistic_same')} ↓</b>")
    assert figure.layout.xaxis.tickangle == 0  # on a narrow page Plotly turns them into each other
    with pytest.raises(ValueError, match="'next'.*entropy, same"):
        head_profile(replace(heads(2, 2, pair=True), statistics=values), say, light, "next")


def test_a_uniform_head_is_below_the_others_or_at_its_rank(say, light):
    profile = replace(
        heads(2, 2, pair=False),
        statistics={"entropy": np.array([[0.5, 0.4], [0.3, 0.2]]), "previous": np.array([[0.1, 0.9], [0.7, 0.2]])},
        uniform={"entropy": 1.0, "previous": 0.25},
    )
    figure = head_profile(profile, say, light)
    assert list(figure.layout.yaxis.ticktext) == ["1.1", "1.2", "2.1", "2.2", say("health.uniform")]
    assert list(figure.data[0].text[-1]) == ["1.00", "0.25"]
    assert [line.y0 for line in figure.layout.shapes] == [1.5, 3.5]
    assert says(figure.layout.title.subtitle.text, "health.uniform_note")
    ranked = head_profile(profile, say, light, "previous")
    assert list(ranked.layout.yaxis.ticktext) == ["1.2", "2.1", say("health.uniform"), "2.2", "1.1"]
    assert [line.y0 for line in ranked.layout.shapes] == [1.5, 2.5]


def test_numbers_are_shares_with_two_decimals_and_distances_with_one(say, light):
    profile = heads(1, 2, pair=False)
    nothing = {"cls": np.array([[0.0, 0.0]]), "self": np.array([[0.126, np.nan]])}
    table = head_profile(replace(profile, statistics={"distance": np.array([[12.34, 3]]), **nothing}), say, light).data[
        0
    ]
    assert [list(row) for row in table.text] == [["12.3", "0.00", "0.13"], ["3.0", "0.00", "–"]]
    np.testing.assert_allclose(table.z, [[1, 0, 0.126], [3 / 12.34, 0, np.nan]])
    assert list(table.customdata[1][0]) == ["1.2", say("health.statistic_distance")]


def test_a_review_model_has_no_statistics_of_pairs(say, light):
    figure = head_profile(example(2, 4, pair=False), say, light)
    assert figure.data[0].z.shape == (9, 10) and say("health.statistic_other") not in figure.to_json()


def test_shapes_that_differ_are_rejected(say, light):
    profile = heads(2, 2, pair=False)
    for statistics in ({}, {**profile.statistics, "cls": np.zeros((2, 3))}, {"cls": np.zeros(4)}):
        with pytest.raises(ValueError, match="layers × heads"):
            head_profile(replace(profile, statistics=statistics), say, light)


def test_sizes_from_one_head_to_many(say, light):
    """Rows of 1.7 font sizes, one of them of the uniform head."""
    for layers, count in ((1, 1), (4, 8)):
        layout = head_profile(example(layers, count), say, light).layout
        assert layout.width < 1120
        assert layout.height - layout.margin.t - layout.margin.b == pytest.approx(
            (layers * count + 1) * 1.7 * 14, abs=1
        )


@pytest.mark.browser
class TestPictures:
    def test_of_a_pair_model(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(head_profile(example(4, 4), say, theme), f"head_profile_{name}")
