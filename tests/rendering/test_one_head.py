"""Views of one head: how far it attends, its statistics beside their controls, the tokens it joins."""

import numpy as np
import pytest

from tests.analysis.fake_survey import survey
from viz_core.records import DISTANCE_BINS, Failure, TokenPair
from viz_core.rendering.head_distance import bin_name, head_distance
from viz_core.rendering.head_tables import pairs_table, statistics_table


def test_bars_are_the_shares_and_dashes_those_of_a_uniform_head(say, light):
    example = survey()
    example.distances[1, 0] = 0
    example.distances[1, 0, DISTANCE_BINS.index(-1)] = 1
    bars, dashes = head_distance(example, 1, 0, say, light).data
    assert dict(zip(bars.x, bars.y, strict=True))["−1"] == 1 and sum(bars.y) == 1
    assert list(dashes.y) == example.uniform_distances.tolist() and len(bars.x) == len(DISTANCE_BINS)


def test_distances_that_no_query_can_reach_are_left_out(say, light):
    example = survey(kind="causal")
    example.uniform_distances[DISTANCE_BINS.index(0) + 1 :] = 0
    assert head_distance(example, 0, 0, say, light).data[0].x[-1] == "0"


NAMES = {-1_000_000: "≤ −33", -32: "−32 … −17", -8: "−8", 0: "0", 1: "+1", 9: "+9 … +16", 33: "≥ +33"}


@pytest.mark.parametrize("low, name", NAMES.items())
def test_names_of_bins(low, name):
    assert bin_name(DISTANCE_BINS.index(low)) == name


def test_numbers_that_are_not_finite_are_refused(say, light):
    example = survey()
    example.distances[0, 0, 0] = np.nan
    with pytest.raises(Failure):
        head_distance(example, 0, 0, say, light)


def test_a_row_per_statistic_with_controls_and_rank(say):
    example = survey(previous=np.array([[0.2, 0.9], [0.5, 0.1]]))
    table = statistics_table(example, 1, 0, say).set_index(say("heads.column_statistic"))
    row = table.loc[say("health.statistic_previous")]
    assert row[say("heads.column_mean")] == "50%" and row[say("heads.column_interval")] == "49%–51%"
    assert row[say("heads.column_rank")] == say("heads.rank", rank=2, heads=4)
    assert row[say("heads.column_shuffled")] == "–" and row[say("health.uniform")] == "5%"
    assert table.loc[say("health.statistic_same")][say("heads.column_shuffled")] == "10%"
    assert table.loc[say("health.statistic_distance")][say("heads.column_mean")] == "8.0"


def test_a_row_per_pair_with_its_lift(say):
    table = pairs_table((TokenPair(5, 6, 1200, 400.0),), {5: "花", 6: "呗"}.__getitem__, say)
    assert table.iloc[0].tolist() == ["花", "呗", "1,200", "3.0 ×"]


@pytest.mark.browser
def test_a_picture(look, picture_of_figure):
    theme, say, name = look
    example = survey()
    example.distances[0, 0] = np.linspace(0, 0.1, len(DISTANCE_BINS))
    picture_of_figure(head_distance(example, 0, 0, say, theme), f"head_distance_{name}")
