"""Explanations as bytes: how exact the weights stay, which of them travel, and that both ends read the same layout."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.explorer import examples
from tests.explorer.conftest import EXPLORER
from viz_core.explorer.packing import SMALL_BYTES, STEPS, fixed_point, pack_heads, pool

REQUEST = {"url": "/heads", "body": {"id": "x"}}
counts = st.integers(1, 40)
weights_of_rows = st.tuples(st.integers(1, 4), counts).flatmap(
    lambda shape: arrays(np.float32, shape, elements=st.floats(0, 1, width=32) | st.just(0))
)


def to_one(weights):
    """Rows as a softmax leaves them, in single precision; empty ones look at the first key."""
    weights = weights.copy()
    weights[weights.sum(1) == 0, 0] = 1
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)


def joined(data, tokens):
    """Heads of high bytes followed by low bytes, as steps `(n, T, T)`."""
    planes = np.frombuffer(data, np.uint8).reshape(-1, 2, tokens, tokens).astype(int)
    return planes[:, 0] * 256 + planes[:, 1]


def unpacked(data):
    """The layout that packing.py describes, read without it: header, thumbnails or None, and the heads that came along."""
    length = int.from_bytes(data[:4], "little")
    header, body = json.loads(data[4 : 4 + length]), data[4 + length :]
    shape = header["layers"], header["heads"], header["side"], header["side"]
    size = int(np.prod(shape)) if header["thumbnails"] else 0
    thumbnails = np.frombuffer(body, np.uint8, size).reshape(shape) if size else None
    return header, thumbnails, joined(body[size:], header["tokens"])


def test_a_row_by_hand():
    """Running sums 0.1, 0.1, 0.5, 1 stand at 6553.5, 6553.5, 32767.5, 65535 steps; halves go to the even number."""
    assert fixed_point(np.array([[0.1, 0, 0.4, 0.5]])).tolist() == [[6554, 0, 26214, 32767]]


@given(weights_of_rows.map(to_one))
def test_no_weight_and_no_sum_over_neighbours_is_a_step_off(weights):
    steps = fixed_point(weights)
    assert steps.dtype == np.uint16 and steps.shape == weights.shape
    assert (steps.sum(1) == STEPS).all(), "a row that sums to 1 does so exactly"
    assert not steps[weights == 0].any(), "no weight appears out of nothing"
    true, found = (np.pad(np.cumsum(one, 1, dtype=float), ((0, 0), (1, 0))) for one in (weights, steps / STEPS))
    ranges = (found[:, None] - found[:, :, None]) - (true[:, None] - true[:, :, None])
    assert np.abs(ranges).max() <= 1.0001 / STEPS, "single keys are ranges of one"


def test_what_a_person_reads_is_within_one_of_its_fourth_decimal():
    weights = examples.of_length(128).attention
    shown = np.stack([fixed_point(one) for one in weights.reshape(-1, 128, 128)]).reshape(weights.shape) / STEPS
    assert np.abs(np.round(shown, 4) - weights).max() < 0.0001


@given(st.integers(1, 300), st.integers(0, 5), st.booleans())
def test_a_thumbnail_holds_the_largest_of_every_block(tokens, seed, faint):
    attention = np.random.default_rng(seed).random((1, 2, tokens, tokens)).astype(np.float32) * (1e-6 if faint else 1)
    attention[0, 1] *= np.eye(tokens)
    thumbnails, peaks = pool(attention)
    block = -(-tokens // 64)
    side = -(-tokens // block)
    assert thumbnails.shape == (1, 2, side, side) and side <= 64
    np.testing.assert_array_equal(peaks, attention.max((2, 3)))
    for head in range(2):
        for row, column in {(0, 0), (side - 1, side - 1), (side // 2, side // 3), (0, side - 1)}:
            largest = attention[0, head, row * block : (row + 1) * block, column * block : (column + 1) * block].max()
            share = np.sqrt(largest / peaks[0, head]) if peaks[0, head] else 0
            assert abs(thumbnails[0, head, row, column] / 255 - share) <= 0.5 / 255 + 1e-6


def test_up_to_64_tokens_each_cell_is_a_weight_and_no_attention_is_no_colour():
    attention = np.zeros((1, 2, 3, 3), np.float32)
    attention[0, 0] = np.diag([1, 0.25, 0.01])
    thumbnails, peaks = pool(attention)
    assert thumbnails[0, 0].tolist() == [[255, 0, 0], [0, 128, 0], [0, 0, 26]] and not thumbnails[0, 1].any()
    assert peaks.tolist() == [[1, 0]]


@pytest.mark.parametrize(
    "explanation",
    [examples.review(), examples.pair(), examples.hostile(layers=1), examples.of_length(131, layers=1, heads=2)],
    ids=["review", "pair", "hostile", "131 tokens"],
)
class TestRoundTrip:
    def test_in_python(self, explanation):
        header, thumbnails, heads = unpacked(examples.packed(explanation))
        if header["tokens"] <= 64:
            assert thumbnails is None, "each head is its own thumbnail"
        else:
            np.testing.assert_array_equal(thumbnails, pool(explanation.attention)[0])
        assert header["sent"] == [[*place] for place in np.ndindex(explanation.attention.shape[:2])]
        for (layer, head), found in zip(header["sent"], heads, strict=True):
            np.testing.assert_array_equal(found, fixed_point(explanation.attention[layer, head]))

    @pytest.mark.browser
    def test_in_the_browser(self, explanation, js):
        data = examples.packed(explanation)
        header, _, heads = unpacked(data)
        found = js(
            """const { thumbnail, matrix, has, ...header } = unpack.unpack(bytes);
            return { header, thumbnails: header.sent.map((at) => thumbnail(...at)),
                     heads: header.sent.map((at) => matrix(...at)), has: [has(0, 1), has(0, 99), matrix(0, 99)] }""",
            bytes=data,
        )
        assert found["header"] == header and found["has"] == [True, False, None]
        np.testing.assert_array_equal(np.reshape(found["heads"], heads.shape), heads)
        thumbnails = pool(explanation.attention)[0].astype(int)
        shown = np.reshape(found["thumbnails"], thumbnails.shape)
        # Made of the fixed point where they did not come along: of the faintest weights that is a square root of little.
        assert np.abs(shown - thumbnails).max() <= (2 if header["tokens"] <= 64 else 0)


@pytest.mark.parametrize(
    "tokens, request_, selection, sent",
    [(100, REQUEST, {"head": "2.3"}, 8), (101, REQUEST, {"head": "2.3"}, 1), (200, None, {"head": "2.3"}, 8)],
    ids=["few bytes", "many bytes", "nobody to ask"],
)
def test_all_heads_travel_where_they_are_small_or_cannot_be_asked_for(tokens, request_, selection, sent):
    given = examples.of_length(tokens)
    header, _, heads = unpacked(examples.packed(given, selection, request_))
    assert (given.attention.size * 2 <= SMALL_BYTES) == (tokens <= 100), "the case that is meant"
    assert len(header["sent"]) == len(heads) == sent
    assert header["request"] == request_ and header["selection"] == selection


@pytest.mark.parametrize(
    "link, head",
    [
        ("2.3", [1, 2]),
        ("", [0, 0]),
        ("*.*", [0, 0]),
        ("1.2 2.3", [0, 0]),
        ("3.1", [0, 0]),
        ("0.1", [0, 0]),
        ("²·1", [0, 0]),
        ("1.x", [0, 0]),
    ],
)
def test_the_head_that_the_link_names_comes_first(link, head):
    assert unpacked(examples.packed(examples.of_length(150), {"head": link}, REQUEST))[0]["sent"] == [head]


def test_heads_are_fetched_one_by_one_or_as_a_mean():
    given = examples.review()
    np.testing.assert_array_equal(joined(pack_heads(given, [(1, 2)]), 15)[0], fixed_point(given.attention[1, 2]))
    mean = joined(pack_heads(given, [(0, 0), (1, 1), (1, 3)]), 15)[0]
    expected = (given.attention[0, 0] + given.attention[1, 1] + given.attention[1, 3]) / 3
    assert np.abs(mean / STEPS - expected).max() < 1.001 / STEPS


@pytest.mark.parametrize("heads", [[], [(2, 0)], [(0, 4)], [(-1, 0)], [(0, 0), (0, -1)]])
def test_heads_that_do_not_exist_are_refused(heads):
    with pytest.raises(ValueError, match="2 layers with 4 heads"):
        pack_heads(examples.review(), heads)


@pytest.mark.parametrize("tokens, megabytes", [(64, 0.3), (128, 0.6), (256, 0.8), (512, 1.0)])
def test_what_travels_stays_small(tokens, megabytes):
    """4 layers with 8 heads; the program and its style travel in the same message."""
    program = sum(len((EXPLORER / name).read_bytes()) for name in ("explorer.js", "explorer.css"))
    packed = examples.packed(examples.of_length(tokens, layers=4, heads=8), {"head": "4.8"}, REQUEST)
    assert len(packed) + program <= megabytes * 1e6


@pytest.mark.parametrize(
    "given",
    [
        examples.review(),
        examples.pair(),
        examples.hostile(),
        examples.explanation(examples.spaced("👩🏽\u200d🚀 is", "\u202eשלום\u200b " + "long" * 75)),
        examples.explanation(examples.spaced("<b>first\nsecond\t third")),
    ],
    ids=["review", "pair", "hostile", "far", "lines"],
)
def test_texts_are_cut_without_losing_a_character(given):
    header = unpacked(examples.packed(given))[0]
    for number, pieces in enumerate(header["texts"]):
        assert "".join(string for string, _ in pieces) == given.encoding.texts[number]
        tokens = [token for _, token in pieces if token >= 0]
        assert tokens == np.flatnonzero(given.encoding.segments == number).tolist(), (
            "every token stands where it is read"
        )


def test_labels_make_visible_what_would_not_be_seen():
    header = unpacked(examples.packed(examples.hostile()))[0]
    assert header["labels"][1:4] == ["</script><script>alert(1)</script>", "<img/src=x/onerror=alert(2)>", "&amp;&lt;"]
    assert [
        header["labels"][1 + examples.HOSTILE.index(text)] for text in ("\u202ekcab", "zero\u200bwidth", "שלום")
    ] == ["\\u202ekcab", "zero\\u200bwidth", "שלום"]
    assert header["wordLabels"] == header["labels"], "here each word is one token"


def test_words_are_read_as_they_were_typed():
    header = unpacked(examples.packed(examples.pair()))[0]
    assert header["wordLabels"] == ["[CLS]", "花呗", "怎么", "还款", "[SEP]", "花呗", "如何", "还钱", "[SEP]"]
    assert header["groups"] == [-1, *[0] * 6, -1, *[1] * 6, -1] and header["pair"] is True


def test_the_language_is_the_reader_s():
    chinese, english = (unpacked(examples.packed(examples.review(), language=language))[0] for language in ("zh", "en"))
    assert chinese["catalogue"]["heatmap"] == "热力图" and english["catalogue"]["heatmap"] == "Heat map"
    assert chinese["catalogue"].keys() == english["catalogue"].keys()
    assert chinese["id"] == english["id"], "the same input, said otherwise"


def test_another_text_or_model_is_another_input():
    inputs = [
        examples.review(),
        examples.pair(),
        examples.explanation(examples.encoding("The plot is good")),
        examples.review(model="large"),
        examples.review(heads=2),
    ]
    assert len({unpacked(examples.packed(one))[0]["id"] for one in inputs}) == 5
    assert unpacked(examples.packed(examples.review()))[0]["id"] == unpacked(examples.packed(inputs[0]))[0]["id"]
