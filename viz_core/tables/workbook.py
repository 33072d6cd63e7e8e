"""Reads the first sheet of an Excel workbook that has rows (ECMA-376, SpreadsheetML), through openpyxl."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from openpyxl import Workbook, load_workbook
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.worksheet._read_only import ReadOnlyWorksheet

from viz_core.records import Failure, Message, failing
from viz_core.tables.table import MOST_COLUMNS, MOST_ROWS, MOST_UNPACKED, Table, TableBuilder, as_text

_LAST_ROW = 2**20  # of a sheet of Excel; a number beyond it would be a million empty rows
_MOST_CELLS = MOST_ROWS * MOST_COLUMNS  # also empty ones: a cell far to the right makes its row wide
_ESCAPE = re.compile(r"_x(00[01][0-9A-Fa-f]|005F)_")  # how Excel writes a control character, and itself
# Whatever a damaged workbook makes openpyxl, zipfile and the parser of XML raise.
_ERRORS = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    EOFError,
    RuntimeError,
    SyntaxError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_workbook(content: bytes, name: str) -> Table:
    """Read the first visible sheet with rows; a formula is its saved value.

    Raises:
        Failure: If it is no workbook that can be read, or no sheet has rows.
    """
    with failing(_ERRORS, "tables.workbook", file=name):
        _check_archive(content, name)
        book = _open(content, values=True)
        sheets = sorted(_sheets(book), key=lambda sheet: sheet.sheet_state != "visible")
        for sheet in sheets:
            if found := _read_sheet(sheet, name):
                builder, has_hollow = found
                break
        else:
            raise Failure("tables.empty", file=name)
        notices = []
        if len(sheets) > 1:
            notices.append(Message("tables.other_sheets", {"sheet": sheet.title, "sheets": len(sheets)}))
        if has_hollow and (count := _count_unsaved(sheet, _open(content, values=False)[sheet.title])):
            notices.append(Message("tables.formulas", {"count": count}))
        return builder.table("xlsx", notices=notices)


def _check_archive(content: bytes, name: str) -> None:
    """Refuse what is no workbook, and what would unpack to very much."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        if "xl/workbook.bin" in names:
            raise Failure("tables.old_workbook", file=name)
        if "[Content_Types].xml" not in names or not any(part.startswith("xl/") for part in names):
            raise Failure("tables.archive", file=name)
        # zipfile unpacks no more of a part than the size that is declared for it.
        if (size := sum(part.file_size for part in archive.infolist())) > MOST_UNPACKED:
            raise Failure("tables.unpacked", file=name, size=size / 10**6, most=MOST_UNPACKED // 10**6)


def _open(content: bytes, values: bool) -> Workbook:
    return load_workbook(io.BytesIO(content), read_only=True, data_only=values, keep_links=False)


def _sheets(book: Workbook) -> list[ReadOnlyWorksheet]:
    return [sheet for sheet in book.worksheets if isinstance(sheet, ReadOnlyWorksheet)]


def _rows(sheet: Any) -> Iterator[tuple[Any, ...]]:
    sheet.reset_dimensions()  # what a workbook says of them is often wrong
    return sheet.iter_rows(max_row=_LAST_ROW)


def _read_sheet(sheet: ReadOnlyWorksheet, name: str) -> tuple[TableBuilder, bool] | None:
    """The rows of a sheet, and whether cells of it are written but have no value; None without a header."""
    builder, has_hollow, visited = None, False, 0
    for number, row in enumerate(_rows(sheet), 1):
        visited += len(row)
        if visited > _MOST_CELLS:
            raise Failure("tables.columns", file=name, most=MOST_COLUMNS)
        has_hollow = has_hollow or any(_is_hollow(cell) for cell in row)
        cells = [_text(cell.value) for cell in row]
        if builder is not None:
            builder.add(number, cells)
        elif any(map(str.strip, cells)):
            builder = TableBuilder(name, cells, number)
    return None if builder is None else (builder, has_hollow)


def _text(value: object) -> str:
    text = as_text(value)
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _is_hollow(cell: object) -> bool:
    # A result that is an empty text has the type "str".
    return isinstance(cell, ReadOnlyCell) and cell.value is None and cell.data_type == "n"


def _count_unsaved(sheet: ReadOnlyWorksheet, formulas: ReadOnlyWorksheet) -> int:
    """The number of formulas without a saved value: a program wrote the workbook, and Excel never computed it."""
    return sum(
        _is_hollow(value) and formula.data_type == "f"
        for values, row in zip(_rows(sheet), _rows(formulas), strict=False)
        for value, formula in zip(values, row, strict=False)
    )
