"""Downloads of the logit lens and of queries and keys in a plane, worked out by hand."""

import csv
import io

import numpy as np

from viz_core.records.inside import ClassLens, QueryKeyPlane, TokenLens
from viz_core.tables.downloads import lens_csv, plane_csv, token_lens_csv


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_a_line_per_layer_with_logits_and_probabilities():
    lens = ClassLens(("no", "yes"), np.array([[0.0, 1.0], [2.0, -3.0]]), np.array([[0.25, 0.75], [0.9, 0.1]]))
    assert rows(lens_csv(lens)) == [
        ["layer", "logit_no", "logit_yes", "probability_no", "probability_yes"],
        ["0", "0.000000", "1.000000", "0.250000", "0.750000"],
        ["1", "2.000000", "-3.000000", "0.900000", "0.100000"],
    ]


def test_a_line_per_layer_and_position_of_a_translation():
    lens = TokenLens(
        ("[CLS]", "=1"),
        ("=1", "go"),
        (("a", "b"), ("=1", "go")),
        np.array([[0.1, 0.2], [0.6, 0.7]]),
        np.eye(2, dtype=int),
    )
    assert rows(token_lens_csv(lens)) == [
        ["layer", "position", "read", "likeliest", "output", "probability", "rank"],
        ["0", "1", "[CLS]", "a", "'=1", "0.100000", "1"],
        ["0", "2", "'=1", "b", "go", "0.200000", "0"],
        ["1", "1", "[CLS]", "'=1", "'=1", "0.600000", "0"],
        ["1", "2", "'=1", "go", "go", "0.700000", "1"],
    ]


def test_a_line_per_token_with_its_query_and_its_key():
    points = np.array([[1.0, 2.0], [3.0, 4.0]])
    counts = np.array([0, 0])
    plane = QueryKeyPlane(
        0, 1, (("a b",),), points, -points, ("+", "b"), counts, np.array([0, 1]), counts, 1.0, 0.5, 0.9
    )
    assert rows(plane_csv(plane)) == [
        ["text", "position", "token", "query_x", "query_y", "key_x", "key_y"],
        ["1", "1", "'+", "1.000000", "2.000000", "-1.000000", "-2.000000"],
        ["1", "2", "b", "3.000000", "4.000000", "-3.000000", "-4.000000"],
    ]
