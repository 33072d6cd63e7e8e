"""A model of one's own as one file, to open on another installation: a zip of its checkpoint folder.

Only the files that a checkpoint has are packed, and only these are unpacked; each is checked like
any other checkpoint, of which no code is run.
"""

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from viz_core.checkpoints.files import folder, read_info
from viz_core.checkpoints.reading import CARD, CONFIG, METRICS, TOKENIZER, WEIGHTS
from viz_core.names import check_folder_name
from viz_core.records import Failure, failing
from viz_core.tasks.own import is_own_name
from viz_core.tasks.own.folder import WITH_MODEL

FILES = (WEIGHTS, CONFIG, TOKENIZER, METRICS, CARD, WITH_MODEL)
MOST_BYTES = 2**30  # unpacked, of one file


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


def unpack(file: Path) -> tuple[str, str]:
    """Unpack such a zip to where models are loaded from; returns task and name of the model.

    Raises:
        Failure: If it is no such zip, if the model exists already, or cannot be read or written.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            entries = {entry.filename: entry for entry in archive.infolist() if not entry.is_dir()}
            task, name = _model_of(entries, file)
            model = folder() / task / name
            if model.exists():
                raise Failure("training.name_taken", task=task, name=name)
            partial = model.with_name(f".{name}.unpacked")
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
            try:
                for path, content in _contents(archive, entries, file):
                    (partial / path.rpartition("/")[2]).write_bytes(content)
                partial.rename(model)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:  # encrypted; unknown compression
        raise Failure("checkpoints.bad_archive", file=file.name) from error
    try:
        read_info(model)  # its definition is found only under its name
    except Failure:
        shutil.rmtree(model, ignore_errors=True)
        raise
    return task, name


def _model_of(entries: dict, file: Path) -> tuple[str, str]:
    parts = {tuple(path.split("/")) for path in entries}
    models = {part[:2] for part in parts}
    if len(models) != 1 or any(len(part) != 3 or part[2] not in FILES for part in parts):
        raise Failure("checkpoints.bad_archive", file=file.name)
    ((task, name),) = models
    if not is_own_name(task) or name.startswith("."):
        raise Failure("checkpoints.bad_archive", file=file.name)
    check_folder_name(name)
    return task, name


def _contents(archive: zipfile.ZipFile, entries: dict, file: Path) -> Iterator[tuple[str, bytes]]:
    """The files, none larger than it may be, whatever the archive declares."""
    for path, entry in entries.items():
        with archive.open(entry) as member:
            content = member.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise Failure("checkpoints.bad_archive", file=file.name)
        yield path, content
