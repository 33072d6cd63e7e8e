"""Downloads of the logit lens and of queries and keys in a plane, worked out by hand."""

import csv
import io

import numpy as np

from viz_core.records.inside import ClassLens, QueryKeyPlane, TokenLens
from viz_core.tables.downloads import lens_csv, plane_csv, token_lens_csv

FIRST_QUERY, SECOND_QUERY = ("1", "'+", "0.000000", "0.000000"), ("2", "b", "1.000000", "0.000000")


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
        start=4,
        positions=6,
    )
    assert rows(token_lens_csv(lens)) == [
        ["layer", "position", "read", "likeliest", "output", "probability", "rank"],
        ["0", "5", "[CLS]", "a", "'=1", "0.100000", "1"],
        ["0", "6", "'=1", "b", "go", "0.200000", "0"],
        ["1", "5", "[CLS]", "'=1", "'=1", "0.600000", "0"],
        ["1", "6", "'=1", "go", "go", "0.700000", "1"],
    ]


def test_a_line_per_pair_by_which_the_plane_can_be_checked():
    """A text of two tokens, and one of one: products 8 and 2 are 3 above and below their mean, 5."""
    queries, keys = np.array([[0.0, 0], [1, 0], [9, 9]]), np.array([[0.0, 1], [1, 2], [9, 9]])
    plane = QueryKeyPlane(
        layer=0,
        head=1,
        texts=(("+ b",), ("c",)),
        queries=queries,
        keys=keys,
        labels=("+", "b", "c"),
        of_text=np.array([0, 0, 1]),
        positions=np.array([0, 1, 0]),
        groups=np.array([0, 0, 0]),
        pairs=np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]]),
        products=np.array([8.0, 2, 1, 1, 7]),
        scale=1.25,
        correlation=0.5,
        explained=0.9,
    )
    side = ["position", "", "x", "y"]
    headings = [f"{name}_{part}".rstrip("_") for name in ("query", "key") for part in side]
    assert rows(plane_csv(plane)) == [
        ["text", *headings, "product", "relative", "squared_distance", "c", "correlation"],
        *(
            [text, *first, *second, *map("{:.6f}".format, numbers), "1.250000", "0.500000"]
            for text, first, second, *numbers in (
                ("1", FIRST_QUERY, ("1", "'+", "0.000000", "1.000000"), 8, 3, 1),
                ("1", FIRST_QUERY, ("2", "b", "1.000000", "2.000000"), 2, -3, 5),
                ("1", SECOND_QUERY, ("1", "'+", "0.000000", "1.000000"), 1, 0, 2),
                ("1", SECOND_QUERY, ("2", "b", "1.000000", "2.000000"), 1, 0, 4),
                ("2", ("1", "c", "9.000000", "9.000000"), ("1", "c", "9.000000", "9.000000"), 7, 0, 0),
            )
        ),
    ]
