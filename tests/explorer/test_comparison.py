"""Comparison with a reference: alignment and differences, by hand and as viz_core/analysis/difference.py has them."""

from dataclasses import replace

import numpy as np
import pytest

from tests.explorer import examples
from viz_core.analysis import difference
from viz_core.explorer.packed_weights import STEPS, fixed_point
from viz_core.records import Explanation

pytestmark = pytest.mark.browser

UNITS = """const parse = (text) => {
  const labels = text.split(" "), segments = [];
  labels.forEach((label, unit) => segments.push(unit && labels[unit - 1] === "[SEP]" ? 1 : segments[unit - 1] ?? 0));
  return { count: labels.length, labels, segments,
    groups: labels.map((label, unit) => (label.startsWith("[") ? -1 : segments[unit])) };
};
const aligned = alignment.alignUnits(parse(before), parse(after));"""


def align(js, before, after):
    """`[currentOf, referenceOf, moved, gaps]`; tokens in brackets are special, and `[SEP]` ends a sentence."""
    return js(
        f"{UNITS} return [aligned.currentOf, aligned.referenceOf, aligned.moved, alignment.takenOut(aligned)]",
        before=before,
        after=after,
    )


def test_words_put_in_and_taken_out(js):
    current_of, reference_of, moved, gaps = align(js, "[CLS] a fine film [SEP]", "[CLS] not a film ! [SEP]")
    assert current_of == [0, 2, -1, 3, 5]
    assert reference_of == [0, -1, 1, 3, -1, 4]
    assert not any(moved)
    assert gaps == [[], [], [], [2], [], [], []], "fine stood before film"


def test_a_word_that_moved(js):
    _, reference_of, moved, gaps = align(js, "[CLS] a good film [SEP]", "[CLS] good Film A [SEP]")
    assert reference_of == [0, 2, 3, 1, 4], "upper and lower case are equal"
    assert moved == [False, False, False, True, False]
    assert not any(gaps), "a moved word was not taken out"


def test_words_taken_out_at_the_end_stand_before_the_separator(js):
    gaps = align(js, "[CLS] a b c [SEP]", "[CLS] a [SEP]")[3]
    assert gaps == [[], [], [2, 3], []]


def test_words_align_within_their_sentence_and_move_between_them(js):
    _, reference_of, moved, _ = align(js, "[CLS] x y [SEP] z [SEP]", "[CLS] z [SEP] x y [SEP]")
    assert reference_of == [0, 4, 3, 1, 2, 5]
    assert moved == [False, True, False, True, True, False]


def test_a_special_token_differs_from_the_same_text(js):
    units = "({ count: 1, labels: ['[CLS]'], segments: [0], groups: [group] })"
    body = f"const unit = (group) => {units}; return alignment.alignUnits(unit(-1), unit(other)).referenceOf[0]"
    assert js(body, other=-1) == 0 and js(body, other=0) == -1


@pytest.mark.parametrize("seed", range(12))
def test_the_browser_aligns_as_the_server_does(js, seed):
    random = np.random.default_rng(seed)
    letters = [[*"abcdef"[: random.integers(2, 7)]] for _ in range(2)]
    before, after = (" ".join(random.choice(letters[side], random.integers(1, 14))) for side in (0, 1))
    encodings = [examples.encode_by_spaces(text, other) for text, other in ((before, after), (after, before))]
    pairs, moved = difference.align(*encodings)
    _, reference_of, moved_units, _ = align(js, *(" ".join(encoding.tokens) for encoding in encodings))
    in_browser = [[reference, unit] for unit, reference in enumerate(reference_of) if reference >= 0]
    assert in_browser == pairs.tolist()
    assert [moved_units[unit] for _, unit in in_browser] == moved.tolist()


def explanation(*texts: str, seed: int = 0) -> Explanation:
    """Random attention of two heads over these words."""
    encoding = examples.encode_by_spaces(*texts)
    tokens = len(encoding.tokens)
    weights = np.random.default_rng(seed).dirichlet(np.full(tokens, 0.4), (1, 2, tokens)).astype(np.float32)
    return replace(examples.explanation(encoding, layers=1, heads=2), attention=weights)


BEFORE, AFTER = explanation("a good film it was"), explanation("it was not a film", seed=1)
MAPS = """const [reference, current] = [before, after].map((bytes) => unpack.unpack(bytes));
const sides = [reference, current].map((input) => units.unitsOfSides(input, "token"));
const maps = [reference, current].map((input, side) => attention.attentionMap(
  attention.meanWeights([input.matrix(0, head)]), sides[side], special, block));
const aligned = alignment.alignUnits(...sides.map(({ query }) => query));"""


def difference_map(js, head=0, special="shown", block="all", part=""):
    return js(
        f"{MAPS} const map = difference.differenceMap(maps[1], maps[0], aligned);"
        "return { ...map, weights: Array.from(map.weights, (value) => (Number.isNaN(value) ? null : value)) }",
        before=examples.pack_example(BEFORE),
        after=examples.pack_example(AFTER),
        head=head,
        special=special,
        block=block,
    )


@pytest.mark.parametrize("head", [0, 1])
def test_differences_are_those_of_the_server(js, head):
    comparison = difference.compare(BEFORE, AFTER)
    expected = difference.attention_difference(comparison, 0, head)
    map_ = difference_map(js, head)
    tokens = len(AFTER.encoding.tokens)
    weights = np.reshape(np.array(map_["weights"], float), (tokens, tokens))
    common = comparison.pairs[:, 1]
    np.testing.assert_allclose(weights[np.ix_(common, common)], expected.weights, atol=2 / STEPS)
    new = np.flatnonzero(comparison.changed_after)
    assert AFTER.encoding.tokens[new[0]] == "not" and len(new) == 1
    assert np.isnan(weights[new]).all() and np.isnan(weights[:, new]).all(), "not in both inputs"
    assert map_["largest"] == pytest.approx(np.abs(expected.weights).max(), abs=2 / STEPS)
    assert map_["mean"] == pytest.approx(difference.mean_absolute_difference(comparison)[0, head], abs=2 / STEPS)


def test_hidden_tokens_are_left_out_of_differences(js):
    map_ = difference_map(js, special="hidden")
    assert len(map_["queries"]) == 5 and map_["cells"] == 4 * 4, "it was a film"


def test_the_difference_of_an_input_to_itself_is_zero(js):
    weights = fixed_point(BEFORE.attention[0, 0])
    map_ = js(
        """const input = unpack.unpack(bytes), u = units.unitsOfSides(input, "token");
        const map = attention.attentionMap(attention.meanWeights([matrix]), u, "shown", "all");
        return difference.differenceMap(map, map, alignment.alignUnits(u.query, u.query))""",
        bytes=examples.pack_example(BEFORE),
        matrix=weights,
    )
    assert map_["largest"] == map_["mean"] == 0 and map_["cells"] == len(BEFORE.encoding.tokens) ** 2


def test_differences_of_units_and_sizes_of_a_difference(js):
    units, everything, stronger, weaker = js(
        """const map = { weights: Float32Array.of(0.5, -0.25, NaN, 0), largest: 0.5 };
        const byUnit = difference.differenceOfUnits([0.5, 0.25, 1], [0.25, 0.75], { referenceOf: [1, -1, 0] });
        const sizes = difference.sizesOf(map);
        return [byUnit, ...["all", "stronger", "weaker"].map((side) => sizes[side].weights)]
          .map((values) => Array.from(values, String))"""
    )
    assert units == ["-0.25", "NaN", "0.75"]
    assert everything == ["0.5", "0.25", "0", "0"]
    assert stronger == ["0.5", "0", "0", "0"] and weaker == ["0", "0.25", "0", "0"]


@pytest.mark.parametrize(
    "text, other, expected",
    [
        ("a good film", "a bad film", "a good film"),
        ("the acting is good", "the acting", "…cting is …"),
        ("the acting is superb, not good", "the acting is superb, but bad", "…erb, not …"),
        ("the acting is superb", "the acting is superb, not good", "…is superb"),
        ("the acting is good", "the acting is good", "the acting…"),
    ],
)
def test_long_texts_are_cut_where_they_differ(js, text, other, expected):
    cut = js("return texts.cutUnlike(text, other, 11)", text=text, other=other)
    assert cut == expected and len(cut) <= 11


def test_the_history_has_the_most_recent_first_and_each_input_once(js):
    entries, before = js(
        """const visit = history.createHistory(3); let changes = 0;
        const stop = visit.listen(() => changes++);
        for (const id of "abcabd") visit.add({ id });
        const ids = visit.entries().map(({ id }) => id), others = ["d", "x"].map((id) => visit.before({ id }));
        stop();
        visit.add({ id: "e" });
        return [[...ids, changes], others]"""
    )
    assert entries == ["d", "b", "a", 6] and before == [{"id": "b"}, {"id": "d"}]
    assert js("const visit = history.createHistory(); return [visit.before({ id: 'a' }), visit.entries()]") == [
        None,
        [],
    ]
    assert (
        js(
            "const v = history.createHistory(); for (let id = 0; id < 30; id++) v.add({ id }); "
            "return v.entries().length"
        )
        == 20
    )
