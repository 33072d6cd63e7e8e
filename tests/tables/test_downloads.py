"""Downloads hold exactly the values of the records, whatever the tokens are."""

import csv
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.analysis.fake_alignment import alignment
from tests.analysis.fake_survey import survey
from tests.rendering.test_importance import importance
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.records import AttentionMap, Attribution, Message, TokenWeights
from viz_core.tables.downloads import alignment_csv, attributions_csv, explanation_npz, map_csv, survey_csv, weights_csv

HOSTILE = ("the", "the", "a,b", 'say "x"', "two\nlines", "r\r\n", "", "…花呗", "<b>", "1;2")
FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", '"=1"')


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def number_labels(labels) -> list[str]:
    return [f"{number} {label}" for number, label in enumerate(labels, 1)]


def random_map(queries: tuple[str, ...], keys: tuple[str, ...]) -> AttentionMap:
    weights = np.random.default_rng(0).dirichlet(np.ones(len(keys)), len(queries)).astype(np.float32)
    return AttentionMap(queries, keys, weights, np.zeros(len(queries), int), np.zeros(len(keys), int), Message("x"))


def random_weights(labels: tuple[str, ...]) -> TokenWeights:
    count = len(labels)
    weights = np.random.default_rng(1).dirichlet(np.ones(count)).astype(np.float32)
    return TokenWeights(labels, weights, np.zeros(count, int), np.zeros((count, 2), int), ("",), Message("x"))


def test_a_map_is_saved_to_six_decimals():
    heat_map = random_map(HOSTILE, HOSTILE[:4] + FORMULAS)
    (corner, *keys), *lines = rows(map_csv(heat_map))
    assert corner == "query \\ key"
    assert keys == number_labels(heat_map.keys)
    assert [line[0] for line in lines] == number_labels(heat_map.queries)
    assert [line[1:] for line in lines] == [[f"{weight:.6f}" for weight in row] for row in heat_map.weights]


def test_cells_that_cannot_be_attended_to_are_empty():
    map_ = replace(random_map(("a", "b"), ("a", "b")), weights=np.eye(2), reach=np.array([1, 2]))
    assert map_csv(map_).splitlines()[1:] == ["1 a,1.000000,", "2 b,0.000000,1.000000"]


def test_weights_are_saved_to_six_decimals():
    weights = random_weights(HOSTILE)
    header, *lines = rows(weights_csv(weights))
    assert header == ["position", "token", "weight"]
    assert lines == [
        [str(position), label, f"{weight:.6f}"]
        for position, (label, weight) in enumerate(zip(HOSTILE, weights.weights, strict=True), 1)
    ]


@pytest.mark.parametrize(
    "text", [map_csv(random_map(FORMULAS, FORMULAS)), weights_csv(random_weights(FORMULAS))], ids=["map", "weights"]
)
def test_no_cell_can_start_a_formula_in_a_spreadsheet(text):
    assert not [cell for row in rows(text) for cell in row if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]


def test_an_empty_block_has_only_a_header():
    """A single text has no second sentence."""
    assert rows(map_csv(random_map((), HOSTILE[:2]))) == [["query \\ key", "1 the", "2 the"]]


@pytest.mark.parametrize("task, texts", [("imdb", ("Not a GOOD zebra",)), ("afqmc", ("花呗\n怎么还", "🙂借呗"))])
def test_npz_holds_the_record_and_loads_without_pickle(checkpoints_dir, task, texts):
    explanation = explain(checkpoints.load(task, "tiny"), *texts)
    with np.load(io.BytesIO(explanation_npz(explanation)), allow_pickle=False) as file:
        loaded = dict(file)
    for name in ("attention", "probabilities"):
        np.testing.assert_array_equal(loaded.pop(name), getattr(explanation, name))
    for name in ("ids", "segments", "offsets", "words", "special", "unknown"):
        np.testing.assert_array_equal(loaded.pop(name), getattr(explanation.encoding, name))
    assert tuple(loaded.pop("tokens")) == explanation.encoding.tokens
    assert tuple(loaded.pop("texts")) == texts
    assert tuple(loaded.pop("labels")) == explanation.labels
    assert tuple(loaded.pop("label_ids")) == explanation.label_ids
    for name in ("model", "task", "pooling", "kind", "threshold"):
        assert loaded.pop(name)[()] == getattr(explanation, name)
    assert loaded == {}


def test_attributions_have_a_column_per_method():
    def attribution(method, values):
        return Attribution(method, HOSTILE[:3], np.zeros(3, int), np.array(values), "positive", True)

    attributions = [attribution("rollout", [0.5, 0.25, 0]), attribution("leave_one_out", [-1, 2, 0.125])]
    header, *lines = rows(attributions_csv(attributions))
    assert header == ["position", "token", "rollout", "leave_one_out"]
    assert lines == [
        ["1", "the", "0.500000", "-1.000000"],
        ["2", "the", "0.250000", "2.000000"],
        ["3", "a,b", "0.000000", "0.125000"],
    ]


def test_alignments_have_a_line_per_method_and_numbers_from_1():
    lines = alignment_csv(alignment()).split("\r\n")
    assert lines[0] == "method,query,layer,head,error_rate,low,high,precision,recall"
    assert lines[1] == "attention,produces,1,1,0.600000,0.550000,0.650000,0.390000,0.410000"
    assert "attention,produces,2,,0.300000,0.250000,0.350000,0.690000,0.710000" in lines
    assert "attention,reads,,,0.830000,0.780000,0.880000,0.160000,0.180000" in lines
    assert lines[-2] == "random,,,,0.840000,0.790000,0.890000,0.150000,0.170000"


def test_a_survey_has_a_line_per_head_with_intervals_and_controls():
    example = survey(previous=np.array([[0.2, 0.9], [0.5, 0.1]]))
    table = pd.read_csv(io.StringIO(survey_csv(example, importance(2, 2))), index_col="head", dtype={"head": str})
    assert list(table.index) == ["1.1", "1.2", "2.1", "2.2"]
    assert table["previous"].tolist() == [0.2, 0.9, 0.5, 0.1]
    assert table["previous_low"].tolist() == pytest.approx([0.19, 0.89, 0.49, 0.09])
    assert set(table["previous_uniform"]) == {0.05} and set(table["same_shuffled"]) == {0.1}
    assert "loss_change" in table and "loss_change" not in survey_csv(example) and "previous_shuffled" not in table
