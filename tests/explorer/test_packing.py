"""Explanations as bytes: the precision of weights, which heads are included, and how both sides read the layout."""

import gzip
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.explorer import examples
from tests.explorer.javascript import ask
from tests.explorer.locations import EXPLORER
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.explorer import packing
from viz_core.explorer.packed_weights import COARSE_STEPS, STEPS, fixed_point, pack_heads, pool
from viz_core.explorer.packing import SMALL_BYTES, pack
from viz_core.language import Translator
from viz_core.records import Message

REQUEST = {"url": "/heads", "body": {"id": "x"}}
counts = st.integers(1, 40)
weights_of_rows = st.tuples(st.integers(1, 4), counts).flatmap(
    lambda shape: arrays(np.float32, shape, elements=st.floats(0, 1, width=32) | st.just(0))
)


def normalise(weights):
    """Rows as from a softmax in single precision; empty rows attend to the first key."""
    weights = weights.copy()
    weights[weights.sum(1) == 0, 0] = 1
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)


def join_planes(data, tokens):
    """Heads from high bytes followed by low bytes, as steps `(n, T, T)`."""
    planes = np.frombuffer(data, np.uint8).reshape(-1, 2, tokens, tokens).astype(int)
    return planes[:, 0] * 256 + planes[:, 1]


def unpack(data):
    """An independent reader of the layout in packing.py: header, thumbnails or None, what each token receives as steps,
    and the included heads."""
    length = int.from_bytes(data[:4], "little")
    header, body = json.loads(data[4 : 4 + length]), data[4 + length :]
    shape = header["layers"], header["heads"], *header["grid"]
    size = int(np.prod(shape)) if header["thumbnails"] else 0
    thumbnails = np.frombuffer(body, np.uint8, size).reshape(shape) if size else None
    count = header["layers"] * header["heads"] * header["tokens"]
    high, low = np.frombuffer(body, np.uint8, 2 * count, size).reshape(2, -1, header["tokens"]).astype(int)
    return header, thumbnails, high * 256 + low, join_planes(body[size + 2 * count :], header["tokens"])


def test_a_row_by_hand():
    """Cumulative sums 0.1, 0.1, 0.5, 1 are 6553.5, 6553.5, 32767.5, 65535 steps; halves are rounded to even."""
    assert fixed_point(np.array([[0.1, 0, 0.4, 0.5]])).tolist() == [[6554, 0, 26214, 32767]]


def test_a_row_that_sums_to_more_than_1_stays_within_16_bits():
    assert fixed_point(np.array([[1.0001], [0.0]])).tolist() == [[STEPS], [0]]


@given(weights_of_rows.map(normalise))
def test_weights_and_sums_over_neighbours_are_exact_to_a_step(weights):
    steps = fixed_point(weights)
    assert steps.dtype == np.uint16 and steps.shape == weights.shape
    assert (steps.sum(1) == STEPS).all(), "rows sum to exactly 1"
    assert not steps[weights == 0].any(), "zero weights stay zero"
    true, rounded = (np.pad(np.cumsum(rows, 1, dtype=float), ((0, 0), (1, 0))) for rows in (weights, steps / STEPS))
    ranges = (rounded[:, None] - rounded[:, :, None]) - (true[:, None] - true[:, :, None])
    assert np.abs(ranges).max() <= 1.0001 / STEPS, "single keys are ranges of length 1"


def test_displayed_weights_are_exact_to_the_fourth_decimal():
    weights = examples.of_length(128).attention
    sent = np.stack([fixed_point(head) for head in weights.reshape(-1, 128, 128)]).reshape(weights.shape) / STEPS
    assert np.abs(np.round(sent, 4) - weights).max() < 0.0001


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


def test_up_to_64_tokens_each_cell_is_a_weight_and_zero_attention_is_blank():
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
        header, thumbnails, received, heads = unpack(examples.pack_example(explanation))
        if header["tokens"] <= 64:
            assert thumbnails is None, "each head is its own thumbnail"
        else:
            np.testing.assert_array_equal(thumbnails, pool(explanation.attention)[0])
        assert header["sent"] == [[*index] for index in np.ndindex(explanation.attention.shape[:2])]
        for (layer, head), steps in zip(header["sent"], heads, strict=True):
            np.testing.assert_array_equal(steps, fixed_point(explanation.attention[layer, head]))
        means = explanation.attention.mean(2).reshape(received.shape)
        assert np.abs(received / STEPS - means).max() <= 1.001 / STEPS

    def test_in_the_browser(self, explanation):
        data = examples.pack_example(explanation)
        header, _, received, heads = unpack(data)
        result = ask("unpacked", bytes=data)
        assert result["header"] == header
        assert (result["has"], result["missing"]) == ([True, False], None)
        np.testing.assert_array_equal(np.reshape(result["heads"], heads.shape), heads)
        np.testing.assert_allclose(np.reshape(result["received"], received.shape), received / STEPS)
        thumbnails = pool(explanation.attention)[0].astype(int)
        computed = np.reshape(result["thumbnails"], thumbnails.shape)
        # Computed from fixed point if not included: the square root magnifies the rounding of the smallest weights.
        assert np.abs(computed - thumbnails).max() <= (2 if header["tokens"] <= 64 else 0)


def test_of_many_weights_a_file_has_each_with_twelve_bits(monkeypatch):
    """Less than a step from the weight, in Python and in the browser; rows still sum to 1."""
    monkeypatch.setattr(packing, "MOST_EXACT", 1000)
    explanation = examples.of_length(70, layers=1, heads=2)
    data = examples.pack_example(explanation)
    header, _, _, heads = unpack(data)
    assert header["steps"] == COARSE_STEPS == heads.sum(-1).min() == heads.sum(-1).max()
    shown = np.reshape(ask("unpacked", bytes=data)["heads"], explanation.attention.shape)
    np.testing.assert_array_equal(shown, np.rint(heads * (STEPS / COARSE_STEPS)).reshape(shown.shape))
    assert np.abs(shown / STEPS - explanation.attention).max() <= 1.1 / COARSE_STEPS
    assert "steps" not in unpack(examples.pack_example(examples.of_length(200), {}, REQUEST))[0], (
        "a server sends exact weights"
    )


def test_what_each_token_receives_is_sent_of_every_head_although_the_browser_has_one():
    explanation = examples.of_length(200)
    result = ask("unpacked", bytes=examples.pack_example(explanation, {}, REQUEST))
    assert result["header"]["sent"] == [[0, 0]]
    np.testing.assert_allclose(result["received"], explanation.attention.mean(2), atol=1.6e-5)


@pytest.mark.parametrize(
    "tokens, request_, selection, sent",
    [(100, REQUEST, {"head": "2.3"}, 8), (101, REQUEST, {"head": "2.3"}, 1), (200, None, {"head": "2.3"}, 8)],
    ids=["few bytes", "many bytes", "no server"],
)
def test_all_heads_are_included_if_small_or_without_a_server(tokens, request_, selection, sent):
    explanation = examples.of_length(tokens)
    header, _, _, heads = unpack(examples.pack_example(explanation, selection, request_))
    assert (explanation.attention.size * 2 <= SMALL_BYTES) == (tokens <= 100), "the intended case"
    assert len(header["sent"]) == len(heads) == sent
    assert header["request"] == request_ and header["selection"] == selection


@pytest.mark.parametrize(
    "link, head",
    [
        ("2.3", [1, 2]),
        ("", [0, 0]),
        ("1.2 2.9", [0, 0]),
        ("3.1", [0, 0]),
        ("0.1", [0, 0]),
        ("²·1", [0, 0]),
        ("1.x", [0, 0]),
    ],
)
def test_the_head_in_the_link_is_included(link, head):
    assert unpack(examples.pack_example(examples.of_length(150), {"head": link}, REQUEST))[0]["sent"] == [head]


@pytest.mark.parametrize(
    ("link", "heads"),
    [
        ("1.2 2.3 1.2", [[0, 1], [1, 2]]),
        ("2.*", [[1, 0], [1, 1], [1, 2], [1, 3]]),
        ("*.4", [[0, 3], [1, 3]]),
        ("1.* 2.1", [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0]]),
    ],
)
def test_all_selected_heads_are_included(link, heads):
    for tokens in (110, 300):
        assert unpack(examples.pack_example(examples.of_length(tokens), {"head": link}, REQUEST))[0]["sent"] == heads


def test_of_more_heads_than_are_drawn_separately_the_mean_is_included():
    """12 heads of 24; the browser draws their mean without a request, and knows nothing of a single one."""
    explanation = examples.of_length(60, layers=6, heads=4)
    packed = examples.pack_example(explanation, {"head": "4.* 5.* 6.*"}, REQUEST)
    header = unpack(packed)[0]
    assert header["sent"] == [] and header["mean"] == [[layer, head] for layer in (3, 4, 5) for head in range(4)]
    mean, first = ask("mean", bytes=packed)
    expected = explanation.attention[3:].mean((0, 1))
    assert np.abs(np.reshape(mean, expected.shape) - expected).max() < 1.001 / STEPS and first is None
    assert len(unpack(examples.pack_example(explanation, {"head": "4.* 5.*"}, REQUEST))[0]["sent"]) == 8


def test_without_a_selected_head_the_first_is_included():
    assert unpack(examples.pack_example(examples.of_length(150), {}, REQUEST))[0]["sent"] == [[0, 0]]


class TestUpdate:
    """What is sent at every key: no theme and no messages, which the browser has."""

    def header(self, tokens, **shape):
        explanation = examples.of_length(tokens, **shape)
        statistics, say = head_statistics(explanation), Translator("en")
        return unpack(pack(explanation, statistics, say, None, {"head": "1.2"}, REQUEST))[0]

    def test_has_the_fields_of_a_first_drawing_except_theme_and_messages(self):
        first = unpack(examples.pack_example(examples.of_length(70), {"head": "1.2"}, REQUEST))[0]
        assert first.keys() - self.header(70).keys() == {"theme", "language", "catalogue"}

    def test_has_the_selected_head_and_of_short_inputs_all(self):
        """8 heads of 44 tokens are 30,976 bytes, of 45 tokens 32,400."""
        assert len(self.header(44)["sent"]) == 8 and self.header(45)["sent"] == [[0, 1]]

    @pytest.mark.parametrize(("tokens", "limit"), [(64, 60_000), (128, 64_000), (512, 384_000)])
    def test_is_small(self, tokens, limit):
        """2 layers with 4 heads, compressed as they are sent; beyond 64 tokens 1.3 bytes for each cell drawn."""
        explanation = examples.of_length(tokens)
        packed = pack(explanation, head_statistics(explanation), Translator("en"), None, {"head": "1.2"}, REQUEST)
        assert len(gzip.compress(packed, 1)) <= limit


class TestPrediction:
    def test_in_numbers_and_words(self):
        prediction = unpack(examples.pack_example(examples.review()))[0]["prediction"]
        assert prediction == {
            "labels": ["negative", "positive"],
            "probabilities": [0.2, 0.8],
            "percents": ["20.0%", "80.0%"],
            "predicted": 1,
            "threshold": 0.5,
            "mark": "decision threshold 50.0%",
            "verdict": "Positive, 80.0% (fairly confident)",
            "remark": "",
            "doubt": "",
            "caution": "",
        }

    def test_in_chinese_with_a_tuned_threshold(self):
        explanation = replace(examples.pair(), threshold=0.436)
        prediction = unpack(examples.pack_example(explanation, language="zh"))[0]["prediction"]
        assert prediction["labels"] == ["意思不同", "意思相同"] and prediction["verdict"].startswith("意思相同")
        assert prediction["mark"] == "判定阈值 43.6%（按 MCC 选定）"

    def test_of_three_classes_has_no_threshold(self):
        explanation = replace(
            examples.review(),
            labels=("negative", "positive", "same"),
            probabilities=np.array([0.2, 0.5, 0.3]),
            threshold=None,
        )
        prediction = unpack(examples.pack_example(explanation))[0]["prediction"]
        assert (prediction["predicted"], prediction["threshold"], prediction["mark"]) == (1, None, "")

    def test_notices_are_sentences(self):
        notice = Message("text.unknown", {"count": 1, "tokens": ("xyzzy",), "more": ""})
        explanation = replace(examples.review(), encoding=replace(examples.review().encoding, notices=(notice,)))
        sentence = "1 token is not in the model's vocabulary and is read as [UNK]: xyzzy."
        assert unpack(examples.pack_example(explanation))[0]["notices"] == [sentence]


def test_heads_are_packed_one_at_a_time_or_as_a_mean():
    explanation = examples.review()
    np.testing.assert_array_equal(
        join_planes(pack_heads(explanation.attention, [(1, 2)]), 15)[0], fixed_point(explanation.attention[1, 2])
    )
    for heads in ([(0, 0), (1, 1)], [(0, 0), (1, 1), (1, 3)]):
        mean = join_planes(pack_heads(explanation.attention, heads), 15)[0]
        expected = sum(explanation.attention[head] for head in heads) / len(heads)
        assert np.abs(mean / STEPS - expected).max() < 1.001 / STEPS


@pytest.mark.parametrize("heads", [[], [(2, 0)], [(0, 4)], [(-1, 0)], [(0, 0), (0, -1)]])
def test_heads_that_do_not_exist_are_refused(heads):
    with pytest.raises(ValueError, match="2 layers with 4 heads"):
        pack_heads(examples.review().attention, heads)


@pytest.mark.parametrize("tokens, megabytes", [(64, 0.32), (128, 0.6), (256, 0.8), (512, 1.0)])
def test_the_data_stays_small(tokens, megabytes):
    """4 layers with 8 heads; the script and style sheet are sent in the same message."""
    program = sum(len((EXPLORER / name).read_bytes()) for name in ("explorer.js", "explorer.css"))
    packed = examples.pack_example(examples.of_length(tokens, layers=4, heads=8), {"head": "4.8"}, REQUEST)
    assert len(packed) + program <= megabytes * 1e6
