"""Selected attention, from records small enough to compute by hand."""

from dataclasses import replace

import numpy as np
import pytest

from viz_core.analysis.selection import SPECIAL_CHOICES, attention_map, default_source, token_weights, top_tokens
from viz_core.language import has_sentence
from viz_core.records import Encoding, Explanation, Message, TokenWeights

# [CLS] ab c [SEP] de [SEP]: "ab" and "de" are words of two characters each.
PAIR = Encoding(
    texts=("abc", "de"),
    tokens=("[CLS]", "a", "b", "c", "[SEP]", "d", "e", "[SEP]"),
    ids=np.array([2, 4, 5, 6, 3, 7, 8, 3]),
    segments=np.array([0, 0, 0, 0, 0, 1, 1, 1]),
    offsets=np.array([[0, 0], [0, 1], [1, 2], [2, 3], [0, 0], [0, 1], [1, 2], [0, 0]]),
    words=np.array([0, 1, 1, 2, 3, 4, 4, 5]),
    special=np.array([True, False, False, False, True, False, False, True]),
    unknown=np.zeros(8, bool),
)
WORDS = ("[CLS]", "ab", "c", "[SEP]", "de", "[SEP]")

# [CLS] x [SEP]: three tokens, two layers of two heads.
SHORT = Encoding(
    texts=(" x ",),
    tokens=("[CLS]", "x", "[SEP]"),
    ids=np.array([2, 4, 3]),
    segments=np.zeros(3, int),
    offsets=np.array([[0, 0], [1, 2], [0, 0]]),
    words=np.arange(3),
    special=np.array([True, False, True]),
    unknown=np.zeros(3, bool),
)
HEADS = np.array(
    [
        [[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]]],
        [[[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]], [[0.5, 0, 0.5], [1, 0, 0], [0, 0.5, 0.5]]],
    ],
    np.float32,
)

# Weights in tenths: rows within a sentence, across both, and with all weight on special tokens.
TENTHS = np.array(
    [
        # CLS a  b  c SEP d  e SEP
        [1, 2, 1, 1, 1, 2, 1, 1],  # [CLS]
        [4, 1, 1, 0, 1, 2, 1, 0],  # a
        [0, 3, 1, 2, 0, 0, 2, 2],  # b
        [6, 0, 0, 0, 2, 0, 0, 2],  # c: nothing for real tokens
        [0, 0, 0, 0, 10, 0, 0, 0],  # [SEP]
        [1, 1, 1, 1, 1, 1, 2, 2],  # d
        [0, 0, 5, 0, 0, 0, 5, 0],  # e
        [5, 0, 0, 0, 0, 0, 0, 5],
    ]
)  # [SEP]


def explanation(encoding: Encoding, attention: np.ndarray, pooling: str = "cls") -> Explanation:
    return Explanation(
        "made",
        "afqmc",
        encoding,
        ("different", "same"),
        np.array([0.5, 0.5]),
        0.5,
        np.asarray(attention, np.float32),
        pooling,
    )


SMALL = explanation(SHORT, HEADS)
SINGLE = explanation(PAIR, TENTHS[None, None] / 10)


def tenths(weights: np.ndarray) -> list:
    return (np.round(weights * 10, 5) + 0.0).tolist()


@pytest.mark.parametrize(
    "layer, head, expected",
    [
        (0, 1, [[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
        (1, 0, [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]]),
        (0, None, [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]]),
        (None, 0, [[0.75, 0.25, 0], [0, 0.75, 0.25], [0, 0, 1]]),
        (None, None, [[0.5, 0.375, 0.125], [0.25, 0.375, 0.375], [0.25, 0.125, 0.625]]),
    ],
)
def test_head_and_means(layer, head, expected):
    result = attention_map(SMALL, layer, head)
    np.testing.assert_allclose(result.weights, expected, atol=1e-7)
    assert result.queries == result.keys == ("[CLS]", "x", "[SEP]")
    assert result.query_groups.tolist() == result.key_groups.tolist() == [-1, 0, -1]
    assert not result.renormalised


@pytest.mark.parametrize(
    "layer, head, where",
    [
        (0, 1, Message("analysis.of_head", {"layer": 1, "head": 2})),
        (1, None, Message("analysis.of_layer", {"layer": 2, "head": None})),
        (None, 0, Message("analysis.of_heads", {"layer": None, "head": 1})),
        (None, None, Message("analysis.of_everything", {"layer": None, "head": None})),
    ],
)
def test_titles_count_from_1_and_have_a_sentence_in_both_languages(layer, head, where):
    titles = {
        "map": attention_map(SMALL, layer, head).title,
        **{source: token_weights(SMALL, layer, head, source=source).title for source in ("cls", "received")},
    }
    for what, title in titles.items():
        assert title == Message(f"analysis.title_{what}", {"where": where}) and has_sentence(title)


def test_in_causal_attention_the_first_token_is_left_out_with_the_special_ones():
    """A sink: what is left of each row is rescaled."""
    weights = np.array([[[[1, 0, 0], [0.7, 0.3, 0], [0.5, 0.1, 0.4]]]], np.float32)
    encoding = replace(SMALL.encoding.first(3), special=np.zeros(3, bool))
    text = replace(SMALL, encoding=encoding, attention=weights, kind="causal")
    shown, hidden, scaled = (attention_map(text, 0, 0, special) for special in SPECIAL_CHOICES)
    assert (len(shown.keys), hidden.keys, hidden.reach.tolist()) == (3, shown.keys[1:], [1, 2])
    np.testing.assert_allclose(hidden.weights, [[0.3, 0], [0.1, 0.4]])
    np.testing.assert_allclose(scaled.weights, [[1, 0], [0.2, 0.8]], rtol=1e-6)
    assert len(attention_map(replace(text, kind="self"), 0, 0, "hidden").keys) == 3


def test_special_tokens_shown_hidden_and_renormalised():
    shown, hidden, scaled = (attention_map(SINGLE, 0, 0, special) for special in SPECIAL_CHOICES)
    assert tenths(shown.weights) == TENTHS.tolist()
    assert hidden.queries == hidden.keys == scaled.queries == ("a", "b", "c", "d", "e")
    assert hidden.query_groups.tolist() == [0, 0, 0, 1, 1]
    assert tenths(hidden.weights) == [
        [1, 1, 0, 2, 1],
        [3, 1, 2, 0, 2],
        [0, 0, 0, 0, 0],
        [1, 1, 1, 1, 2],
        [0, 5, 0, 0, 5],
    ]
    np.testing.assert_allclose(
        scaled.weights,
        [
            [0.2, 0.2, 0, 0.4, 0.2],
            [0.375, 0.125, 0.25, 0, 0.25],
            [0, 0, 0, 0, 0],  # all weight on special tokens: nothing left to rescale
            [1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 3],
            [0, 0.5, 0, 0, 0.5],
        ],
        atol=1e-6,
    )
    assert [shown.renormalised, hidden.renormalised, scaled.renormalised] == [False, False, True]


@pytest.mark.parametrize(
    "block, queries, keys, expected",
    [
        ("aa", "abc", "abc", [[1, 1, 0], [3, 1, 2], [0, 0, 0]]),
        ("ab", "abc", "de", [[2, 1], [0, 2], [0, 0]]),
        ("ba", "de", "abc", [[1, 1, 1], [0, 5, 0]]),
        ("bb", "de", "de", [[1, 2], [0, 5]]),
    ],
)
def test_blocks_without_special_tokens(block, queries, keys, expected):
    result = attention_map(SINGLE, 0, 0, "hidden", block)
    assert (result.queries, result.keys) == (tuple(queries), tuple(keys))
    assert tenths(result.weights) == expected
    assert (set(result.query_groups), set(result.key_groups)) == ({"ab".index(block[0])}, {"ab".index(block[1])})


def test_special_tokens_of_a_block_belong_to_their_sentence():
    result = attention_map(SINGLE, 0, 0, block="ab")
    assert result.queries == ("[CLS]", "a", "b", "c", "[SEP]")
    assert result.keys == ("d", "e", "[SEP]")
    assert tenths(result.weights) == [[2, 1, 1], [2, 1, 0], [0, 2, 2], [0, 0, 2], [0, 0, 0]]


def test_a_block_is_renormalised_over_its_own_keys():
    result = attention_map(SINGLE, 0, 0, "renormalised", "ab")
    np.testing.assert_allclose(result.weights, [[2 / 3, 1 / 3], [0, 1], [0, 0]], atol=1e-6)


def test_words_sum_over_keys_and_average_over_queries():
    result = attention_map(SINGLE, 0, 0, unit="word")
    assert result.queries == result.keys == WORDS
    assert result.query_groups.tolist() == [-1, 0, 0, -1, 1, -1]
    assert tenths(result.weights) == [
        # CLS ab   c  SEP  de SEP
        [1, 3, 1, 1, 3, 1],
        [2, 3, 1, 0.5, 2.5, 1],  # mean of a: 4 2 0 1 3 0 and b: 0 4 2 0 2 2
        [6, 0, 0, 2, 0, 2],
        [0, 0, 0, 10, 0, 0],
        [0.5, 3.5, 0.5, 0.5, 4, 1],  # mean of d: 1 2 1 1 3 2 and e: 0 5 0 0 5 0
        [5, 0, 0, 0, 0, 5],
    ]


def test_words_of_one_block():
    result = attention_map(SINGLE, 0, 0, "renormalised", "ab", "word")
    assert (result.queries, result.keys) == (("ab", "c"), ("de",))
    np.testing.assert_allclose(result.weights, [[1], [0]])


def test_attention_of_cls():
    result = token_weights(SINGLE, 0, 0)
    assert result.labels == PAIR.tokens and result.texts == PAIR.texts
    assert tenths(result.weights) == TENTHS[0].tolist()
    assert result.groups.tolist() == [-1, 0, 0, 0, -1, 1, 1, -1]
    np.testing.assert_array_equal(result.spans, PAIR.offsets)


def test_attention_of_cls_by_word_without_special_tokens():
    result = token_weights(SINGLE, 0, 0, "word", special="hidden")
    assert result.labels == ("ab", "c", "de")
    assert tenths(result.weights) == [3, 1, 3]
    assert result.spans.tolist() == [[0, 2], [2, 3], [0, 2]]
    assert result.groups.tolist() == [0, 0, 1]
    scaled = token_weights(SINGLE, 0, 0, "word", special="renormalised")
    np.testing.assert_allclose(scaled.weights, [3 / 7, 1 / 7, 3 / 7], rtol=1e-6)


def test_received_attention_is_the_mean_over_all_query_tokens():
    sums = np.array([17, 7, 9, 4, 15, 5, 11, 12])  # column sums of TENTHS
    np.testing.assert_array_equal(sums, TENTHS.sum(0))
    result = token_weights(SINGLE, 0, 0, source="received")
    np.testing.assert_allclose(result.weights, sums / 80, rtol=1e-6)
    assert result.weights.sum() == pytest.approx(1)


def test_received_attention_by_word_counts_every_query_token_equally():
    result = token_weights(SINGLE, 0, 0, "word", "received")
    assert result.labels == WORDS
    np.testing.assert_allclose(result.weights, np.array([17, 16, 4, 15, 16, 12]) / 80, rtol=1e-6)
    assert result.weights.sum() == pytest.approx(1)


def test_weights_that_are_all_zero_stay_zero():
    only_special = np.zeros((1, 1, 3, 3))
    only_special[..., 0] = 1
    for source in ("cls", "received"):
        result = token_weights(explanation(SHORT, only_special), 0, 0, source=source, special="renormalised")
        assert result.weights.tolist() == [0]


def test_labels_are_as_typed_with_visible_white_space():
    spaced = Encoding(
        **{
            **vars(SHORT),
            "texts": ("X\u3000",),
            "tokens": ("[CLS]", "[UNK]", "[SEP]"),
            "offsets": np.array([[0, 0], [0, 2], [0, 0]]),
        }
    )
    for unit in ("token", "word"):
        assert token_weights(explanation(spaced, HEADS), 0, 0, unit).labels == ("[CLS]", "X␣", "[SEP]")


def test_default_source_fits_the_pooling():
    assert default_source(explanation(SHORT, HEADS, "cls")) == "cls"
    assert default_source(explanation(SHORT, HEADS, "mean")) == "received"


def test_results_do_not_share_memory_with_the_record():
    result = attention_map(SINGLE, 0, 0)
    result.weights[:] = 0
    token_weights(SINGLE, 0, 0).weights[:] = 0
    assert tenths(SINGLE.attention[0, 0]) == TENTHS.tolist()


def weights_of(labels: str, *weights: float) -> TokenWeights:
    count = len(weights)
    return TokenWeights(
        tuple(labels),
        np.array(weights),
        np.arange(count),
        np.zeros((count, 2), int),
        (labels,),
        Message("analysis.title_cls"),
    )


def test_top_tokens_are_the_same_in_all_views_in_text_order():
    first, second = weights_of("abcd", 0.1, 0.6, 0.1, 0.2), weights_of("abcd", 0.5, 0.1, 0.2, 0.2)
    views = top_tokens([first, second], 2)
    assert [view.labels for view in views] == [("a", "b")] * 2
    assert [view.weights.tolist() for view in views] == [[0.1, 0.6], [0.5, 0.1]]
    assert views[0].groups.tolist() == [0, 1] and views[0].texts == ("abcd",)
    assert top_tokens([first], 9)[0].labels == first.labels


def test_views_of_different_tokens_have_their_own_top_tokens():
    views = top_tokens([weights_of("ab", 0.1, 0.9), weights_of("xyz", 0.5, 0.1, 0.4)], 1)
    assert [view.labels for view in views] == [("b",), ("x",)]
