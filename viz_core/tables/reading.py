"""Reads any table that a person has as text: CSV, TSV, JSON Lines, an Excel workbook, a folder of a data set.

What a file is follows from its content; only where that leaves it open, from the ending of its name.
"""

import io
from pathlib import Path

from viz_core.records import Failure, failing
from viz_core.tables.delimited import read_delimited
from viz_core.tables.encoding import detect_any
from viz_core.tables.json_rows import read_json, starts_json
from viz_core.tables.table import MOST_BYTES, MOST_CHARACTERS, MOST_COLUMNS, MOST_ROWS, Table

__all__ = ["MOST_BYTES", "MOST_CHARACTERS", "MOST_COLUMNS", "MOST_ROWS", "Table", "read_table"]

_ZIP, _OLD_OFFICE, _PARQUET = (b"PK\x03\x04", b"PK\x05\x06"), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"PAR1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # how a workbook with a password stands in its container
_ARCHIVES = (b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")
_JSON = (".json", ".jsonl", ".ndjson")


def read_table(source: Path | bytes, name: str = "") -> Table:
    """Read a table; its first row names the columns.

    Args:
        source: A file or its content, or a folder of a data set.
        name: Its name, for messages and for its ending.

    Raises:
        Failure: If it cannot be read, with what to do about it.
    """
    if isinstance(source, bytes):
        return _read_content(source, name)
    name = name or source.name
    with failing(OSError, "tables.unreadable", file=name):
        is_folder = source.is_dir()
    if is_folder:
        from viz_core.tables.dataset_folder import read_folder  # pyarrow takes a while to load

        return read_folder(source, name, read_table)
    with failing((OSError, ValueError), "tables.unreadable", file=name):
        if not source.is_file() and source.exists():
            raise ValueError("not a regular file")  # reading a pipe or a device might never end
        _check_size(source.stat().st_size, name)
        with open(source, "rb") as file:
            content = file.read(MOST_BYTES + 1)  # it may grow meanwhile
    return _read_content(content, name)


def _read_content(content: bytes, name: str) -> Table:
    _check_size(len(content), name)
    if content.startswith(_ZIP):
        from viz_core.tables.workbook import read_workbook  # openpyxl takes a while to load

        return read_workbook(content, name)
    if content.startswith(_OLD_OFFICE):
        raise Failure("tables.password" if _ENCRYPTED in content else "tables.old_workbook", file=name)
    if content.startswith(_PARQUET):
        from viz_core.tables.dataset_folder import read_parquet

        return read_parquet(content, name)
    if content.startswith(_ARCHIVES):
        raise Failure("tables.archive", file=name)
    encoding = _find_encoding(content, name)
    with io.TextIOWrapper(io.BytesIO(content), encoding, errors="replace") as text:
        head = text.read(1000)
    ending = Path(name).suffix.lower()
    if starts_json(head) or (ending in _JSON and head.strip()):
        return read_json(content, encoding, name, head)
    return read_delimited(content, encoding, name, ending)


def _find_encoding(content: bytes, name: str) -> str:
    if encoding := detect_any(io.BytesIO(content)):
        return encoding
    try:
        content.decode()
    except UnicodeDecodeError:
        raise Failure("tables.encoding", file=name) from None
    row = content[: content.index(0)].count(b"\n") + 1  # UTF-8 that only zero bytes kept from being detected
    raise Failure("tables.nul", file=name, row=row)


def _check_size(size: int, name: str) -> None:
    if not size:
        raise Failure("tables.empty", file=name)
    if size > MOST_BYTES:
        raise Failure("tables.large", file=name, size=size / 2**20, most=MOST_BYTES // 2**20)
