"""Reads a folder of a Hugging Face data set: files named after splits, or what `save_to_disk` wrote.

Layouts: https://huggingface.co/docs/datasets/repository_structure and `Dataset.save_to_disk`.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from viz_core.records import Failure, Message, failing
from viz_core.tables import table
from viz_core.tables.table import Table, TableBuilder, as_text, check_rows

SPLIT = "split"  # the column that is added
_SPLIT = re.compile(r"(?:^|[^a-z])(train(?:ing)?|validation|valid|val|dev|test(?:ing)?|eval)(?:[^a-z]|$)")
_CALLED = {
    "training": "train",
    "valid": "validation",
    "val": "validation",
    "dev": "validation",
    "testing": "test",
    "eval": "test",
}
_ORDER = ("train", "validation", "test")
_ENDINGS = ((".parquet",), (".jsonl", ".json", ".ndjson"), (".csv", ".tsv"), (".xlsx",))  # the first there is
_NO_TABLES = ("dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json")
_MOST_INFO = 4 * 2**20  # bytes
_BATCH = 256  # rows; the same text may stand in each, and is stored once in the file
_NO_LABEL = "-1"
_ERRORS = (pa.ArrowException, OSError, ValueError, LookupError, TypeError, OverflowError)


def read_folder(folder: Path, name: str, read_file: Callable[[Path, str], Table]) -> Table:
    """Read all splits of a data set, and name the one of each row in the column `split`.

    Args:
        folder: The folder.
        name: Its name, for messages.
        read_file: Reads a file that is no Arrow.

    Raises:
        Failure: If it holds no data set, or a file of it cannot be read.
    """
    with failing(OSError, "tables.unreadable", file=name):
        files = _saved_files(folder) or _named_files(folder)
        if not files:
            raise Failure("tables.folder", file=name)
        size = sum(file.stat().st_size for _, file in files)
    if size > table.MOST_BYTES:
        raise Failure("tables.large", file=name, size=size / 2**20, most=table.MOST_BYTES // 2**20)
    parts: list[tuple[str, Table]] = []
    for split, file in files:
        part = _read_file(file, f"{name}/{file.name}", read_file)
        parts.append((split, replace(part, frame=_name_labels(part.frame, _info(file.parent) or _info(folder)))))
    return _join(parts, name)


def read_parquet(content: bytes, name: str) -> Table:
    """Read one file of Parquet.

    Raises:
        Failure: If it cannot be read.
    """
    return _parquet(pa.BufferReader(content), name)


def _saved_files(folder: Path) -> list[tuple[str, Path]]:
    """Splits and files of what `save_to_disk` wrote: a data set, or a folder for each split."""
    if files := _files(folder, (".arrow",)):
        split = _read_info(folder / "state.json").get("_split")
        return [(_called(str(split)) if split else _ORDER[0], file) for file in files]
    folders = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: _order(_called(path.name)))
    return [(_called(path.name), file) for path in folders for file in _files(path, (".arrow",))]


def _named_files(folder: Path) -> list[tuple[str, Path]]:
    """Splits and files whose names, or those of their folders, are names of splits."""
    places = [folder, folder / "data", *(path for path in sorted(folder.iterdir()) if _find_split(path.name))]
    places = [path for path in places if path.is_dir()]
    for endings in _ENDINGS:
        files = [file for path in dict.fromkeys(places) for file in _files(path, endings)]
        named = [(_find_split(file.stem) or _folder_split(file, folder), file) for file in files]
        if found := [(split, file) for split, file in named if split]:
            return sorted(found, key=lambda pair: _order(pair[0]))
        if files and endings == (".parquet",):  # a table without a split's name is what one trains on
            return [(_ORDER[0], file) for file in files]
    return []


def _files(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    return [
        file
        for file in sorted(folder.iterdir())
        if file.suffix.lower() in endings
        and file.is_file()
        and file.name not in _NO_TABLES
        and not file.name.startswith((".", "cache-"))  # what `datasets` computed, and hidden files
    ]


def _folder_split(file: Path, folder: Path) -> str:
    return "" if file.parent == folder else _find_split(file.parent.name)


def _find_split(name: str) -> str:
    match = _SPLIT.search(name.lower())
    return _CALLED.get(match[1], match[1]) if match else ""


def _called(split: str) -> str:
    return _find_split(split) or split


def _order(split: str) -> tuple[int, str]:
    return (_ORDER.index(split) if split in _ORDER else len(_ORDER), split)


def _read_file(file: Path, name: str, read_file: Callable[[Path, str], Table]) -> Table:
    if file.suffix.lower() == ".parquet":
        with failing(_ERRORS, "tables.dataset", file=name), pa.OSFile(str(file)) as source:
            return _parquet(source, name)
    if file.suffix.lower() == ".arrow":
        with failing(_ERRORS, "tables.dataset", file=name), pa.memory_map(str(file)) as source:
            return _arrow(source, name)
    return read_file(file, name)


def _parquet(source: pa.NativeFile, name: str) -> Table:
    with failing(_ERRORS, "tables.dataset", file=name):
        file = pq.ParquetFile(source)
        check_rows(name, file.metadata.num_rows)
        groups = range(file.metadata.num_row_groups)
        if (size := sum(file.metadata.row_group(group).total_byte_size for group in groups)) > table.MOST_UNPACKED:
            raise Failure("tables.unpacked", file=name, size=size / 10**6, most=table.MOST_UNPACKED // 10**6)
        schema = file.schema_arrow
        names = [field.name for field in schema if _is_plain(field.type)]
        return _build(file.iter_batches(_BATCH, columns=names), schema, name)


def _arrow(source: pa.NativeFile, name: str) -> Table:
    reader = pa.ipc.open_stream(source)
    return _build(reader, reader.schema, name)


def _build(batches: Iterable[pa.RecordBatch], schema: pa.Schema, name: str) -> Table:
    plain = [field.name for field in schema if _is_plain(field.type)]
    builder, line = TableBuilder(name, plain), 0
    for whole in batches:
        whole.validate(full=True)  # Arrow trusts the offsets of its texts
        columns = [column for column in whole.columns if _is_plain(column.type)]
        for start in range(0, len(whole), _BATCH):
            cells = [column.slice(start, _BATCH).to_pylist() for column in columns]
            for row in zip(*cells, strict=True):
                line += 1
                builder.add(line, [as_text(value) for value in row])
    left = [field.name for field in schema if field.name not in plain]
    found = builder.table("dataset", notices=[Message("tables.left_out", {"names": left})] if left else [])
    return replace(found, frame=_name_labels(found.frame, _features((schema.metadata or {}).get(b"huggingface", b""))))


def _is_plain(kind: pa.DataType) -> bool:
    """Whether a column holds texts, numbers or times: no lists, objects or pictures."""
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    binary = pa.types.is_binary(inner) or pa.types.is_large_binary(inner) or pa.types.is_fixed_size_binary(inner)
    return not (pa.types.is_nested(inner) or binary)


def _name_labels(frame: pd.DataFrame, features: Mapping[str, Any]) -> pd.DataFrame:
    """Replace the numbers of classes by their names, and -1, no label, by an empty cell."""
    for column in frame:
        feature = features.get(str(column))
        names = feature.get("names") if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" else None
        if isinstance(names, list):
            called = {str(number): str(label) for number, label in enumerate(names)} | {_NO_LABEL: ""}
            frame = frame.assign(**{str(column): [called.get(cell, cell) for cell in frame[column]]}).astype(object)
    return frame


def _info(folder: Path) -> dict[str, Any]:
    features = _read_info(folder / "dataset_info.json").get("features")
    return features if isinstance(features, dict) else {}


def _read_info(file: Path) -> dict[str, Any]:
    """The JSON object of a file that describes a data set; nothing if there is none."""
    try:
        with open(file, "rb") as raw:
            return _object(raw.read(_MOST_INFO))
    except OSError:
        return {}


def _features(metadata: bytes) -> dict[str, Any]:
    info = _object(metadata).get("info")
    features = info.get("features") if isinstance(info, dict) else None
    return features if isinstance(features, dict) else {}


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _join(parts: list[tuple[str, Table]], name: str) -> Table:
    """One table of those of the splits, with the column `split`."""
    check_rows(name, sum(len(part.frame) for _, part in parts))
    frame = pd.concat([part.frame for _, part in parts], ignore_index=True).astype(object).fillna("")
    frame = frame.rename(columns={SPLIT: f"{SPLIT} 2"})  # one of its own
    frame[SPLIT] = pd.Series([split for split, part in parts for _ in range(len(part.frame))], dtype=object)
    if len(frame.columns) > table.MOST_COLUMNS:
        raise Failure("tables.columns", file=name, most=table.MOST_COLUMNS)
    notices: list[Message] = []
    for _, part in parts:
        notices += [notice for notice in part.notices if notice not in notices]
    return Table(
        frame, np.concatenate([part.lines for _, part in parts]), "dataset", parts[0][1].encoding, tuple(notices)
    )
