from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.fake_health import heads
from viz_core.language import Translator
from viz_core.rendering.head_profile import head_profile
from viz_core.rendering.theme import theme


def example(layers: int, count: int, pair: bool = True):
    random = np.random.default_rng(0)
    uniform = heads(layers, count, pair)
    shares = {name: random.beta(0.7, 1.5, (layers, count)) for name in uniform.statistics}
    return replace(uniform, statistics=shares | {"distance": random.uniform(1, 14, (layers, count))})


def test_a_map_per_statistic_on_one_scale_and_distance_on_its_own(say, light):
    profile = example(4, 4)
    figure = head_profile(profile, say, light)
    assert len(figure.data) == 11 and {trace.coloraxis for trace in figure.data} == {"coloraxis"}
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    for trace, (name, values) in zip(figure.data, profile.statistics.items(), strict=True):
        np.testing.assert_allclose(trace.z, values / values.max() if name == "distance" else values)
        np.testing.assert_allclose(trace.customdata, values)
    assert f"{profile.statistics['distance'].max():.1f} tokens" in figure.layout.title.subtitle.text
    assert f"over {profile.rows:,} validation inputs" in figure.layout.title.subtitle.text
    assert list(figure.data[0].y) == ["1", "2", "3", "4"] and figure.layout.yaxis.autorange == "reversed"


def test_a_review_model_has_no_statistics_of_pairs(say, light):
    figure = head_profile(example(2, 4, pair=False), say, light)
    assert len(figure.data) == 9 and "other sentence" not in figure.to_json()


def test_shapes_that_differ_are_rejected(say, light):
    profile = heads(2, 2, pair=False)
    for statistics in ({}, {**profile.statistics, "cls": np.zeros((2, 3))}, {"cls": np.zeros(4)}):
        with pytest.raises(ValueError, match="layers × heads"):
            head_profile(replace(profile, statistics=statistics), say, light)


def test_sizes_from_one_head_to_many(say, light):
    for layers, count in ((1, 1), (12, 16), (1, 32)):
        layout = head_profile(example(layers, count), say, light).layout
        assert layout.width < 1400 and layout.height < 1200


@pytest.mark.browser
class TestPictures:
    def test_of_a_pair_model(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(head_profile(example(4, 4), say, theme), f"head_profile_{name}")

    def test_of_a_review_model_on_a_projector(self, picture_of_figure):
        picture_of_figure(
            head_profile(example(2, 8, pair=False), Translator("zh"), theme("dark", projector=True)),
            "head_profile_projector",
        )

    def test_of_many_heads(self, picture_of_figure):
        picture_of_figure(head_profile(example(12, 12), Translator("en"), theme("light")), "head_profile_many")
