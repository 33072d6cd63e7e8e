"""Files and JSON that anyone may have written: refused if too large, too deep or not Unicode.

The refusal names the reason. Python's parser limits nested brackets only by its own stack, and what
follows it (a translator, another writer) has less of that. What the numbers and names mean is
checked where they are used.
"""

import json
import re
import stat
from pathlib import Path

MAX_BYTES = 32 * 2**20  # size of a file; the largest of ours, a tokenizer of 29,000 words, has 0.7 MB
MAX_DEPTH = 64  # containers inside each other; ours have 6
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str) -> object:
    """Parse a JSON text.

    Raises:
        ValueError: If it is refused, with a reason.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _check_depth(value)
    if _HALF_CHARACTER.search(text):
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate raises UnicodeEncodeError
    return value


def require_regular(file: Path) -> int:
    """Check that a file is a regular one; returns its size in bytes.

    Raises:
        OSError: If it cannot be accessed.
        ValueError: If reading it might never end: a pipe, a device.
    """
    status = file.stat()
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):  # opening a folder is an OSError
        raise ValueError("it is a pipe or a device, not a regular file")
    return status.st_size


def read_text(file: Path, most: int = MAX_BYTES) -> str:
    """Read the text of a file of at most this many bytes.

    Raises:
        OSError: If it cannot be read.
        ValueError: If it is refused, with a reason.
    """
    if (size := require_regular(file)) > most:
        raise ValueError(f"it has {size:,} bytes, more than {most:,}")
    return file.read_text(encoding="utf-8")


def read_json_object(file: Path, most: int = MAX_BYTES) -> dict:
    """Read the JSON object in a file of at most this many bytes.

    Raises:
        OSError: If it cannot be read.
        ValueError: If it is refused, with a reason.
    """
    value = parse_json(read_text(file, most))
    if not isinstance(value, dict):
        raise ValueError(f"{type(value).__name__}, not a JSON object")
    return value


_TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"


def _check_depth(value: object) -> None:
    containers = [value]
    for _ in range(MAX_DEPTH):
        containers = [
            item
            for container in containers
            if isinstance(container, (dict, list))
            for item in (container.values() if isinstance(container, dict) else container)
            if isinstance(item, (dict, list))
        ]
        if not containers:
            return
    raise ValueError(_TOO_DEEP)
