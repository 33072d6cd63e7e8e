"""The tokenizer of a pre-trained encoder as one of ours."""

import json
import subprocess

import pytest
from tokenizers import Tokenizer

from tests.adapters.tiny_folder import NORMALIZER, TOKENS, tokenizer_structure
from viz_core.adapters.pretrained import convert_tokenizer
from viz_core.records import Failure
from viz_core.text.building import SPECIAL
from viz_core.text.tokenizer import TextEncoder

TEXT = "The film, was UNWATCHABLE.<BR />A café don't"


def write(folder, **parts):
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_structure(**parts)), encoding="utf-8")
    return folder


def test_our_special_tokens_come_first_and_the_others_keep_their_order(tmp_path):
    tokenizer, order = convert_tokenizer(write(tmp_path), 16)
    assert [TOKENS[number] for number in order] == [*SPECIAL, "[unused0]", "[unused1]", *TOKENS[6:]]
    assert [tokenizer.id_to_token(number) for number in range(len(TOKENS))] == [TOKENS[number] for number in order]
    assert tokenizer.truncation["max_length"] == 16


def test_the_pieces_of_a_word_are_a_word(tmp_path):
    encoding = TextEncoder(convert_tokenizer(write(tmp_path), 32)[0]).encode(TEXT)
    pieces = "[CLS] the film , was un ##watch ##able . a [UNK] don ' t [SEP]"
    assert encoding.tokens == tuple(pieces.split())
    assert encoding.words.tolist() == [0, 1, 2, 3, 4, 5, 5, 5, 6, 7, 8, 9, 10, 11, 12]
    assert [encoding.surface(i) for i in (5, 6, 7, 10)] == ["UN", "WATCH", "ABLE", "café"]


def test_it_is_read_again_without_a_trial(tmp_path, monkeypatch):
    """As one of ours: nothing of the original file but its vocabulary and its choices is in it."""
    for number, choices in enumerate([{}, {"lowercase": False, "strip_accents": False, "clean_text": False}]):
        convert = convert_tokenizer(write(tmp_path, normalizer={**NORMALIZER, **choices}), 16)
        TextEncoder(convert[0]).save(tmp_path / f"{number}.json")
    monkeypatch.setattr(subprocess, "run", None)
    lower, cased = (TextEncoder.load(tmp_path / f"{number}.json") for number in (0, 1))
    assert lower.encode("Film the").tokens[1:-1] == ("film", "the")
    assert cased.encode("Film the").tokens[1:-1] == ("[UNK]", "the")


@pytest.mark.process
def test_one_that_differs_from_ours_is_tried_out(tmp_path, monkeypatch):
    TextEncoder(convert_tokenizer(write(tmp_path), 16)[0]).save(file := tmp_path / "ours.json")
    runs, run = [], subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda *a, **k: (runs.append(a), run(*a, **k))[1])
    structure = json.loads(file.read_text("utf-8"))
    for part, name, value in [("model", "max_input_chars_per_word", 99), ("normalizer", "normalizers", [])]:
        changed = {**structure, part: {**structure[part], name: value}}
        file.write_text(json.dumps(changed), encoding="utf-8")
        TextEncoder.load(file)
    assert len(runs) == 2


VOCAB = {token: number for number, token in enumerate(TOKENS)}
MODEL = tokenizer_structure()["model"]


@pytest.mark.parametrize(
    "parts, reason",
    [
        ({"model": {**MODEL, "type": "BPE"}}, "not a WordPiece tokenizer"),
        ({"model": {**MODEL, "vocab": {**VOCAB, "good": 99}}}, "are not 0, 1, 2"),
        ({"model": {**MODEL, "vocab": {**VOCAB, "good": "9"}}}, "are not 0, 1, 2"),
        ({"model": {**MODEL, "vocab": {"[UNK]": 0, "[PAD]": 1}}}, r"lacks \[CLS\], \[SEP\]"),
        ({"model": {**MODEL, "vocab": {**VOCAB, "a" * 30_000: len(VOCAB)}}}, "30,000 characters"),
        ({"normalizer": {"type": "NFKC"}}, "does not normalise and split texts as BERT does"),
        ({"pre_tokenizer": {"type": "Whitespace"}}, "does not normalise and split texts as BERT does"),
        (
            {"normalizer": {**NORMALIZER, "lowercase": "yes"}},
            "lowercase of its normalizer is 'yes': it must be true or false",
        ),
    ],
)
def test_any_other_tokenizer_is_refused_with_a_reason(tmp_path, parts, reason):
    with pytest.raises(Failure, match=reason) as failure:
        convert_tokenizer(write(tmp_path, **parts), 16)
    assert failure.value.message.key == "pretrained.bad_tokenizer"


def test_a_regular_expression_of_the_file_is_never_run(tmp_path, monkeypatch):
    """It is not even read by the library."""
    monkeypatch.setattr(Tokenizer, "from_str", None)
    bomb = {"type": "Split", "pattern": {"Regex": r"(?:a|b|c|\w){90000}"}, "behavior": "Isolated", "invert": False}
    with pytest.raises(Failure):
        convert_tokenizer(write(tmp_path, pre_tokenizer=bomb), 16)
