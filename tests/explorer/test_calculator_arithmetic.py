"""The arithmetic of the calculator: examples worked out by hand, and against NumPy."""

import math
from itertools import product

import numpy as np
import pytest

from tests import steps

pytestmark = pytest.mark.browser

COMPUTE = "return Object.fromEntries([...calculator_steps.compute(exercise)].map(([id, { values }]) => [id, values]))"
# Three tokens with d = 4, so that √d is 2, of which queries, keys and scores are seen at a glance.
BY_HAND = {
    "kind": "self", "heads": 1, "width": 4, "head": 4, "tokens": 3, "targets": 3, "projected": False,
    "numbers": {
        "x": [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]],
        "wq1": [[2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        "wk1": [[1, 0, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        "wv1": [[3, 0, 0, 0], [0, 6, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    },
}  # fmt: skip


def exercise(**sizes) -> dict:
    """Random integers, seeded, for an exercise of these sizes."""
    random = np.random.default_rng(0)
    sizes = {"heads": 1, "width": 3, "head": 2, "tokens": 4, "targets": 3, "projected": False, **sizes}
    shapes = {"x": (sizes["tokens"], sizes["width"])}
    if sizes["kind"] == "cross":
        shapes["y"] = (sizes["targets"], sizes["width"])
    for head, name in product(range(1, sizes["heads"] + 1), "qkv"):
        shapes[f"w{name}{head}"] = (sizes["width"], sizes["head"])
    if sizes["projected"]:
        shapes["wo"] = (sizes["heads"] * sizes["head"], sizes["width"])
    return {**sizes, "numbers": {name: random.integers(-3, 4, shape).tolist() for name, shape in shapes.items()}}


def by_numpy(exercise: dict) -> dict[str, np.ndarray]:
    """The same with the functions of analysis/inside/steps.py."""
    given = {name: np.array(values, float) for name, values in exercise["numbers"].items()}
    x, y = given["x"], given.get("y", given["x"])
    results, outputs = {}, []
    for head in range(1, exercise["heads"] + 1):
        q, k, v = (
            steps.linear(rows, given[f"w{name}{head}"].T, np.zeros(exercise["head"]))
            for name, rows in (("q", y), ("k", x), ("v", x))
        )
        scores = steps.scores(q, k)
        scaled = steps.scale(scores, exercise["head"])
        if exercise["kind"] == "causal":
            scaled = np.where(np.tri(len(x), dtype=bool), scaled, -np.inf)
        weights = steps.softmax(scaled)
        outputs.append(weights @ v)
        results |= {f"{name}{head}": part for name, part in zip("qkvsao", (q, k, v, scores, weights, outputs[-1]))}  # noqa: B905
    if exercise["projected"]:
        results["r"] = np.concatenate(outputs, 1) @ given["wo"]
    return results


def test_an_exercise_by_hand(js):
    result = js(COMPUTE, exercise=BY_HAND)
    assert [row[0] for row in result["q1"]] == [2, 0, 2] and [row[0] for row in result["k1"]] == [1, -1, 0]
    assert result["s1"] == [[2, -2, 0], [0, 0, 0], [2, -2, 0]]
    assert result["z1"] == [[1, -1, 0], [0, 0, 0], [1, -1, 0]]
    e = math.e
    np.testing.assert_allclose(result["e1"][0], [e, 1 / e, 1])
    np.testing.assert_allclose(result["u1"], [[e + 1 / e + 1], [3], [e + 1 / e + 1]])
    assert result["a1"][1] == pytest.approx([1 / 3] * 3)
    assert result["o1"][1] == pytest.approx([2, 4, 0, 0]), "the mean of the values (3, 0), (0, 6) and (3, 6)"


def test_a_causal_mask_by_hand(js):
    result = js(COMPUTE, exercise={**BY_HAND, "kind": "causal"})
    assert result["a1"][0] == [1, 0, 0] and result["o1"][0] == [3, 0, 0, 0], "the first token attends only to itself"
    assert result["a1"][1] == [0.5, 0.5, 0] and result["o1"][1] == [1.5, 3, 0, 0]
    assert result["m1"][0][1:] == [-math.inf, -math.inf]


@pytest.mark.parametrize(
    "sizes",
    [
        {"kind": "self"},
        {"kind": "self", "tokens": 6, "width": 4, "head": 3, "projected": True},
        {"kind": "causal", "heads": 2, "projected": True},
        {"kind": "cross", "heads": 2, "head": 4, "targets": 5, "projected": True},
    ],
    ids=str,
)
def test_all_steps_are_those_of_numpy(js, sizes):
    given = exercise(**sizes)
    result, expected = js(COMPUTE, exercise=given), by_numpy(given)
    for name, values in expected.items():
        np.testing.assert_allclose(result[name], values, atol=1e-6, err_msg=name)


def test_examples_have_integer_scores_and_weights_that_differ(js):
    examples = js(f"const all = (exercise) => {{ {COMPUTE} }}; return Object.entries(calculator_examples.EXAMPLES)"
                  ".map(([name, exercise]) => [name, exercise, all(exercise)])")  # fmt: skip
    assert [name for name, _, _ in examples] == ["d2", "d3", "d4", "causal", "heads", "cross"]
    for name, given, result in examples:
        for head in range(1, given["heads"] + 1):
            scores = np.array(result[f"s{head}"])
            assert (scores == np.rint(scores)).all() and np.abs(scores).max() <= 12, name
            assert np.ptp(result[f"a{head}"]) > 0.3, f"{name}: the weights of head {head} are hardly different"
        for matrix, values in by_numpy(given).items():
            np.testing.assert_allclose(result[matrix], values, atol=1e-6, err_msg=f"{name} {matrix}")


def test_large_scores_are_shifted_and_small_ones_are_not(js):
    assert js("return [[3, 1], [10, -9], [12, 11], [-20, -30]].map(calculator_steps.shiftOf)") == [0, 0, 12, -20]
    large = {**BY_HAND, "numbers": {**BY_HAND["numbers"], "x": [[100, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]]}}
    result = js(COMPUTE, exercise=large)
    assert result["z1"][0] == [10_000, -100, 0]
    assert result["e1"][0] == [1, 0, 0] and result["a1"][0] == [1, 0, 0]


@pytest.mark.parametrize(
    "number, decimals, text",
    [(1, 2, "1"), (0.5, 2, "0.5"), (0.125, 2, "0.13"), (1 / 3, 2, "0.33"), (0.999, 2, "1.00"), (-1.5, 2, "−1.5"),
     (-0.001, 2, "0.00"), (0.1 + 0.2, 2, "0.3"), (2, 4, "2"), (123456, 2, "1.2e5")],
)  # fmt: skip
def test_numbers_are_written_with_few_decimals(js, number, decimals, text):
    assert js("return calculator_numbers.format(number, decimals)", number=number, decimals=decimals) == text


def test_a_number_is_exact_if_its_decimals_are_all_shown(js):
    exact = "return numbers.map((number) => calculator_numbers.isExact(number, 2))"
    assert js(exact, numbers=[1, 0.25, 0.125, 1 / 3, -2.5, 1e6]) == [True, True, False, False, True, False]
    assert js("return calculator_numbers.isExact(-Infinity, 2) && calculator_numbers.format(-Infinity, 2)") == "−∞"


@pytest.mark.parametrize(
    "text, expected",
    [("2", 2), (" −1.5 ", -1.5), ("+3", 3), (".5", 0.5), ("２", 2), ("-0", 0), ("", "empty"), ("two", "not_a_number"),
     ("1/2", "not_a_number"), ("1e3", "not_a_number"), ("101", "too_large"), ("0.1234", "too_fine"), ("100", 100)],
)  # fmt: skip
def test_what_is_typed_is_a_number_or_a_problem(js, text, expected):
    result = js("return calculator_numbers.parseNumber(text)", text=text)
    assert result == ({"problem": expected} if isinstance(expected, str) else {"value": expected})


WRITE = """const blocks = calculator_steps.compute(exercise), block = blocks.get(id);
const { writeOut, sources } = calculator_derivation;
return [writeOut(blocks, block, row, column, 2), sources(blocks, block, row, column)]"""


@pytest.mark.parametrize(
    "cell, sum_, sources",
    [
        (("x", 0, 0), "", []),
        (("q1", 0, 0), "1 × 2 + 0 × 0 + 0 × 0 + 0 × 0 = 2",
         [["x", 0, i] for i in range(4)] + [["wq1", i, 0] for i in range(4)]),
        (("t1", 0, 1), "−1", [["k1", 1, 0]]),
        (("s1", 0, 1), "2 × (−1) + 0 × 0 + 0 × 0 + 0 × 0 = −2",
         [["q1", 0, i] for i in range(4)] + [["t1", i, 1] for i in range(4)]),
        (("z1", 0, 1), "(−2) ÷ √4 = (−2) ÷ 2 = −1", [["s1", 0, 1]]),
        (("e1", 0, 0), "e^1 ≈ 2.72", [["z1", 0, 0]]),
        (("e1", 1, 0), "e^0 = 1", [["z1", 1, 0]]),
        (("u1", 0, 0), "2.72 + 0.37 + 1 ≈ 4.09", [["e1", 0, i] for i in range(3)]),
        (("a1", 0, 1), "0.37 ÷ 4.09 ≈ 0.09", [["e1", 0, 1], ["u1", 0, 0]]),
        (("a1", 1, 1), "1 ÷ 3 ≈ 0.33", [["e1", 1, 1], ["u1", 1, 0]]),
    ],
)  # fmt: skip
def test_a_cell_is_written_out(js, cell, sum_, sources):
    identifier, row, column = cell
    assert js(WRITE, exercise=BY_HAND, id=identifier, row=row, column=column) == [sum_, sources]


def test_masked_and_joined_cells_are_written_out(js):
    causal = {**BY_HAND, "kind": "causal"}
    assert js(WRITE, exercise=causal, id="m1", row=0, column=1) == ["−1 → −∞", [["z1", 0, 1]]]
    assert js(WRITE, exercise=causal, id="e1", row=0, column=1) == ["e^−∞ = 0", [["m1", 0, 1]]]
    two = exercise(kind="self", heads=2)
    assert js(WRITE, exercise=two, id="c", row=1, column=3)[1] == [["o2", 1, 1]]


def test_every_source_of_every_cell_exists_and_marks_the_number_that_is_written(js):
    """Also of the largest exercise: no cell refers to one that is not there."""
    count = js("""let count = 0;
      const blocks = calculator_steps.compute(exercise);
      for (const block of blocks.values()) block.values.forEach((line, row) => line.forEach((_, column) => {
        for (const [id, i, j] of calculator_derivation.sources(blocks, block, row, column)) {
          if (!Number.isFinite(blocks.get(id).values[i][j])) throw new Error(`${block.id} ${row} ${column}`);
          count += 1;
        }
        calculator_derivation.writeOut(blocks, block, row, column, 2);
      }));
      return count;""", exercise=exercise(kind="cross", heads=2, projected=True))  # fmt: skip
    assert count > 500
