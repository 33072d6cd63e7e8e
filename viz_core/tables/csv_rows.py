"""Reads a CSV file of texts row by row, in constant memory; problems name line and column.

A text in an upload must not become a formula for people who open the results: cells that a
spreadsheet would evaluate are escaped.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from viz_core.records import Failure, Message, failing
from viz_core.tables.encoding import detect_unicode_or_gb18030

COLUMNS = {False: ("text",), True: ("sentence1", "sentence2")}  # by Task.pair
LABEL = "label"
MAX_QUOTED = 40  # characters of a cell that are quoted in a message
_MAX_LINE = 1 << 19  # characters; without a limit, an unclosed quotation mark would fill the memory
_ZIP = b"PK\x03\x04"
# OWASP, CSV injection; the full-width signs count for spreadsheets of East Asia.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_ESCAPED = re.compile(r"''*[=+\-@\t\r\n＝＋－＠]")


@dataclass(frozen=True)
class Row:
    """A row of a file.

    Attributes:
        line: Line on which it begins, from 1.
        texts: One text, or the two of a pair.
        label: Number of the class, None if there is none.
        problem: Why the row cannot be used; its texts are then empty.
    """

    line: int
    texts: tuple[str, ...] = ()
    label: int | None = None
    problem: Message | None = None


def csv_rows(file: Path | str, pair: bool, labels: Sequence[str] = (), name: str | None = None) -> Iterator[Row]:
    """Read the columns `COLUMNS` of a file and ignore others; blank lines are skipped.

    A single invalid row has a `problem` and does not end the reading.

    Args:
        file: The file.
        pair: Whether a row is a pair of texts.
        labels: Names of the classes; the column `label` may hold these or their numbers, and is
            ignored if labels is empty.
        name: Name of the file, for messages.

    Raises:
        Failure: If the columns are missing or the file cannot be read any further.
    """
    display_name = name or str(file)
    with (
        failing((OSError, ValueError), "analysis.csv_unreadable", file=display_name),  # Unicode errors are ValueErrors
        open(file, encoding=detect_encoding(file, display_name), errors="surrogateescape", newline="") as text,
    ):
        yield from _Reader(text, pair, labels, display_name)


def detect_encoding(file: Path | str, name: str | None = None) -> str:
    """Python's name for the encoding: UTF-8, UTF-16, or GB18030 (Chinese Excel).

    Raises:
        Failure: If it is none of these.
        OSError: If the file cannot be read.
    """
    display_name = name or str(file)
    with open(file, "rb") as raw:
        if raw.read(len(_ZIP)) == _ZIP:
            raise Failure("analysis.csv_workbook", file=display_name)
        if encoding := detect_unicode_or_gb18030(raw):
            return encoding
    raise Failure("analysis.csv_encoding", file=display_name)


class _Reader:
    """Iterates over the rows of an open file."""

    def __init__(self, text: TextIO, pair: bool, labels: Sequence[str], name: str) -> None:
        self.text, self.columns, self.name = text, COLUMNS[pair], name
        self.classes = {
            spelling: number for number, label in enumerate(labels) for spelling in (str(number), f"{number}.0", label)
        }
        self.accepted = [spelling for number, label in enumerate(labels) for spelling in (str(number), label)]

    def __iter__(self) -> Iterator[Row]:
        reader, line = csv.reader(self._lines(), strict=True), 1
        try:
            header = [cell.strip() for cell in next(reader, [])]
            if missing := [name for name in self.columns if name not in header]:
                raise Failure("analysis.csv_columns", file=self.name, missing=missing, columns=header[:12] or "–")
            line = reader.line_num + 1
            for cells in reader:
                if cells:
                    yield self._row(line, cells, header)
                line = reader.line_num + 1
        except csv.Error as error:
            raise Failure("analysis.csv_quotes", file=self.name, row=line, reason=str(error)) from error

    def _lines(self) -> Iterator[str]:
        while line := self.text.readline(_MAX_LINE):
            if len(line) == _MAX_LINE and not line.endswith(("\n", "\r")):
                raise csv.Error(f"line longer than {_MAX_LINE} characters")
            yield line

    def _row(self, line: int, cells: list[str], header: list[str]) -> Row:
        def problem(key: str, **values: object) -> Row:
            return Row(line, problem=Message(key, {"file": self.name, "row": line, **values}))

        # An unquoted comma would shift the remaining cells into the wrong columns.
        if len(cells) != len(header):
            return problem("analysis.csv_cells", cells=len(cells), expected=len(header))
        texts = tuple(cells[header.index(name)] for name in self.columns)
        for name, text in zip(self.columns, texts, strict=True):
            if not text.strip():
                return problem("analysis.csv_empty", column=name)
            if not text.isascii() and any("\udc80" <= character <= "\udcff" for character in text):
                return problem("analysis.csv_bytes", column=name)
        label = cells[header.index(LABEL)].strip() if self.classes and LABEL in header else ""
        if label and label.lower() not in self.classes:
            return problem("analysis.csv_label", column=LABEL, label=label[:MAX_QUOTED], known=self.accepted)
        return Row(line, texts, self.classes[label.lower()] if label else None)


def escape_formula(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would evaluate.

    A text that `unescape_formula` would change gets one, too.
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    """Undo `escape_formula`."""
    return text[1:] if _ESCAPED.match(text) else text
