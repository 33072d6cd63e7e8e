"""The tokenizer of a language model of ours: byte pairs, which know every text and give it back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.text.building import CLS, SEP, build_byte_pair_tokenizer
from viz_core.text.piece_encoder import PieceEncoder, text_encoder
from viz_core.text.tokenizer import TextEncoder
from viz_core.text.tokenizer_file import read_tokenizer

TEXTS = ["low low low lower lowest", "low lower"]
ENCODER = PieceEncoder(build_byte_pair_tokenizer(TEXTS, max_tokens=64, vocabulary=4 + 256 + 3))


def test_the_most_frequent_pairs_are_merged_in_turn():
    """ " l", " lo", " low" are the three most frequent pairs one after another; all the rest are bytes."""
    encoding = ENCODER.encode("low lower")
    assert encoding.tokens == ("[CLS]", "␣low", "␣low", "e", "r", "[SEP]")
    assert [encoding.surface(i) for i in range(1, 5)] == ["low", "low", "e", "r"]
    assert encoding.words.tolist() == [0, 1, 2, 2, 2, 3]
    assert not encoding.unknown.any() and encoding.ids[[0, -1]].tolist() == [CLS, SEP]


def test_line_breaks_and_white_space_are_one_space_and_case_is_kept():
    ids, _ = ENCODER.ids(["A<br /><BR>b \n\t c", "A b c"])
    assert ids[0].tolist() == ids[1].tolist()
    assert ENCODER.text(ids[0].tolist()) == " A b c"
    assert ENCODER.ids(["a"])[0][0].tolist() != ENCODER.ids(["A"])[0][0].tolist()


@given(st.text(st.characters(exclude_categories=["C", "M", "Z"]), min_size=1, max_size=20))
def test_any_text_is_read_without_unknown_tokens_and_decoded_again(text):
    encoding = ENCODER.encode(text)
    composed = ENCODER._unicode.normalize(text)
    assert not encoding.unknown.any() and encoding.notices == ()
    assert ENCODER.text(encoding.ids.tolist()).strip() == composed.strip()


def test_what_a_model_writes_continues_the_text():
    encoding = ENCODER.encode("low").first(2)
    longer = ENCODER.extend(encoding, ENCODER.ids(["lower"])[0][0][1:-1].tolist())
    assert longer.texts == ("low lower",)
    assert [longer.surface(i) for i in range(1, 5)] == ["low", "low", "e", "r"]


def test_a_typed_marker_is_text():
    assert not ENCODER.encode("a [SEP] b").special[1:-1].any()


def test_its_file_needs_no_trial_and_a_changed_one_does(tmp_path, monkeypatch):
    file = tmp_path / "tokenizer.json"
    ENCODER.save(file)
    monkeypatch.setattr("viz_core.text.tokenizer_file._trial", lambda content: "tried")
    assert isinstance(text_encoder(read_tokenizer(file)), PieceEncoder)
    file.write_text(file.read_text(encoding="utf-8").replace('"byte_fallback":false', '"byte_fallback":true'))
    with pytest.raises(ValueError, match="tried"):
        read_tokenizer(file)


def test_whole_ids_are_not_truncated():
    short = TextEncoder(build_byte_pair_tokenizer(TEXTS, max_tokens=5, vocabulary=263))
    assert [len(ids) for ids in short.ids(["low " * 9])[0]] == [5]
    assert [len(ids) for ids in short.whole_ids(["low " * 9, "low"])] == [11 + 1, 3]
