"""A CSV file of texts: read as it is meant, or refused with a sentence that names the place."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.analysis.rows import predict_rows, read_rows
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Failure, Message


@pytest.fixture
def written(tmp_path):
    def write(content: str | bytes, encoding: str = "utf-8"):
        file = tmp_path / "rows.csv"
        file.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return file
    return write


def failure_of(file, pair: bool = False) -> Message:
    with pytest.raises(Failure) as failure:
        read_rows(file, pair)
    for language in LANGUAGES:
        sentence = Translator(language)(failure.value.message)
        assert "Traceback" not in sentence and "{" not in sentence
    return failure.value.message


def test_reviews_are_read_as_typed_with_the_lines_they_begin_in(written):
    file = written('id,text\n1,NA\n2,"two\nlines, ""quoted"""\n\n3, 007 \n')
    frame = read_rows(file, pair=False)
    assert list(frame.columns) == ["text"]
    assert list(frame["text"]) == ["NA", 'two\nlines, "quoted"', " 007 "]
    assert list(frame.index) == [2, 3, 6]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"], ids=["plain", "with a byte order mark"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["Unix", "Windows"])
def test_pairs_are_found_by_the_names_of_their_columns(written, encoding, line_end):
    file = written(line_end.join(["label,sentence2,sentence1", "1,花呗如何还钱,花呗怎么还款", ""]), encoding)
    frame = read_rows(file, pair=True)
    assert frame.to_dict("list") == {"text": ["花呗怎么还款"], "text_b": ["花呗如何还钱"]}


@pytest.mark.parametrize("content, pair, missing, found", [
    ("review\ngood\n", False, ["text"], ["review"]),
    ("sentence1,b\n花,呗\n", True, ["sentence2"], ["sentence1", "b"]),
    ("sentence1;sentence2\n花;呗\n", True, ["sentence1", "sentence2"], ["sentence1;sentence2"]),
    ("", False, ["text"], "–"),
])
def test_missing_columns_are_named(written, content, pair, missing, found):
    file = written(content)
    assert failure_of(file, pair) == Message("analysis.csv_columns", {"file": str(file), "missing": missing, "found": found})


@pytest.mark.parametrize("content, pair, column, line", [
    ("text\ngood\n  \n", False, "text", 3),
    ('text\n"two\nlines"\n\n""\n', False, "text", 5),
    ("sentence1,sentence2\n花,呗\n花,\n", True, "sentence2", 3),
    ("sentence1,sentence2\n,\n", True, "sentence1", 2),
])
def test_empty_cell_is_named_by_its_line(written, content, pair, column, line):
    message = failure_of(written(content), pair)
    assert (message.key, message.values["column"], message.values["row"]) == ("analysis.csv_empty", column, line)
    assert str(line) in Translator("en")(message)


def test_comma_without_quotation_marks_is_refused_and_loses_no_text(written):
    message = failure_of(written("text\nslow, but good\nbad, sadly\n"))
    assert message.key == "analysis.csv_cells"
    assert (message.values["row"], message.values["found"], message.values["expected"]) == (2, 2, 1)


@pytest.mark.parametrize("content", [
    "text\n花呗怎么还款\n".encode("gbk"), "text\ngood\n".encode("utf-16"), b"\x89PNG\r\n\x1a\n\x00\xff",
    b'text\n"never closed\n',
], ids=["GBK", "UTF-16", "a picture", "an open quotation mark"])
def test_what_is_no_csv_in_utf8_is_a_sentence(written, content):
    assert failure_of(written(content)).key == "analysis.csv_unreadable"


def test_missing_file_and_folder_are_sentences(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        message = failure_of(path)
        assert message.key == "analysis.csv_unreadable"
        assert message.values["file"] == str(path)
        assert str(path) not in message.values["reason"], "named once"


def test_no_address_is_fetched(tmp_path):
    assert failure_of("http://localhost:9/rows.csv").values["reason"] == "No such file or directory"


@pytest.mark.parametrize("task, content", [
    ("imdb", "text\nnot a good film\ngood\na zebra\n" + "story " * 40 + "\n"),
    ("afqmc", "sentence1,sentence2\n花呗怎么还,借呗如何还款\n花,呗\n还钱还钱还钱还钱还钱还钱,🙂\n")])
def test_answers_are_those_of_explain(checkpoints_dir, written, task, content):
    checkpoint = checkpoints.load(task, "tiny")
    frame = read_rows(written(content), checkpoint.task.pair)
    answers = predict_rows(checkpoint, frame)
    assert len(answers) == len(frame)
    for texts, answer in zip(frame.itertuples(index=False, name=None), answers, strict=True):
        one = explain(checkpoint, *texts)
        assert set(answer) == {"model", "label", "probabilities", "threshold", "tokens", "notices"}
        assert list(answer["probabilities"]) == list(one.labels)
        np.testing.assert_allclose(list(answer["probabilities"].values()), one.probabilities, atol=1e-5)
        assert answer["label"] == one.labels[one.predicted]
        assert (answer["model"], answer["threshold"]) == (one.model, one.threshold)
        assert (tuple(answer["tokens"]), answer["notices"]) == (one.encoding.tokens, one.notices)


def test_caution_of_a_bad_example_stands_with_every_row(checkpoints_dir, written):
    save_checkpoint(checkpoints_dir, "imdb", "bad", caution="checkpoints.collapsed")
    answers = predict_rows(checkpoints.load("imdb", "bad"), read_rows(written("text\ngood\nbad\n"), pair=False))
    assert [[notice.key for notice in answer["notices"]] for answer in answers] == [["checkpoints.collapsed"]] * 2


def test_text_without_words_is_named_by_its_line(checkpoints_dir, written):
    frame = read_rows(written("text\ngood\n\n?!\n"), pair=False)
    with pytest.raises(Failure) as failure:
        predict_rows(checkpoints.load("imdb", "tiny"), frame)
    assert failure.value.message.values["row"] == 4
    assert Translator("en")(failure.value.message).startswith("Line 4: The text holds no letter")
    assert Translator("zh")(failure.value.message).startswith("第 4 行：")


def test_file_without_rows_has_no_answers(checkpoints_dir, written):
    assert predict_rows(checkpoints.load("imdb", "tiny"), read_rows(written("text\n"), pair=False)) == []
