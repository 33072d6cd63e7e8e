"""A model of one's own as one file, to open on another installation: a zip of its checkpoint folder.

Only the files that a checkpoint has are packed, and only these are unpacked, each under its own name.
Anyone may have written a zip: what it declares is bounded before anything of it is unpacked, and
zipfile unpacks no more of a file than what is declared.
"""

import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from viz_core.bounded_json import parse_json
from viz_core.checkpoints.reading import CARD, CONFIG, METRICS, TOKENIZER, WEIGHTS
from viz_core.names import check_folder_name
from viz_core.records import Failure, failing
from viz_core.tasks.own import Definition, is_own_name
from viz_core.tasks.own.folder import WITH_MODEL

FILES = (WEIGHTS, CONFIG, TOKENIZER, METRICS, CARD, WITH_MODEL)
MOST_BYTES = 2**30  # unpacked, of all files together
_MOST_OF_FILE = {WEIGHTS: MOST_BYTES, TOKENIZER: 2**24}  # a vocabulary of 300,000 words takes 9 MB
_MOST_OF_OTHERS = 2**20
_LONGEST_READ = 2**17  # at once; a list of contents that is longer names more than the files of a model
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OverflowError, struct.error)


@dataclass(frozen=True)
class Packed:
    """A zip that has the form of an exported model; what is in its files has not been looked at.

    Attributes:
        file: Name of the zip.
        task: Name of the task.
        model: Name of the model.
    """

    file: str
    task: str
    model: str
    _archive: zipfile.ZipFile
    _entries: Mapping[str, zipfile.ZipInfo]  # by the name of the file

    def definition(self) -> Definition:
        """Read the definition of the task, which the model has brought.

        Raises:
            Failure: If it is missing, invalid, or of another task.
        """
        with failing((KeyError, TypeError, *_DAMAGED), "checkpoints.bad_archive", file=self.file):
            content = parse_json(self._archive.read(self._entries[WITH_MODEL]).decode("utf-8"))
            definition = Definition.from_dict(content if isinstance(content, dict) else {})
        if definition.name != self.task:
            raise Failure("checkpoints.bad_archive", file=self.file)
        return definition

    def unpack(self, out: Path) -> None:
        """Write the files of the model into a folder.

        Raises:
            Failure: If the zip is damaged.
            OSError: If they cannot be written.
        """
        with failing(_DAMAGED, "checkpoints.bad_archive", file=self.file):
            for name, entry in self._entries.items():
                with self._archive.open(entry) as content, (out / name).open("xb") as file:
                    shutil.copyfileobj(content, file, 2**16)


def pack(model: Path, out: Path | BinaryIO) -> None:
    """Write a zip of a checkpoint folder, as `<task>/<name>/<file>`.

    Raises:
        Failure: If it cannot be written.
    """
    with (
        failing(OSError, "checkpoints.archive_not_written", file=str(out)),
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name in FILES:
            if (model / name).is_file():
                archive.write(model / name, f"{model.parent.name}/{model.name}/{name}")


@contextmanager
def open_archive(file: BinaryIO, name: str, most: int = MOST_BYTES) -> Iterator[Packed]:
    """Open such a zip.

    Args:
        file: The zip.
        name: What it is called.
        most: Bytes that its files may have together.

    Raises:
        Failure: If it is no such zip, or too large.
    """
    with failing((OSError, *_DAMAGED), "checkpoints.bad_archive", file=name):
        archive = zipfile.ZipFile(cast(IO[bytes], _Bounded(file)))
    with archive:
        listed = [entry for entry in archive.infolist() if not entry.is_dir()]
        task, model, entries = _model_of(listed, name)
        _check_sizes(entries, name, most)
        yield Packed(name, task, model, archive, entries)


def _model_of(listed: list[zipfile.ZipInfo], file: str) -> tuple[str, str, dict[str, zipfile.ZipInfo]]:
    """Task and name of the only model in a zip, and its files by their names."""
    paths = [tuple(entry.filename.split("/")) for entry in listed]
    models, names = {path[:2] for path in paths}, [path[-1] for path in paths]
    of_model = len(models) == 1 and all(len(path) == 3 and path[2] in FILES for path in paths)
    if not of_model or len(set(names)) < len(names):
        raise Failure("checkpoints.bad_archive", file=file)
    ((task, name),) = models
    if not is_own_name(task) or name.startswith("."):
        raise Failure("checkpoints.bad_archive", file=file)
    check_folder_name(name)
    return task, name, dict(zip(names, listed, strict=True))


def _check_sizes(entries: Mapping[str, zipfile.ZipInfo], file: str, most: int) -> None:
    """Refuse what would unpack to too much, and compression that takes as much memory as a zip likes (LZMA)."""
    if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries.values()):
        raise Failure("checkpoints.bad_archive", file=file)
    if (size := sum(entry.file_size for entry in entries.values())) > most:
        raise Failure("checkpoints.large_archive", file=file, size=size / 10**6, most=most // 10**6)
    if any(entry.file_size > _MOST_OF_FILE.get(name, _MOST_OF_OTHERS) for name, entry in entries.items()):
        raise Failure("checkpoints.bad_archive", file=file)


class _Bounded:
    """A file of which nothing long is read at once: zipfile reads the whole list of contents, of a million files, too.

    Raises:
        BadZipFile: Where it would.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        content = self._file.read(size if 0 <= size <= _LONGEST_READ else _LONGEST_READ + 1)
        if len(content) > _LONGEST_READ:
            raise zipfile.BadZipFile("its list of contents is too long")
        return content
