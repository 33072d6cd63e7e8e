"""Files of an archive that a publisher distributes as ZIP, read in memory."""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from pathlib import Path

from viz_core.datasets.corpus import Members


def zip_members(source: Path, files: Collection[str]) -> Members:
    """Path and content of the files with these names in an archive, or in the folder that it was extracted to. Raises
    OSError if the archive cannot be read."""
    if source.is_dir():
        yield from ((name, (source / name).read_bytes()) for name in files)
        return
    try:
        with zipfile.ZipFile(source) as archive:
            for entry in archive.namelist():
                if Path(entry).name in files and ".." not in Path(entry).parts:
                    yield entry, archive.read(entry)
    except (zipfile.BadZipFile, RuntimeError) as error:  # RuntimeError: encrypted, or an unknown compression
        raise OSError(str(error)) from error
