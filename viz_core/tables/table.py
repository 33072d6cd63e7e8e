"""A table as text, and how one is put together row by row, within bounds."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from viz_core.records import Failure, Message

MOST_BYTES = 100 * 2**20
MOST_ROWS = 200_000
MOST_COLUMNS = 200
MOST_CHARACTERS = 100_000  # of a cell
MOST_UNPACKED = 300 * 10**6  # bytes of a compressed file once it is unpacked; characters of all cells
_MOST_NAME = 200  # characters of a column's name: without a header, it is a whole text
_SHORT, _MOST_SHARED = 24, 50_000  # short cells repeat, and are kept once

Format = Literal["csv", "tsv", "jsonl", "xlsx", "dataset"]


@dataclass(frozen=True)
class Table:
    """A table as text.

    Attributes:
        frame: A column of strings for each column of the file (dtype object, "" for an empty cell).
        lines: The line, or row of a spreadsheet, on which each row begins, from 1, `(N,)`.
        format: What kind of file it was.
        encoding: As people know it (UTF-8, GB18030), "" where the format has only one.
        notices: What was skipped, cut or renamed.
    """

    frame: pd.DataFrame
    lines: np.ndarray
    format: Format
    encoding: str = ""
    notices: tuple[Message, ...] = ()


class TableBuilder:
    """Collects the rows of a file; the first problem is a Failure.

    Args:
        file: Name of the file, for messages.
        header: Names of the columns.
        line: Where the header is.
    """

    def __init__(self, file: str, header: Iterable[str] = (), line: int = 1) -> None:
        self.file = file
        self._names: list[str] = []
        self._columns: list[list[str]] = []
        self._lines: list[int] = []
        self._shared: dict[str, str] = {}
        self._rows = self._characters = self._blank = self._skipped = self._cut = 0
        names = [name.strip() for name in header]
        while len(names) > MOST_COLUMNS and not names[-1]:  # spreadsheets write separators of empty columns
            names.pop()
        for name in names:
            self.add_column(name, line)

    def add_column(self, name: str, line: int) -> None:
        """Add a column on the right, empty in the rows so far.

        Raises:
            Failure: If there are too many, or its name, on this line, has characters that no text has.
        """
        self._check_characters(line, name)
        if len(self._names) == MOST_COLUMNS:
            raise Failure("tables.columns", file=self.file, most=MOST_COLUMNS)
        self._names.append(name.strip()[:_MOST_NAME])
        self._columns.append([""] * len(self._lines))

    def add(self, line: int, cells: Sequence[str]) -> None:
        """Add a row; missing cells at its end are empty, and a row of empty cells is skipped.

        Raises:
            Failure: If it has too many cells, or characters that no text has.
        """
        text = "".join(cells)
        if not text or text.isspace():
            self._blank += 1
            return
        width = len(self._columns)
        if len(cells) > width and any(cells[width:]):
            raise Failure("tables.cells", file=self.file, row=line, cells=len(cells), expected=width)
        self._rows += 1
        self._skipped, self._blank = self._skipped + self._blank, 0  # those at the end of the file do not count
        if self._rows > MOST_ROWS:  # only counted, for the message
            return
        self._check_characters(line, text)
        if len(text) > MOST_CHARACTERS:
            self._cut += sum(len(cell) > MOST_CHARACTERS for cell in cells)
            cells = [cell[:MOST_CHARACTERS] for cell in cells]
        self._characters += sum(map(len, cells))
        if self._characters > MOST_UNPACKED:
            raise Failure("tables.text", file=self.file, most=MOST_UNPACKED // 10**6)
        if len(self._shared) > _MOST_SHARED:
            self._shared.clear()
        self._lines.append(line)
        share = self._shared.setdefault
        for number, column in enumerate(self._columns):
            cell = cells[number] if number < len(cells) else ""
            column.append(share(cell, cell) if len(cell) <= _SHORT else cell)

    def table(self, kind: Format, encoding: str = "", notices: Iterable[Message] = ()) -> Table:
        """The table of all rows; none can be added afterwards.

        Raises:
            Failure: If there are none, or too many.
        """
        if not self._rows:
            raise Failure("tables.no_rows", file=self.file)
        check_rows(self.file, self._rows)
        named, unnamed = _unique_names(self._names)
        columns = {}
        for number, name in enumerate(named):
            # A separator at the end of every line makes a column without name and content.
            if self._names[number] or any(self._columns[number]):
                columns[name] = pd.Series(self._columns[number], dtype=object)
            self._columns[number] = []  # millions of cells are not held twice
        changed = [name for name in unnamed if name in columns]
        own = (
            ("tables.renamed", {"names": changed}, changed),
            ("tables.blank_rows", {"count": self._skipped}, self._skipped),
            ("tables.cut", {"count": self._cut, "most": MOST_CHARACTERS}, self._cut),
        )
        found = [*notices, *(Message(key, values) for key, values, happened in own if happened)]
        frame = pd.DataFrame(columns, copy=False)
        return Table(frame, np.array(self._lines, dtype=np.int64), kind, encoding, tuple(found))

    def _check_characters(self, line: int, text: str) -> None:
        if "\0" in text:
            raise Failure("tables.nul", file=self.file, row=line)
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:  # half a character: a broken byte, or half of an escape of JSON
                raise Failure("tables.broken", file=self.file, row=line) from None


def check_rows(file: str, rows: int) -> None:
    """Check that a file has not too many rows.

    Raises:
        Failure: If it has.
    """
    if rows > MOST_ROWS:
        raise Failure("tables.rows", file=file, rows=rows, most=MOST_ROWS)


def as_text(value: object) -> str:
    """A value as a spreadsheet shows it: 1 rather than 1.0, TRUE, dates as in ISO 8601."""
    if value is None or value != value:  # NaN is what pandas writes for a missing number
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return format(value, ".15g")  # digits of a spreadsheet; 0.1 + 0.2 is 0.3
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(" ")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return str(value)


def _unique_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names without repetitions and empty ones, and those of them that the file does not have."""
    taken, unique, new = set(names), [], []
    for number, name in enumerate(names, 1):
        candidate, count = name or f"column {number}", 1
        if not name or name in unique:
            while candidate in taken:
                count += 1
                candidate = f"{name or 'column'} {count}"
            taken.add(candidate)
            new.append(candidate)
        unique.append(candidate)
    return unique, new
