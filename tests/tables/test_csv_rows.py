"""Reading a CSV file of texts: its rows, or messages that name the wrong row and column."""

import csv
import io
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.language import LANGUAGES, Translator
from viz_core.records import Failure, Message
from viz_core.tables.csv_rows import Row, csv_rows, detect_encoding

LABELS = ("different", "same")


@pytest.fixture(scope="session")
def csv_file(tmp_path_factory):
    folder, numbers = tmp_path_factory.mktemp("csv"), itertools.count()

    def write(content: str | bytes, encoding: str = "utf-8"):
        file = folder / f"rows{next(numbers)}.csv"
        file.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return file

    return write


def check_sentences(message: Message) -> Message:
    """The message, after checking that it can be translated into every language."""
    for language in LANGUAGES:
        sentence = Translator(language)(message)
        assert "Traceback" not in sentence and "{" not in sentence
    return message


def failure_of(file, pair: bool = False) -> Message:
    with pytest.raises(Failure) as failure:
        list(csv_rows(file, pair))
    return check_sentences(failure.value.message)


def problems_of(file, pair: bool = False, labels=()) -> list[tuple]:
    """Line, key and column of each problem."""
    return [
        (row.line, check_sentences(row.problem).key.removeprefix("analysis.csv_"), row.problem.values.get("column"))
        for row in csv_rows(file, pair, labels)
        if row.problem
    ]


def test_reviews_are_read_as_typed_with_their_first_lines(csv_file):
    file = csv_file('id,text\n1,NA\n2,"two\nlines, ""quoted"""\n\n3, 007 \n')
    assert list(csv_rows(file, pair=False)) == [Row(2, ("NA",)), Row(3, ('two\nlines, "quoted"',)), Row(6, (" 007 ",))]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "gbk"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["Unix", "Windows", "old Mac"])
def test_columns_of_pairs_are_identified_by_name(csv_file, encoding, line_end):
    file = csv_file(line_end.join(["label,sentence2, sentence1", "1,花呗如何还钱,花呗怎么还款", ""]), encoding)
    assert list(csv_rows(file, True, LABELS)) == [Row(2, ("花呗怎么还款", "花呗如何还钱"), 1)]


def test_a_stray_zero_byte_does_not_make_a_file_utf_16(csv_file):
    assert list(csv_rows(csv_file("text\na\0b\n"), pair=False)) == [Row(2, ("a\0b",))]


@given(
    st.lists(
        st.tuples(
            *[st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1).filter(str.strip)] * 2
        ),
        max_size=8,
    )
)
def test_csv_written_by_python_is_read_back_unchanged(csv_file, pairs):
    text = io.StringIO()
    csv.writer(text).writerows([["sentence1", "sentence2"], *pairs])
    rows = list(csv_rows(csv_file(text.getvalue(), "utf-8-sig"), pair=True))
    assert [row.texts for row in rows] == pairs and not any(row.problem for row in rows)
    lines = [row.line for row in rows]
    assert lines == sorted(set(lines)) and (not lines or lines[0] == 2)


@given(st.binary(max_size=400))
def test_arbitrary_bytes_raise_nothing_but_a_failure(csv_file, content):
    try:
        rows = list(csv_rows(csv_file(b"text\n" + content), pair=False))
    except Failure as failure:
        check_sentences(failure.message)
    else:
        assert all(row.problem is None or check_sentences(row.problem) for row in rows)


@pytest.mark.parametrize(
    "cell, label", [("0", 0), ("1", 1), ("1.0", 1), (" same ", 1), ("Different", 0), ("", None), (" ", None)]
)
def test_labels_are_numbers_or_names(csv_file, cell, label):
    (row,) = csv_rows(csv_file(f"sentence1,sentence2,label\n花,呗,{cell}\n"), True, LABELS)
    assert (row.label, row.problem) == (label, None)


def test_a_label_of_another_task_is_reported(csv_file):
    file = csv_file("sentence1,sentence2,label\n花,呗,1\n花,呗,positive\n花,呗,2\n")
    assert problems_of(file, True, LABELS) == [(3, "label", "label"), (4, "label", "label")]
    row = list(csv_rows(file, True, LABELS))[1]
    values = {name: row.problem.values[name] for name in ("label", "row", "known")}
    assert values == {"label": "positive", "row": 3, "known": ["0", "different", "1", "same"]}
    assert problems_of(file, True) == []  # ignored if no labels are given


@pytest.mark.parametrize(
    "content, pair, missing, present",
    [
        ("review\ngood\n", False, ["text"], ["review"]),
        ("sentence1,b\n花,呗\n", True, ["sentence2"], ["sentence1", "b"]),
        ("sentence1;sentence2\n花;呗\n", True, ["sentence1", "sentence2"], ["sentence1;sentence2"]),
        ("", False, ["text"], "–"),
    ],
)
def test_missing_columns_are_reported(csv_file, content, pair, missing, present):
    file = csv_file(content)
    assert failure_of(file, pair) == Message(
        "analysis.csv_columns", {"file": str(file), "missing": missing, "columns": present}
    )


@pytest.mark.parametrize(
    "content, pair, problems",
    [
        ("text\ngood\n  \nbad\n", False, [(3, "empty", "text")]),
        ('text\n"two\nlines"\n\n""\n', False, [(5, "empty", "text")]),
        ("sentence1,sentence2\n花,呗\n花,\n\u3000,呗\n", True, [(3, "empty", "sentence2"), (4, "empty", "sentence1")]),
    ],
)
def test_empty_cells_are_reported_with_line_and_column(csv_file, content, pair, problems):
    assert problems_of(csv_file(content), pair) == problems


def test_an_unquoted_comma_or_a_missing_cell_is_reported(csv_file):
    rows = list(csv_rows(csv_file("text\nslow, but good\nfine\n"), pair=False))
    assert rows[0].problem.values["cells"] == 2 and rows[1] == Row(3, ("fine",))
    assert problems_of(csv_file("sentence1,sentence2\n花\n花,呗\n花,呗,借\n"), True) == [
        (2, "cells", None),
        (4, "cells", None),
    ]


def test_a_broken_character_is_reported_and_the_other_rows_are_read(csv_file):
    content = "text\n" + "花呗怎么还款\n" * 9
    file = csv_file(content.encode() + "花呗".encode()[:5] + b"\nlast\n")
    assert problems_of(file) == [(11, "bytes", "text")]
    assert list(csv_rows(file, False))[-1] == Row(12, ("last",))


@pytest.mark.parametrize(
    "content, key",
    [
        (b"\x89PNG\r\n\x1a\n\x00\xff\x00", "encoding"),
        (b"text\n\xff\xff\n", "encoding"),
        (b"PK\x03\x04...", "workbook"),
        ('text\nfine\n"never closed\nmore\n', "quotes"),
        ('text\n"a"b\n', "quotes"),
        ("text\n" + "long " * 200_000, "quotes"),
        ("text\n" + '"' + "long\n" * 200_000, "quotes"),
    ],
    ids=[
        "a picture",
        "not text",
        "a workbook",
        "an open quotation mark",
        "a quotation mark within",
        "a line without end",
        "a cell without end",
    ],
)
def test_an_unreadable_file_is_a_failure(csv_file, content, key):
    assert failure_of(csv_file(content)).key == f"analysis.csv_{key}"


def test_rows_before_an_unclosed_quotation_mark_are_read(csv_file):
    rows, texts = csv_rows(csv_file('text\ngood\nbad\n"open\n'), pair=False, name="mine.csv"), []
    with pytest.raises(Failure) as failure:
        for row in rows:
            texts.append(row.texts)
    assert texts == [("good",), ("bad",)]
    assert (failure.value.message.values["row"], failure.value.message.values["file"]) == (4, "mine.csv")


def test_a_missing_file_and_a_folder_are_failures(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        message = failure_of(path)
        assert message.key == "analysis.csv_unreadable" and message.values["file"] == str(path)
        assert str(path) not in message.values["reason"], "the path is mentioned only once"


def test_urls_are_not_fetched():
    assert failure_of("http://localhost:9/rows.csv").values["reason"] == "No such file or directory"


@pytest.mark.slow
def test_a_large_file_is_read_in_constant_memory(tmp_path):
    import tracemalloc

    file = tmp_path / "large.csv"
    with open(file, "w", encoding="utf-8") as large:
        large.write("text\n")
        for _ in range(100):
            large.write(("some words of a review that somebody may have written\n") * 2_000)
    tracemalloc.start()
    count = sum(1 for _ in csv_rows(file, pair=False))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 200_000 and most < 20 * 2**20


@pytest.mark.parametrize("text, encoding", [("plain", "utf-8"), ("联通", "utf-8"), ("", "utf-8")])
def test_utf8_is_recognised(csv_file, text, encoding):
    assert detect_encoding(csv_file(text)) == encoding
