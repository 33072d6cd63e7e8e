"""Marian's own tokenizers: pieces by their scores, ids of one vocabulary for both languages, and damaged files."""

import json

import pytest
from tokenizers import Tokenizer

from tests.adapters.spm_files import BPE, SOURCE, TARGET, VOCABULARY, field, save_marian_tokenizers, sentencepiece
from tests.adapters.test_opening import refusal
from tests.adapters.tiny_translators import network
from viz_core.adapters import marian_tokenizer
from viz_core.adapters.marian_tokenizer import read_model, tokenizer_file
from viz_core.adapters.opening import open_model
from viz_core.analysis.translation.live import read_reference


@pytest.fixture
def files(tmp_path):
    """A folder with the tokenizers alone."""
    save_marian_tokenizers(tmp_path)
    return tmp_path


@pytest.fixture
def folder(tmp_path):
    """That of a model."""
    path = tmp_path / "opus-mt-tiny"
    sizes = dict(pad_token_id=len(VOCABULARY) - 1, decoder_start_token_id=len(VOCABULARY) - 1, eos_token_id=0)
    network("marian", vocab_size=len(VOCABULARY), **sizes).save_pretrained(path)
    save_marian_tokenizers(path)
    return path


def ids(*tokens: str) -> list[int]:
    return [VOCABULARY.index(token) for token in tokens]


def test_a_model_is_read_with_its_scores(files):
    assert read_model(files / "source.spm").scores == SOURCE and read_model(files / "target.spm").scores == TARGET


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("the  cats ", ["▁the", "▁cat", "s"]),  # -9 rather than ▁c at s, -14
        ("cat", ["▁cat"]),
        ("as", ["▁", "a", "s"]),
        (">>deu<< the", [">>deu<<", "▁the"]),
        ("die", ["▁", "<unk>"]),  # of the other language
    ],
)
def test_the_likeliest_pieces_are_taken(files, text, tokens):
    tokenizer = Tokenizer.from_str(tokenizer_file(files, "source.spm"))
    assert tokenizer.encode(text).ids == [*ids(*tokens), 0]


def test_a_folder_is_opened_with_both_tokenizers(folder):
    checkpoint = open_model(f"path:{folder}")
    encoder = checkpoint.text_encoder
    source = encoder.encode("the cats 花")
    assert source.ids.tolist() == ids("▁the", "▁cat", "s", "▁", "花", "</s>"), "a piece of the other language is known"
    assert [source.surface(index) for index in range(3)] == ["the", "cat", "s"] and not source.notices
    *_, translation, _ = read_reference(checkpoint, source, "die Katzes 花")
    assert translation.outputs == ("▁die", "▁Katze", "s", "▁", "花", "</s>") and translation.text == "die Katzes 花"
    assert encoder.decode(ids("▁the", "▁Katze", "s")).texts == ("the Katzes",)
    assert [encoder.single_token(word) for word in ("Katze", "cat", "Hund")] == [*ids("▁Katze", "▁cat"), None]
    assert (encoder.max_tokens, checkpoint.model.special_ids.begin) == (40, len(VOCABULARY) - 1)


def test_a_tokenizer_json_is_read_where_there_is_one(folder):
    (folder / "tokenizer.json").write_text("{}")
    assert refusal(folder) == "adapters.unreadable_model"


def test_a_folder_that_lacks_one_of_the_files_is_refused(folder):
    (folder / "target.spm").write_bytes(b"damaged")
    assert refusal(folder) == "adapters.unreadable_model"
    (folder / "target.spm").unlink()
    assert refusal(folder) == "adapters.no_marian_tokenizer"


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"", "not a unigram SentencePiece model"),
        (sentencepiece(SOURCE, BPE), "not a unigram SentencePiece model"),
        (sentencepiece(SOURCE)[:-1], "cannot be read"),
        (b"\x0a\xff\xff\xff\xff\x0f", "cannot be read"),
        (b"\xff" * 20, "cannot be read"),
        (b"\x0b", "cannot be read"),
        (field(1, field(1, b"\xff") + field(2, -1.0)), "without a text"),
        (field(1, field(2, -1.0)), "without a text"),
        (field(1, field(1, b"a") + field(2, float("nan"))), "without a text or a score"),
    ],
)
def test_damaged_models_are_refused_with_a_reason(files, content, reason):
    (files / "source.spm").write_bytes(content)
    with pytest.raises(ValueError, match=reason):
        read_model(files / "source.spm")


def test_a_model_that_is_too_large_is_not_read(files, monkeypatch):
    monkeypatch.setattr(marian_tokenizer, "MOST_BYTES", 10)
    with pytest.raises(ValueError, match=r"bytes, more than 10$"):
        read_model(files / "source.spm")


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"<pad>": 99}, "not 0, 1, 2"),
        ({"<pad>": "last"}, "not 0, 1, 2"),
        ({"<pad>": None}, "not 0, 1, 2"),
        ({"</s>": None, "<end>": 0}, "lacks </s>"),
    ],
)
def test_a_vocabulary_that_does_not_fit_is_refused(files, change, reason):
    entries = {**json.loads((files / "vocab.json").read_text()), **change}
    if reason.startswith("lacks"):
        del entries["</s>"]
    (files / "vocab.json").write_text(json.dumps(entries))
    with pytest.raises(ValueError, match=reason):
        tokenizer_file(files, "source.spm")
