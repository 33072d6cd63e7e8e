"""Reading Excel workbooks: values as a person sees them; what is too large or no workbook is refused."""

import datetime
import io
import re
import zipfile

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.utils import get_column_letter

from tests.tables.test_reading import check_sentences, failure, frames, notices, read, rows
from viz_core.records import Failure
from viz_core.tables import table


def workbook(*sheets: list[list], change=lambda book: None) -> bytes:
    """A workbook with these rows of values."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, values in enumerate(sheets, 1):
        sheet = book.create_sheet(f"sheet {number}")
        for row in values:
            sheet.append(row)
    change(book)
    book.save(file := io.BytesIO())
    return file.getvalue()


def edited(content: bytes, part: str, old: str, new: str) -> bytes:
    """A workbook with one part edited, as other programs write it."""
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(file := io.BytesIO(), "w") as target:
        for name in source.namelist():
            text = source.read(name)
            if name == part:
                assert re.search(old.encode(), text), text
                text = re.sub(old.encode(), new.encode(), text)
            target.writestr(name, text, zipfile.ZIP_DEFLATED)
    return file.getvalue()


SHEET = "xl/worksheets/sheet1.xml"


def test_values_are_shown_as_in_a_spreadsheet():
    values = [1.0, 0.1 + 0.2, 20231234567, True, datetime.date(2024, 3, 1), datetime.datetime(2024, 3, 1, 14, 30), None]
    texts = ["1", "0.3", "20231234567", "TRUE", "2024-03-01", "2024-03-01 14:30:00", ""]
    header = [f"c{number}" for number in range(len(values))]
    found = read(workbook([header, values, [*["x"] * 6, datetime.time(9, 5)]]))
    assert rows(found) == [header, texts, [*["x"] * 6, "09:05:00"]]
    assert (found.format, found.encoding, found.notices) == ("xlsx", "", ())


def test_the_first_visible_sheet_with_rows_is_read_with_the_numbers_of_its_rows():
    def hide(book):
        book["sheet 2"].sheet_state = "hidden"

    content = workbook([], [["hidden"], ["x"]], [[], ["text", 7], ["a", "b"], [], ["c"], []], [["d"]], change=hide)
    found = read(content, "whatever.csv")
    assert rows(found) == [["text", "7"], ["a", "b"], ["c", ""]] and found.lines.tolist() == [3, 5]
    assert notices(found) == {"other_sheets": {"sheet": "sheet 3", "sheets": 4}, "blank_rows": {"count": 1}}


def test_a_table_may_begin_anywhere():
    def fill(book):
        for row, cells in enumerate((["text", "label"], ["good", 1]), 4):
            for column, value in enumerate(cells, 3):
                book["sheet 1"].cell(row, column, value)

    found = read(workbook([], change=fill))
    assert rows(found) == [["text", "label"], ["good", "1"]] and found.lines.tolist() == [5]


def test_formulas_have_their_saved_values_and_those_without_are_counted():
    content = workbook([["text", "label"], ["good", "=1+1"], ["bad", "=1+2"], ["odd", '=""']])
    assert notices(read(content)) == {"formulas": {"count": 3}} and rows(read(content))[1] == ["good", ""]
    content = edited(content, SHEET, r'<c r="B2"><f>1\+1</f><v ?/?>(</v>)?', '<c r="B2"><f>1+1</f><v>2</v>')
    content = edited(content, SHEET, r'<c r="B4"><f>""</f><v ?/?>(</v>)?', '<c r="B4" t="str"><f>""</f><v></v>')
    found = read(content)
    assert rows(found)[1:] == [["good", "2"], ["bad", ""], ["odd", ""]]
    assert notices(found) == {"formulas": {"count": 1}}


def test_wrong_dimensions_and_escapes_of_excel():
    content = workbook([["text", "label"], ["good", "_x000D_"]])
    content = edited(content, SHEET, r'<dimension ref="[^"]*" ?/>', '<dimension ref="A1:XFD1048576"/>')
    assert rows(read(content)) == [["text", "label"], ["good", "\r"]]


def test_bounds(monkeypatch):
    assert failure(workbook([["text"]]))[0] == "no_rows"
    assert failure(workbook([], []))[0] == "empty"
    key, values = failure(workbook([["text"], ["good"], ["slow", "bad"]]))
    assert (key, values["row"], values["cells"], values["expected"]) == ("cells", 3, 2, 1)
    assert failure(workbook([list(range(201)), [1]]))[0] == "columns"
    content = edited(workbook([["text"], ["good"]]), SHEET, 'r="2"', 'r="99999999999"')
    assert failure(content)[0] == "no_rows"
    monkeypatch.setattr("viz_core.tables.workbook._MOST_CELLS", 3)
    assert failure(workbook([["text", "label"], ["a", "b"]]))[0] == "columns"
    monkeypatch.setattr(table, "MOST_ROWS", 1)
    monkeypatch.setattr("viz_core.tables.workbook._MOST_CELLS", 30)
    assert failure(workbook([["text"], ["a"], ["b"]])) == ("rows", {"file": "mine.csv", "rows": 2, "most": 1})


def bomb(size: int) -> bytes:
    """A workbook whose sheet unpacks to many zeros."""
    with zipfile.ZipFile(file := io.BytesIO(workbook([["text"], ["good"]])), "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/zeros.bin", bytes(size))
    return file.getvalue()


def test_a_zip_bomb_is_refused():
    content = bomb(301 << 20)
    assert len(content) < 2**20
    key, values = failure(content)
    assert key == "unpacked" and values["size"] > values["most"] == 300


def test_a_zip_bomb_that_declares_less_is_not_unpacked(monkeypatch):
    content = bomb(2 << 20)
    content = content.replace((2 << 20).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    monkeypatch.setattr("viz_core.tables.workbook.MOST_UNPACKED", 2**20)
    assert rows(read(content)) == [["text"], ["good"]], "the part is not read at all"
    content = workbook([["text"], *[["good " * 100]] * 2_000])
    size = zipfile.ZipFile(io.BytesIO(content)).getinfo(SHEET).file_size
    content = content.replace(size.to_bytes(4, "little"), (2_000).to_bytes(4, "little"))
    assert failure(content)[0] == "workbook", "what is unpacked ends at the declared size"


def test_archives_documents_and_binary_workbooks_are_told_apart():
    def archive(*names: str) -> bytes:
        with zipfile.ZipFile(file := io.BytesIO(), "w") as target:
            for name in names:
                target.writestr(name, "x")
        return file.getvalue()

    assert failure(archive("train.csv"))[0] == failure(archive())[0] == "archive"
    assert failure(archive("[Content_Types].xml", "word/document.xml"))[0] == "archive"
    assert failure(archive("[Content_Types].xml", "xl/workbook.bin"))[0] == "old_workbook"
    assert failure(archive("[Content_Types].xml", "xl/workbook.xml"))[0] == "workbook"
    assert failure(b"PK\x03\x04...")[0] == "workbook"


@given(st.data())
def test_a_damaged_workbook_raises_nothing_but_a_failure(data):
    content = bytearray(WORKBOOK)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        read(bytes(content))
    except Failure as error:
        check_sentences(error.message)


@pytest.mark.parametrize("part", ["xl/workbook.xml", SHEET, "xl/styles.xml", "xl/sharedStrings.xml"])
@pytest.mark.parametrize("old, new", [(r"<\w+ ", "<x "), (r'="', '="x'), ("><", "><x/><"), ("</", "<"), (r"\d", "-9")])
def test_parts_that_are_wrong_raise_nothing_but_a_failure(part, old, new):
    content = workbook([["text", "label"], ["good", 1], ["bad", datetime.date(2024, 3, 1)]])
    try:
        read(edited(content, part, old, new))
    except Failure as error:
        check_sentences(error.message)
    except Warning as warning:  # openpyxl says it, and goes on
        assert type(warning) is UserWarning


WORKBOOK = workbook([["text", "label"], ["good", 1], ["bad", datetime.date(2024, 3, 1)]])


@given(frames().filter(lambda frame: not any("_x" in cell for cell in [*frame.columns, *frame.to_numpy().ravel()])))
def test_workbooks_are_read_back_unchanged(frame):
    def write(book):
        sheet = book["sheet 1"]
        for row, cells in enumerate([list(frame.columns), *frame.to_numpy().tolist()], 1):
            for column, text in enumerate(cells, 1):
                cell = sheet[f"{get_column_letter(column)}{row}"]
                cell.value, cell.data_type = text, "s"

    found = read(workbook([], change=write))
    assert rows(found) == [list(frame.columns), *frame.to_numpy().tolist()]
