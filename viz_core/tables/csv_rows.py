"""Reads a CSV file of texts row by row, in constant memory; problems are reported with line and column. A text of an
upload must be no formula for whoever opens the results: cells that a spreadsheet would evaluate are escaped."""

import codecs
import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO

from viz_core.records import Failure, Message, failing

COLUMNS = {False: ("text",), True: ("sentence1", "sentence2")}  # by Task.pair
LABEL = "label"
MAX_QUOTED = 40  # characters of a cell that are quoted in a message
_HEAD, _BLOCK = 1 << 16, 1 << 20  # bytes
_MAX_LINE = 1 << 19  # characters; without a limit, an unclosed quotation mark would fill the memory
_ENOUGH = 20  # valid UTF-8 characters beyond ASCII that cannot be a coincidence
_FEWEST_NULS = 4  # bytes 0 in UTF-16: the name of the column `text` has four
_ZIP = b"PK\x03\x04"
# OWASP, CSV injection; the full-width signs count for spreadsheets of East Asia.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_ESCAPED = re.compile(r"''*[=+\-@\t\r\n＝＋－＠]")


@dataclass(frozen=True)
class Row:
    """A row of a file.

    line: on which it begins, from 1. texts: one, or two of a pair. label: number of the class, None if there is none.
    problem: why the row cannot be used; its texts are then empty.
    """

    line: int
    texts: tuple[str, ...] = ()
    label: int | None = None
    problem: Message | None = None


def csv_rows(file: Path | str, pair: bool, labels: Sequence[str] = (), name: str | None = None) -> Iterator[Row]:
    """Reads the columns `COLUMNS` of a file and ignores others; blank lines are skipped.

    labels: names of the classes; the column `label` may hold these or their numbers, and is ignored if labels is empty.
    name: of the file, for messages. Raises Failure if the columns are missing or the file cannot be read any further; a
    single invalid row has a `problem` instead.
    """
    display_name = name or str(file)
    with (
        failing((OSError, ValueError), "analysis.csv_unreadable", file=display_name),  # Unicode errors are ValueErrors
        open(file, encoding=detect_encoding(file, display_name), errors="surrogateescape", newline="") as text,
    ):
        yield from _Reader(text, pair, labels, display_name)


def detect_encoding(file: Path | str, name: str | None = None) -> str:
    """Python's name for the encoding: UTF-8, UTF-16, or GB18030 (Chinese Excel). Raises Failure or OSError."""
    display_name = name or str(file)
    with open(file, "rb") as raw:
        head = raw.read(_HEAD)
        if head.startswith(_ZIP):
            raise Failure("analysis.csv_workbook", file=display_name)
        if head.startswith(codecs.BOM_UTF8):
            return "utf-8-sig"
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        if head.count(0) >= _FEWEST_NULS:
            even, odd = head[::2].count(0), head[1::2].count(0)
            guess = "utf-16-le" if odd else "utf-16-be"
            if min(even, odd) or _count_valid(raw, guess) is not None:
                raise Failure("analysis.csv_encoding", file=display_name)
            return guess
        valid = _count_valid(raw, "utf-8")
        if valid is None or valid >= _ENOUGH:  # a few broken bytes are reported with their row
            return "utf-8"
        if _count_valid(raw, "gb18030") is None:
            return "gb18030"
    raise Failure("analysis.csv_encoding", file=display_name)


def _count_valid(raw: BinaryIO, encoding: str) -> int | None:
    """None if the whole file has this encoding, else the number of characters beyond ASCII before the first error."""
    decoder, count = codecs.getincrementaldecoder(encoding)(), 0
    raw.seek(0)
    while True:
        block = raw.read(_BLOCK)
        try:
            count += _count_beyond_ascii(decoder.decode(block, final=not block))
        except UnicodeDecodeError as error:
            return count + _count_beyond_ascii(error.object[: error.start].decode(encoding, "replace"))
        if not block:
            return None


def _count_beyond_ascii(text: str) -> int:
    return 0 if text.isascii() else sum(not character.isascii() for character in text)


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
    """The text after an apostrophe if a spreadsheet would evaluate it, or if `unescape_formula` would change it."""
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    """The text of `escape_formula` as it was."""
    return text[1:] if _ESCAPED.match(text) else text
