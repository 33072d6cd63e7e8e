"""Reading any table as text: its cells as they stand, or a Failure that names line and remedy."""

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.language import LANGUAGES, Translator
from viz_core.records import Failure, Message
from viz_core.tables import table
from viz_core.tables.reading import Table, read_table

OBJECT = pd.Series(dtype=object).dtype
FRENCH = "text,label\nC'était une très belle journée à la plage,positif\nLe café était fermé,négatif\nDéjà vu,positif\n"
GERMAN = "text,label\nDas Wetter ist schön und die Straße frei,gut\nÜber den Wolken,gut\nIch möchte gehen,schlecht\n"
CHINESE = "text,label\n一部很好的电影,好\n花呗怎么还款,坏\n"
RUSSIAN = "text,label\nЭто был очень хороший фильм,хорошо\nМне не понравилось,плохо\n"


def check_sentences(message: Message) -> Message:
    """The message, after checking that it is a sentence in every language."""
    for language in LANGUAGES:
        assert "Traceback" not in Translator(language)(message)
    return message


def read(content: str | bytes, name: str = "mine.csv", encoding: str = "utf-8") -> Table:
    read = read_table(content if isinstance(content, bytes) else content.encode(encoding), name)
    for notice in read.notices:
        check_sentences(notice)
    return read


def failure(source, name: str = "mine.csv") -> tuple[str, dict]:
    with pytest.raises(Failure) as error:
        read_table(source.encode() if isinstance(source, str) else source, name)
    message = check_sentences(error.value.message)
    assert message.key.startswith("tables."), message
    return message.key.removeprefix("tables."), dict(message.values)


def rows(table: Table) -> list[list[str]]:
    """The names of the columns, and the rows."""
    return [list(table.frame.columns), *table.frame.to_numpy().tolist()]


def notices(table: Table) -> dict[str, dict]:
    return {notice.key.removeprefix("tables."): dict(notice.values) for notice in table.notices}


def test_cells_are_read_as_typed_with_their_first_lines():
    found = read('id,text\r\n1,NA\r\n2,"two\r\nlines, ""quoted"""\r\n\r\n3, 007 \r\n')
    assert rows(found) == [["id", "text"], ["1", "NA"], ["2", 'two\r\nlines, "quoted"'], ["3", " 007 "]]
    assert found.lines.tolist() == [2, 3, 6] and (found.format, found.encoding) == ("csv", "UTF-8")
    assert notices(found) == {"blank_rows": {"count": 1}}
    assert isinstance(found.frame.index, pd.RangeIndex) and set(found.frame.dtypes) == {OBJECT}


@pytest.mark.parametrize(
    "text, encoding, name",
    [
        (CHINESE, "utf-8", "UTF-8"),
        (CHINESE, "utf-8-sig", "UTF-8"),
        (CHINESE, "utf-16", "UTF-16"),
        (CHINESE, "utf-16-le", "UTF-16"),
        (CHINESE, "utf-16-be", "UTF-16"),
        (CHINESE, "gb18030", "GB18030"),
        (CHINESE, "gbk", "GB18030"),
        ("text,label\n這部電影非常好看,好\n我不喜歡這個產品,壞\n", "big5", "BIG5"),
        (FRENCH, "latin-1", "Windows-1252"),
        (GERMAN, "latin-1", "Windows-1252"),
        (RUSSIAN, "cp1251", "Windows-1251"),
    ],
)
def test_the_encoding_is_recognised(text, encoding, name):
    found = read(text, encoding=encoding)
    assert [rows(found)[0], *rows(found)[1:]] == [line.split(",") for line in text.splitlines()]
    assert found.encoding == name


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["Unix", "Windows", "old Mac"])
def test_the_separator_is_found(separator, line_end):
    cells = [["text", "label"], ["slow; but good", "pos"], ["slow, but good", "pos"], ["either|or", "neg"]]
    text = line_end.join(separator.join(f'"{cell}"' for cell in row) for row in cells)
    found = read(text)
    assert rows(found) == cells and found.format == ("tsv" if separator == "\t" else "csv")


def test_commas_in_texts_do_not_hide_the_semicolons_between_cells():
    assert rows(read("text;label\nslow, but, good;pos\nno;neg\n")) == [
        ["text", "label"],
        ["slow, but, good", "pos"],
        ["no", "neg"],
    ]
    assert rows(read("text\nslow, but good\n", "mine.txt")) == [["text"], ["slow, but good"]]


def test_quotation_marks_of_an_unquoted_tsv_belong_to_the_text():
    found = read('text\tlabel\n"Good" he said\tpos\n5" long\tneg\n', "dev.tsv")
    assert rows(found)[1:] == [['"Good" he said', "pos"], ['5" long', "neg"]] and "plain_quotes" in notices(found)


def test_columns_without_a_name_of_their_own_are_numbered():
    found = read("text,,text,text 2,\na,b,c,d,\n")
    assert rows(found) == [["text", "column 2", "text 3", "text 2"], ["a", "b", "c", "d"]]
    assert notices(found) == {"renamed": {"names": ["column 2", "text 3"]}}


def test_short_rows_are_filled_and_long_ones_refused():
    assert rows(read("text,label\nfine\nslow,neg,,\n"))[1:] == [["fine", ""], ["slow", "neg"]]
    key, values = failure('text,label\n"two\nlines",a\nslow, but good,neg\n')
    assert (key, values["row"], values["cells"], values["expected"]) == ("cells", 4, 3, 2)


@pytest.mark.parametrize(
    "content, key, row",
    [
        (b"", "empty", None),
        (b"\n \n", "empty", None),
        (b"\xef\xbb\xbf", "empty", None),
        (b"text,label\n", "no_rows", None),
        (b"text,label\n,\n\n", "no_rows", None),
        (b"text,label\ngood,1\nb\0d,0\n", "nul", 3),
        (b"text,label\na\0b,cd\0e\nf\0g,h\0i,\0\n", "nul", 2),
        (b"text\ngood\n" + b"\0\0\0\0\0" * 3 + b"\n", "nul", 3),
        (b'text\ngood\n"open\nmore\n', "quotes", 3),
        (b'text\n"a"b\n', "quotes", 2),
        (b'text\n"' + b"long\n" * 200_000, "long_cell", 2),
        (("text\n" + "花呗怎么还款\n" * 9).encode() + b"\xe8\n", "broken", 11),
        (b"\x89PNG\r\n\x1a\n\x00\xff\x00\x00\x00\xff\xfe\x00", "encoding", None),
        (b"\x1f\x8b\x08\x00", "archive", None),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "old_workbook", None),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0" + "EncryptedPackage".encode("utf-16-le"), "password", None),
        (b"PAR1 and no more", "dataset", None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_read_is_a_failure(content, key, row):
    found, values = failure(content)
    assert (found, values.get("row"), values["file"]) == (key, row, "mine.csv")


def test_bounds(monkeypatch, tmp_path):
    assert rows(read("text\n" + "long " * 22_000)) == [["text"], [("long " * 22_000)[:100_000]]]
    assert notices(read("text\n" + "long " * 22_000)) == {"cut": {"count": 1, "most": 100_000}}
    assert failure(",".join(f"c{number}" for number in range(201)) + "\n1\n")[0] == "columns"
    assert failure('{"' + '": 1, "'.join(map(str, range(201))) + '": 1}\n')[0] == "columns"
    with monkeypatch.context() as context:
        context.setattr("viz_core.tables.delimited._MOST_LINE", 20)
        assert failure("text\n" + "long " * 5)[0] == "long_line"
    monkeypatch.setattr(table, "MOST_ROWS", 3)
    assert len(read("text\n1\n2\n\n3\n\n").frame) == 3
    assert failure("text\n1\n2\n\n3\n4\n5\n") == ("rows", {"file": "mine.csv", "rows": 5, "most": 3})
    monkeypatch.setattr(table, "MOST_UNPACKED", 10)
    assert failure("text\nmore than ten characters\n")[0] == "text"
    monkeypatch.setattr("viz_core.tables.reading.MOST_BYTES", 2**20)
    (tmp_path / "large.csv").write_bytes(b"text\n" + b"x" * 2**20)
    assert failure(tmp_path / "large.csv", "")[1] == {"file": "large.csv", "size": 1 + 5 / 2**20, "most": 1}


def test_files_that_cannot_be_opened_are_failures(tmp_path):
    assert failure(tmp_path / "none.csv", "")[0] == "unreadable"
    assert failure(tmp_path / ("long" * 100), "")[0] == failure(tmp_path / "a\0b", "")[0] == "unreadable"
    assert failure(tmp_path, "")[0] == "folder"


def test_objects_become_rows_and_keys_columns():
    lines = ['{"text": "好", "label": 1, "score": 0.50}', "", '{"text": null, "label": true, "more": ""}']
    expected = [["text", "label", "score", "more"], ["好", "1", "0.50", ""], ["", "true", "", ""]]
    found = read("\n".join(lines), "mine.csv")
    assert rows(found) == expected and found.lines.tolist() == [1, 3] and found.format == "jsonl"
    found = read("[\n" + lines[0] + ",\n\n" + lines[2] + "\n]\n")
    assert rows(found) == expected and found.lines.tolist() == [2, 4]
    assert rows(read(json.dumps([{"a": "x"}]), encoding="utf-16")) == [["a"], ["x"]]


@pytest.mark.parametrize(
    "content, key, row",
    [
        ('{"text": "a"}\n{"text": ["a"]}\n', "json_nested", 2),
        ('{"text": "a"}\n{"text": {"a": 1}}\n', "json_nested", 2),
        ('{"text": "a"}\n{"text": "a"\n', "json", 2),
        ('{"text": "a"} {"text": "b"}\n', "json", 1),
        ('{\n"text": "a"}\n', "json", 1),
        ('{"text": "a"}\n17\n', "json_object", 2),
        ("[1, 2]", "json_object", 1),
        ('[{"a": 1}\n{"a": 2}]', "json", 1),
        ('[\n{"a": 1},\n{"a" 2}]', "json", 3),
        ('[{"a": 1},', "json", 1),
        ('{"a": ' + "[" * 100_000, "json", 1),
        ('{"text": "a"}\n{"text": "\\ud800"}\n', "broken", 2),
        ('{"text": "a"}\n{"text": "\\u0000"}\n', "nul", 2),
        ("[]", "no_rows", None),
        ("{}\n", "no_rows", None),
    ],
)
def test_json_that_is_no_table_is_a_failure(content, key, row):
    found, values = failure(content, "mine.json")
    assert (found, values.get("row")) == (key, row)
    assert key != "json_nested" or values["column"] == "text"


def test_a_long_json_list_is_refused(monkeypatch):
    monkeypatch.setattr("viz_core.tables.json_rows._MOST_LIST", 5)
    assert failure('[{"a": 1}]')[0] == "json_list"


# What every format can hold; carriage returns are those of line ends in some.
CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], include_characters="\n\t"), max_size=12)
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)


@st.composite
def frames(draw) -> pd.DataFrame:
    """Frames that have something in every row."""
    names = draw(st.lists(NAMES, min_size=2, max_size=4, unique=True))
    first = CELLS.filter(lambda text: text.strip())
    rows = draw(st.lists(st.tuples(first, *[CELLS] * (len(names) - 1)), min_size=1, max_size=6))
    return pd.DataFrame(rows, columns=names, dtype=object)


@given(frames(), st.sampled_from([",", ";", "\t"]), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_csv_and_tsv_are_read_back_unchanged(frame, separator, encoding):
    text = frame.to_csv(sep=separator, index=False, quoting=1)
    found = read(text, encoding=encoding)
    assert rows(found) == [list(frame.columns), *frame.to_numpy().tolist()]


@given(frames())
def test_json_lines_are_read_back_unchanged(frame):
    found = read("\n".join(json.dumps(row, ensure_ascii=False) for row in frame.to_dict("records")), "mine.jsonl")
    assert rows(found) == [list(frame.columns), *frame.to_numpy().tolist()]
    assert found.lines.tolist() == list(range(1, len(frame) + 1))


@given(st.binary(max_size=400), st.sampled_from([b"", b"text,label\n", b'{"a": "', b"[{", b"PK\x03\x04", b"PAR1"]))
def test_arbitrary_bytes_raise_nothing_but_a_failure(content, start):
    try:
        found = read(start + content)
    except Failure as error:
        check_sentences(error.message)
    else:
        assert len(found.frame) == len(found.lines) > 0
