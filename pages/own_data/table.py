"""The table of this visit: an uploaded file, or one on this computer; read once, and kept while there is room."""

import os
import secrets
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import streamlit as st
from cachetools import LRUCache

from pages.shared import teacher
from pages.shared.uploads import translate_uploader
from pages.shared.visitor import show_failure, translator
from viz_core.datasets.own import Columns, Understanding, understand
from viz_core.files import file_version
from viz_core.records import Failure
from viz_core.tables.reading import MOST_BYTES, Table, read_table
from viz_core.tasks.own import limits

_ENDINGS = ["csv", "tsv", "txt", "json", "jsonl", "ndjson", "xlsx", "parquet"]
_HELD_CHARACTERS = 4 * MOST_BYTES  # of the tables of all visitors in memory; one that had to go is read again
# In the session: which table is kept, as id, key and number; how many were read, and how many became tasks, for the
# keys of widgets.
_HELD, _READ, _COUNT = "own_table", "own_tables_read", "own_tables"


@dataclass(eq=False)
class Upload:
    """A table, or why it cannot be read. number: of this table in the session, for the keys of what is drawn of it.
    known: the columns that were looked at last, and what was understood of them."""

    number: int
    name: str
    table: Table | Failure
    known: tuple[Columns, Understanding | Failure] | None = field(default=None, repr=False)

    def understood(self, columns: Columns) -> Understanding | Failure:
        """What is in these columns; worked out once, though Streamlit runs the page for every click."""
        if self.known is None or self.known[0] != columns:
            table = self.table
            self.known = columns, _attempt(lambda: understand(table.frame, columns, table.lines))
        return self.known[1]

    @property
    def characters(self) -> int:
        """In all cells."""
        frame = None if isinstance(self.table, Failure) else self.table.frame
        return 1 if frame is None else 1 + sum(int(frame[name].str.len().sum()) for name in frame)


_uploads: LRUCache[str, Upload] = LRUCache(_HELD_CHARACTERS, getsizeof=lambda upload: upload.characters)  # by id
_lock = Lock()


def pick() -> Upload | None:
    """Draws the box for a file; the table, or None if there is none, after saying why."""
    say, number = translator(), st.session_state.setdefault(_COUNT, 0)
    megabytes, rows = limits.most_megabytes(), limits.most_rows()
    translate_uploader(say("own_data.limit", megabytes=megabytes, rows=rows))
    file = st.file_uploader(
        say("own_data.file"),
        type=_ENDINGS,
        key=f"own_file_{number}",
        help=say("own_data.file_help", megabytes=megabytes, rows=rows),
        max_upload_size=megabytes,
    )
    path = _typed_path(number) if teacher.may_manage_all() else ""
    if file is not None:
        upload = _hold(file.file_id, file.name, lambda: _read(file.getvalue(), file.name))
    elif path:
        place = Path(os.path.expanduser(path))
        upload = _hold((path, file_version(place)), place.name, lambda: _read(place, place.name))
    else:
        _drop()
        return None
    if isinstance(upload.table, Failure):
        show_failure(upload.table)
        return None
    return upload


def forget() -> None:
    """Empties the box, and forgets the table."""
    _drop()
    st.session_state[_COUNT] = st.session_state.get(_COUNT, 0) + 1


def _read(source: Path | bytes, name: str) -> Table:
    """Reads a table. Raises Failure, also if it has more rows than the server allows."""
    table, most = read_table(source, name), limits.most_rows()
    if len(table.frame) > most:
        raise Failure("tables.rows", file=name, rows=len(table.frame), most=most)
    return table


def _typed_path(number: int) -> str:
    """The path of a file or folder on the computer of the server, which only whoever manages it may name."""
    say = translator()
    with st.expander(say("own_data.path_title"), icon=":material/folder_open:"):
        return (st.text_input(say("own_data.path"), key=f"own_path_{number}", max_chars=1_000) or "").strip()


def _hold(key: Hashable, name: str, read: Callable[[], Table]) -> Upload:
    id, held_key, number = st.session_state.get(_HELD, ("", None, 0))
    if held_key != key:
        _drop()
        id, number = secrets.token_hex(16), st.session_state.get(_READ, 0) + 1
        st.session_state.update({_HELD: (id, key, number), _READ: number})
    with _lock:
        upload = _uploads.get(id)
    if upload is None:
        with st.spinner(translator()("own_data.reading")):
            upload = Upload(number, name, _attempt(read))
        with _lock:
            _uploads[id] = upload
    return upload


def _drop() -> None:
    id, *_ = st.session_state.pop(_HELD, ("",))
    with _lock:
        _uploads.pop(id, None)


def _attempt(action: Callable) -> object:
    """What it returns, or the Failure that it raises."""
    try:
        return action()
    except Failure as failure:
        return failure
