"""Views of one head: how far it attends, its statistics beside their controls, the tokens it joins."""

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.fake_survey import survey
from viz_core.records import DISTANCE_BINS, POSITIONS, Failure, TokenPair
from viz_core.rendering.head_distance import bin_name, head_distance
from viz_core.rendering.head_positions import head_positions
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


def test_rows_are_queries_and_positions_that_no_text_has_are_left_out(say, light):
    example = survey()
    example.uniform_positions[4:] = example.uniform_positions[:, 3:] = 0
    example.positions[1, 0, 2, 1] = 0.75
    (cells,) = head_positions(example, 1, 0, say, light).data
    assert (cells.z.shape, list(cells.x), list(cells.y)) == ((4, 3), ["1", "2", "3"], ["1", "2", "3", "4"])
    assert cells.z[2, 1] == 0.75 and head_positions(survey(), 0, 0, say, light).data[0].x[-1] == f"> {POSITIONS}"


def test_a_survey_of_an_earlier_version_has_no_positions(say, light):
    with pytest.raises(ValueError):
        head_positions(replace(survey(), positions=np.zeros(0)), 0, 0, say, light)


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
    example.positions[0, 0] = 0.8 * np.eye(POSITIONS + 1, k=-1) + 0.2 / (POSITIONS + 1)
    picture_of_figure(head_positions(example, 0, 0, say, theme), f"head_positions_{name}")
