"""Reads JSON Lines, and a JSON list of objects, as a table: a column for each key."""

import json
import re
from collections.abc import Iterator

from viz_core.records import Failure
from viz_core.tables.delimited import text_lines
from viz_core.tables.encoding import encoding_name
from viz_core.tables.table import Table, TableBuilder

_MOST_LIST = 32 * 2**20  # bytes; unlike lines, a list is decoded as a whole
_OBJECT, _LIST = re.compile(r'\s*\{\s*["}]'), re.compile(r"\s*\[\s*[{\]]")
_SPACE = re.compile(r"\s*")
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)  # numbers stay as they are written


def starts_json(head: str) -> bool:
    """Whether a text begins as an object or a list of objects."""
    return bool(_OBJECT.match(head) or _LIST.match(head))


def read_json(content: bytes, encoding: str, name: str, head: str) -> Table:
    """Read a table of JSON objects, one a line or in a list.

    Args:
        content: The file.
        encoding: Its encoding.
        name: Its name, for messages.
        head: How its text begins.

    Raises:
        Failure: If it is not valid, or a value is itself a list or an object.
    """
    builder, keys = TableBuilder(name), dict[str, None]()
    items = _list_items if head.lstrip().startswith("[") else _line_items
    for line, item in items(content, encoding, name):
        if not isinstance(item, dict):
            raise Failure("tables.json_object", file=name, row=line)
        for key in item:
            if key not in keys:
                builder.add_column(key, line)
                keys[key] = None
        builder.add(line, [_cell(item.get(key), name, line, key) for key in keys])
    return builder.table("jsonl", encoding_name(encoding))


def _line_items(content: bytes, encoding: str, name: str) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(text_lines(content, encoding, name), 1):
        if line := line.strip():
            item, end = _decode(line, 0, name, number)
            if end < len(line):
                raise Failure("tables.json", file=name, row=number, reason=f"text after column {end}")
            yield number, item


def _list_items(content: bytes, encoding: str, name: str) -> Iterator[tuple[int, object]]:
    if len(content) > _MOST_LIST:
        raise Failure("tables.json_list", file=name, size=len(content) / 2**20, most=_MOST_LIST // 2**20)
    text = "".join(text_lines(content, encoding, name))
    place, seen, line = _skip(text, text.index("[") + 1), 0, 1
    while text[place : place + 1] != "]":
        line, seen = line + text.count("\n", seen, place), place
        item, place = _decode(text, place, name, line)
        yield line, item
        place = _skip(text, place)
        if text[place : place + 1] not in (",", "]"):
            raise Failure("tables.json", file=name, row=line, reason="no comma after it")
        if text[place] == ",":
            place = _skip(text, place + 1)


def _decode(text: str, place: int, name: str, line: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, place)
    except json.JSONDecodeError as error:
        line += text.count("\n", place, error.pos)
        raise Failure("tables.json", file=name, row=line, reason=error.msg) from None
    except RecursionError:
        raise Failure("tables.json", file=name, row=line, reason="too many brackets inside each other") from None


def _skip(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place


def _cell(value: object, name: str, line: int, key: str) -> str:
    if isinstance(value, (dict, list)):
        raise Failure("tables.json_nested", file=name, row=line, column=key)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
