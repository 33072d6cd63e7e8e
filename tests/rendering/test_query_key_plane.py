"""Queries and keys as points of a plane."""

from dataclasses import replace

import numpy as np
import pytest

from tests.words import says
from viz_core.records import Failure, Message
from viz_core.records.inside import QueryKeyPlane
from viz_core.rendering.query_key_plane import query_key_scatter


def plane(texts: int = 2) -> QueryKeyPlane:
    """Texts of seven tokens: [CLS] and three, [SEP] and two; queries around keys of the same position."""
    random, count = np.random.default_rng(0), 7 * texts
    keys = np.stack([np.cos(np.arange(count)), np.sin(np.arange(count) * 2)], 1)
    labels = ("[CLS]", "花", "呗", "<b>", "[SEP]", "借", "呗")
    return QueryKeyPlane(
        1,
        0,
        tuple((f"花呗<b>{number}", "借呗") for number in range(texts)),
        keys + random.normal(0, 0.2, keys.shape),
        keys,
        labels * texts,
        np.repeat(np.arange(texts), 7),
        np.tile(np.arange(7), texts),
        np.tile([-1, 0, 0, 0, -1, 1, 1], texts),
        np.tile(np.arange(count)[:, None], 2),
        np.ones(count),
        1.3,
        0.71,
        0.64,
    )


def test_queries_and_keys_have_their_hues_and_symbols(say, light):
    figure = query_key_scatter(plane(), "side", say, light)
    keys, queries = figure.data
    assert (keys.name, keys.marker.symbol, keys.marker.color) == (say("plane.key"), "diamond", light.key)
    assert (queries.name, queries.marker.symbol, queries.marker.color) == (say("plane.query"), "circle", light.query)
    assert list(queries.x) == pytest.approx(plane().queries[:, 0].tolist())
    text = "花呗&lt;b&gt;0 / 借呗"
    assert keys.customdata[3] == say("plane.hover", token="&lt;b&gt;", position=4, text=text)
    note = figure.layout.title.subtitle.text
    assert says(note, "plane.figures", tokens=14, texts=2, explained="64%")
    assert figure.layout.yaxis.scaleanchor == "x", "distances are the same in all directions"


def test_positions_are_coloured_on_one_scale_and_counted_from_1(say, light):
    figure = query_key_scatter(plane(), "position", say, light)
    assert list(figure.data[0].marker.color) == plane().positions.tolist()
    assert figure.layout.coloraxis.colorbar.ticktext == ("1", "4", "7")


def test_kinds_of_tokens_are_special_ones_and_the_sentences(say, light):
    def keys_of(group: str) -> str:
        return say("plane.of_group", side=say("plane.key"), group=say(group))

    names = [trace.name for trace in query_key_scatter(plane(), "group", say, light).data]
    assert names[:3] == [
        keys_of("rendering.special_tokens"),
        keys_of("rendering.sentence_a"),
        keys_of("rendering.sentence_b"),
    ]
    assert len(names) == 6
    single = replace(plane(), groups=np.minimum(plane().groups, 0))
    assert [trace.name for trace in query_key_scatter(single, "group", say, light).data][1] == keys_of("plane.text")


def test_what_does_not_match_is_refused(say, light):
    with pytest.raises(ValueError, match="'hue'"):
        query_key_scatter(plane(), "hue", say, light)
    with pytest.raises(ValueError, match="14 labels"):
        query_key_scatter(replace(plane(), keys=np.zeros((3, 2))), "side", say, light)
    with pytest.raises(Failure):
        query_key_scatter(replace(plane(), keys=plane().keys * np.nan), "side", say, light)


def test_a_head_that_no_plane_represents_is_not_drawn(say, light):
    assert query_key_scatter(replace(plane(), correlation=0.5), "side", say, light)
    with pytest.raises(Failure) as failure:
        query_key_scatter(replace(plane(), correlation=0.4949), "side", say, light)
    values = {"layer": 2, "head": 1, "correlation": "0.49", "least": 0.5}
    assert failure.value.message == Message("plane.not_represented", values)


@pytest.mark.browser
class TestPictures:
    def test_of_queries_and_keys(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(query_key_scatter(plane(12), "side", say, theme), f"plane_side_{name}")

    @pytest.mark.parametrize("colour", ["group", pytest.param("position", marks=pytest.mark.slow)])
    def test_of_other_colours(self, colour, say, light, picture_of_figure):
        picture_of_figure(query_key_scatter(plane(12), colour, say, light), f"plane_{colour}_en_light")


def test_many_tokens_have_a_thousands_separator(say, light):
    note = query_key_scatter(plane(200), "side", say, light).layout.title.subtitle.text
    assert says(note, "plane.figures", tokens=1400, texts=200)
