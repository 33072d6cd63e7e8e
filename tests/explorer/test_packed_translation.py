"""Translations as bytes: three attentions, the sides that they connect, and how both sides read the layout."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.explorer.javascript import ask
from tests.rendering import translations
from viz_core.analysis.heads.statistics import translation_statistics
from viz_core.explorer.packed_translation import pack_translation
from viz_core.explorer.packed_weights import STEPS, fixed_point, pool
from viz_core.language import Translator
from viz_core.records import OTHER_TRANSLATION
from viz_core.rendering.theme import theme

KINDS = ["cross", "self", "causal"]
REQUEST = {"url": "heads", "body": {"task": "tatoeba", "text": "我们"}}
SHORT, LONG = translations.translation(), translations.of_length(70, 90)


def pack(translation, selection=None, request=None):
    statistics = {kind: translation_statistics(translation, kind) for kind in KINDS}
    return pack_translation(translation, statistics, Translator("en"), theme("light"), selection, request)


def split(data):
    """The header, and the bytes after it."""
    length = int.from_bytes(data[:4], "little")
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def test_the_sides_of_a_translation_by_hand():
    header, _ = split(pack(SHORT))
    assert {entry["kind"]: entry["sides"] for entry in header["attentions"]} == {
        "cross": ["output", "source"],
        "self": ["source", "source"],
        "causal": ["target", "target"],
    }
    source, target, output = (header["sides"][name] for name in ("source", "target", "output"))
    assert source["labels"] == ["[CLS]", *"我们明天去学校。", "[SEP]"] and source["groups"] == [-1, *[0] * 8, -1]
    assert source["wordLabels"] == ["[CLS]", "我们", "明天", "去", "学校", "。", "[SEP]"]
    assert target["labels"] == ["[CLS]", "we", "go", "to", "school", "tomorrow", "."]
    assert output["labels"] == ["we", "go", "to", "school", "tomorrow", ".", "[SEP]"], "what is produced, not read"
    assert output["texts"] == [
        [["we", 0], [" ", -1], ["go", 1], [" ", -1], ["to", 2], [" ", -1], ["school", 3], [" ", -1], ["tomorrow", 4]]
        + [[".", 5], ["", 6]]
    ]


def test_a_translation_that_was_cut_off_ends_with_a_word():
    header, _ = split(pack(translations.translation(complete=False)))
    output, target = header["sides"]["output"], header["sides"]["target"]
    assert output["labels"][-1] == "." and output["groups"] == [0] * 6
    assert target["labels"][-1] == "tomorrow" and target["texts"][0][-1] == [".", -1], "it is not read"


def test_a_rectangle_by_hand():
    """2 queries, 3 keys: cumulative sums of 0.2, 0.6, 0.2 and of 1, 0, 0 are 13107, 52428, 65535 and 65535 steps."""
    weights = np.array([[0.2, 0.6, 0.2], [1, 0, 0]], np.float32)
    assert fixed_point(weights).tolist() == [[13107, 39321, 13107], [65535, 0, 0]]


def test_blocks_of_a_thumbnail_are_those_of_each_axis():
    """130 queries in blocks of 3, 70 keys in blocks of 2; a single strong cell stays visible."""
    attention = np.zeros((1, 1, 130, 70), np.float32)
    attention[0, 0, 129, 69], attention[0, 0, 4, 5] = 1, 0.25
    thumbnails, peaks = pool(attention)
    assert thumbnails.shape == (1, 1, 44, 35) and peaks.tolist() == [[1]]
    assert thumbnails[0, 0, 43, 34] == 255 and thumbnails[0, 0, 1, 2] == 128 and np.count_nonzero(thumbnails) == 2


@pytest.mark.parametrize("translation", [SHORT, LONG], ids=["short", "70 to 90 tokens"])
def test_the_browser_reads_all_three(translation):
    data = pack(translation)
    header, _ = split(data)
    answer = ask("unpackedKinds", bytes=data)
    inputs = answer["inputs"]
    assert answer["kind"] == "cross" and [entry["name"] for entry in inputs] == KINDS
    assert len({entry["id"] for entry in inputs}) == 3
    for entry in inputs:
        attention = translation.attention[entry["name"]]
        assert entry["tokens"] == list(attention.shape[2:]) and entry["isOne"] == (entry["name"] != "cross")
        assert entry["names"] == header["attentions"][KINDS.index(entry["name"])]["sides"]
        exact = [fixed_point(attention[head]) for head in np.ndindex(attention.shape[:2])]
        np.testing.assert_array_equal(np.reshape(entry["heads"], np.shape(exact)), exact)
        means = attention.mean(2).reshape(-1, attention.shape[3])
        assert np.abs(np.array(entry["received"]) - means).max() <= 1.001 / STEPS
        thumbnails, _ = pool(attention)
        assert entry["grid"] == list(thumbnails.shape[2:])
        computed = np.reshape(entry["thumbnails"], thumbnails.shape)
        assert np.abs(computed - thumbnails.astype(int)).max() <= (2 if translation is SHORT else 0)
        queries, keys = attention.shape[2:]
        uniform = np.tri(queries, keys) if entry["name"] == "causal" else np.ones((queries, keys))
        assert entry["uniformly"] == pytest.approx((uniform / uniform.sum(1, keepdims=True)).mean(0))


def test_long_ones_are_fetched_head_by_head_and_the_kind_is_named():
    data = pack(LONG, {"head": "2.3", "kind": "causal"}, REQUEST)
    header, _ = split(data)
    assert [entry["sent"] for entry in header["attentions"]] == [[[1, 2]]] * 3
    answer = ask("unpackedKinds", bytes=data)
    assert answer["kind"] == "causal"
    outputs = [*LONG.target.ids[1:].tolist(), LONG.steps[-1].output.id]
    for kind, entry in zip(KINDS, answer["inputs"], strict=True):
        assert entry["name"] == kind
        assert entry["request"] == {"url": "heads", "body": {**REQUEST["body"], "outputs": outputs, "kind": kind}}
        np.testing.assert_array_equal(entry["heads"], [fixed_point(LONG.attention[kind][1, 2]).ravel()])


def test_statistics_are_those_that_an_attention_has():
    names = {entry["kind"]: set(entry["statistics"]) for entry in split(pack(SHORT))[0]["attentions"]}
    assert names == {
        "cross": {"entropy", "cls", "sep", "punctuation"},
        "self": {"entropy", "distance", "cls", "sep", "punctuation", "self", "previous", "next"},
        "causal": {"entropy", "distance", "first", "punctuation", "self", "previous"},
    }


def test_other_sentences_and_other_weights_have_other_identities():
    others = [SHORT, translations.translation(complete=False), translations.translation(heads=2), LONG]
    assert len({split(pack(translation))[0]["id"] for translation in others}) == 4
    assert split(pack(SHORT))[0]["id"] == split(pack(translations.translation()))[0]["id"]


def test_the_tokens_of_a_model_from_elsewhere_are_pieces_of_words():
    assert split(pack(SHORT))[0]["pieces"] is False
    assert split(pack(replace(SHORT, task=OTHER_TRANSLATION)))[0]["pieces"] is True
