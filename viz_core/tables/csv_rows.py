"""A CSV file of texts, row by row, however large it is: what is wrong with a row is said with its line and column."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO

from viz_core.records import Failure, Message

COLUMNS = {False: ("text",), True: ("sentence1", "sentence2")}  # by Task.pair
LABEL = "label"
SHOWN = 40  # characters of a cell that are quoted in a sentence
_HEAD, _BLOCK = 1 << 16, 1 << 20  # bytes
_LONGEST = 1 << 19  # characters of a line: a quotation mark that is never closed must not fill the memory
_MANY = 20  # characters beyond ASCII that are valid UTF-8 and no accident
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class Row:
    """One row of a file. line: where it begins, from 1. texts: one, or the two of a pair. label: number of the class,
    None where the file gives none. problem: why the row cannot be used; its texts are then empty."""

    line: int
    texts: tuple[str, ...] = ()
    label: int | None = None
    problem: Message | None = None


def csv_rows(file: Path | str, pair: bool, labels: Sequence[str] = (), name: str | None = None) -> Iterator[Row]:
    """The rows of a file with the columns of `COLUMNS`, others passed over; blank lines are left out.

    labels: names of the classes, which the column `label` holds, or their numbers; unless given, that column is passed
    over too. name: what the file is called in sentences. Raises Failure where the file is no such CSV at all, and where it
    cannot be read on; a single row that is wrong has a `problem` instead.
    """
    called = name or str(file)
    try:
        with open(file, encoding=encoding_of(file, called), errors="surrogateescape", newline="") as text:
            yield from _Reader(text, pair, labels, called)
    except (OSError, ValueError) as error:  # Unicode errors are ValueErrors
        reason = getattr(error, "strerror", None) or str(error)
        raise Failure("analysis.csv_unreadable", file=called, reason=reason) from error


def encoding_of(file: Path | str, name: str | None = None) -> str:
    """Python's name for the encoding of a file: UTF-8, UTF-16, or the GB18030 of Chinese Excel. Raises Failure, OSError."""
    called = name or str(file)
    with open(file, "rb") as raw:
        head = raw.read(_HEAD)
        if head.startswith(_ZIP):
            raise Failure("analysis.csv_workbook", file=called)
        if head.startswith(codecs.BOM_UTF8):
            return "utf-8-sig"
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        if b"\0" in head:  # plain text has none; of UTF-16, every line end and comma has one
            even, odd = head[::2].count(0), head[1::2].count(0)
            guess = "utf-16-le" if odd else "utf-16-be"
            if min(even, odd) or _decodes(raw, guess) is not None:
                raise Failure("analysis.csv_encoding", file=called)
            return guess
        beyond = _decodes(raw, "utf-8")
        if beyond is None or beyond >= _MANY:  # a broken character of many: its row says so
            return "utf-8"
        if _decodes(raw, "gb18030") is None:
            return "gb18030"
    raise Failure("analysis.csv_encoding", file=called)


def _decodes(raw: BinaryIO, encoding: str) -> int | None:
    """None where the whole file is of this encoding, else how many characters beyond ASCII there are before what is not."""
    decoder, beyond = codecs.getincrementaldecoder(encoding)(), 0
    raw.seek(0)
    while True:
        block = raw.read(_BLOCK)
        try:
            beyond += _beyond_ascii(decoder.decode(block, final=not block))
        except UnicodeDecodeError as error:
            return beyond + _beyond_ascii(error.object[: error.start].decode(encoding, "replace"))
        if not block:
            return None


def _beyond_ascii(text: str) -> int:
    return 0 if text.isascii() else sum(not one.isascii() for one in text)


class _Reader:
    """Iterates over the rows of an open file."""

    def __init__(self, text: TextIO, pair: bool, labels: Sequence[str], name: str) -> None:
        self.text, self.wanted, self.name = text, COLUMNS[pair], name
        self.classes = {
            spelling: number for number, label in enumerate(labels) for spelling in (str(number), f"{number}.0", label)
        }
        self.known = [one for number, label in enumerate(labels) for one in (str(number), label)]

    def __iter__(self) -> Iterator[Row]:
        reader, begins = csv.reader(self._lines(), strict=True), 1
        try:
            header = [cell.strip() for cell in next(reader, [])]
            if missing := [name for name in self.wanted if name not in header]:
                raise Failure("analysis.csv_columns", file=self.name, missing=missing, columns=header[:12] or "–")
            begins = reader.line_num + 1
            for cells in reader:
                if cells:
                    yield self._row(begins, cells, header)
                begins = reader.line_num + 1
        except csv.Error as error:
            raise Failure("analysis.csv_quotes", file=self.name, row=begins, reason=str(error)) from error

    def _lines(self) -> Iterator[str]:
        while line := self.text.readline(_LONGEST):
            if len(line) == _LONGEST and not line.endswith(("\n", "\r")):
                raise csv.Error(f"line longer than {_LONGEST} characters")
            yield line

    def _row(self, line: int, cells: list[str], header: list[str]) -> Row:
        # A comma that nobody quoted: what stands behind it would be lost, or be taken for another column.
        if len(cells) != len(header):
            return Row(
                line,
                problem=Message(
                    "analysis.csv_cells", {"file": self.name, "row": line, "cells": len(cells), "expected": len(header)}
                ),
            )
        texts = tuple(cells[header.index(name)] for name in self.wanted)
        for name, text in zip(self.wanted, texts, strict=True):
            if not text.strip():
                return Row(
                    line, problem=Message("analysis.csv_empty", {"file": self.name, "row": line, "column": name})
                )
            if not text.isascii() and any("\udc80" <= one <= "\udcff" for one in text):
                return Row(
                    line, problem=Message("analysis.csv_bytes", {"file": self.name, "row": line, "column": name})
                )
        given = cells[header.index(LABEL)].strip() if self.classes and LABEL in header else ""
        if given and given.lower() not in self.classes:
            return Row(
                line,
                problem=Message(
                    "analysis.csv_label",
                    {"file": self.name, "row": line, "column": LABEL, "label": given[:SHOWN], "known": self.known},
                ),
            )
        return Row(line, texts, self.classes[given.lower()] if given else None)
