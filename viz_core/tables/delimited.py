"""Reads CSV and TSV: the separator is found, quoted cells may hold line breaks, problems name the line."""

import csv
import io
from collections.abc import Iterator
from dataclasses import replace

from viz_core.records import Failure, Message
from viz_core.tables.encoding import encoding_name
from viz_core.tables.table import Format, Table, TableBuilder

_SEPARATORS = ",;\t|"
_MOST_LINE = 1 << 24  # characters
_HEAD_LINES, _HEAD_LINE = 50, 1 << 14  # of which the separator is found
_QUOTING = ("tables.quotes", "tables.cells", "tables.long_cell")  # what an open quotation mark leads to
_TSV = (".tsv", ".tab", ".txt")


def read_delimited(content: bytes, encoding: str, name: str, ending: str = "") -> Table:
    """Read a table whose first row that is not empty names its columns.

    Args:
        content: The file.
        encoding: Its encoding.
        name: Its name, for messages.
        ending: With a file that has no separator, that of .tsv or .txt keeps commas inside its only column.

    Raises:
        Failure: If a line cannot be read, or there is no row.
    """
    separator = _find_separator(content, encoding, "\t" if ending in _TSV else ",")
    try:
        return _read(content, encoding, name, separator, csv.QUOTE_MINIMAL)
    except Failure as failure:
        if separator != "\t" or failure.message.key not in _QUOTING:
            raise
        # Corpora are often written without any quoting: there, a quotation mark is one of the text.
        try:
            table = _read(content, encoding, name, separator, csv.QUOTE_NONE)
        except Failure:
            raise failure from None
        return replace(table, notices=(Message("tables.plain_quotes"), *table.notices))


def text_lines(content: bytes, encoding: str, name: str) -> Iterator[str]:
    """The lines of a file with their ends; bytes that are no text become surrogates.

    Raises:
        Failure: If a line is too long, or the encoding is another one.
    """
    with io.TextIOWrapper(io.BytesIO(content), encoding, errors="surrogateescape", newline="") as text:
        number = 0
        try:
            while line := text.readline(_MOST_LINE):
                number += 1
                if len(line) == _MOST_LINE and not line.endswith(("\n", "\r")):
                    raise Failure("tables.long_line", file=name, row=number, most=_MOST_LINE)
                yield line
        except UnicodeError:
            raise Failure("tables.broken", file=name, row=number + 1) from None


def _read(content: bytes, encoding: str, name: str, separator: str, quoting: int) -> Table:
    reader = csv.reader(text_lines(content, encoding, name), delimiter=separator, strict=True, quoting=quoting)  # type: ignore[arg-type]
    builder, line = None, 1
    try:
        for cells in reader:
            if builder is not None:
                builder.add(line, cells)
            elif any(map(str.strip, cells)):
                builder = TableBuilder(name, cells, line)
            line = reader.line_num + 1
    except csv.Error as error:
        if "limit" in str(error):
            raise Failure("tables.long_cell", file=name, row=line, most=csv.field_size_limit()) from error
        raise Failure("tables.quotes", file=name, row=line) from error
    if builder is None:
        raise Failure("tables.empty", file=name)
    kind: Format = "tsv" if separator == "\t" else "csv"
    return builder.table(kind, encoding_name(encoding))


def _find_separator(content: bytes, encoding: str, default: str) -> str:
    """The separator that cuts the most of the first rows into as many cells as the header."""
    with io.TextIOWrapper(io.BytesIO(content), encoding, errors="replace", newline="") as text:
        head: list[str] = []
        while len(head) < _HEAD_LINES and (line := text.readline(_HEAD_LINE)):
            if line.strip():
                head.append(line)
    best, most = default, (0.0, 1)
    for separator in _SEPARATORS:
        try:
            rows = [cells for cells in csv.reader(head, delimiter=separator) if cells]
        except csv.Error:
            continue
        width = len(rows[0]) if rows else 1
        alike = sum(len(row) == width for row in rows) / max(len(rows), 1)
        if width > 1 and (alike, width) > most:
            best, most = separator, (alike, width)
    return best
