"""Finds, downloads, verifies, reads and caches corpora.

A corpus is looked for in `VIZ_DATA_DIR`, then in `data/` of the project: the publisher's archive,
or its extracted folder. Archives are read in memory, never unpacked to disk, so that no path inside
them can lead out of the folder.
"""

import hashlib
import os
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pooch

from viz_core.folders import PROJECT
from viz_core.records import Failure, Message, failing
from viz_core.variables import DATA_DIR

SPLITS = ("train", "validation", "duplicates", "test", "unlabelled")
_VERSION = 3  # version of the splits in the cache: 3 has no text of validation in unlabelled

Members = Iterator[tuple[str, bytes]]  # path inside the archive or folder, content
# Raised by damaged archives and files.
UNREADABLE = (OSError, EOFError, ValueError, LookupError, TypeError, ArithmeticError, zlib.error)


def data_folders() -> list[Path]:
    """The folders to search, in order; downloads are saved in the first."""
    folder = os.environ.get(DATA_DIR)
    return ([Path(folder)] if folder else []) + [PROJECT / "data"]


def zip_members(source: Path, files: Collection[str]) -> Members:
    """Read the files with these names from an archive, or from the folder that it was extracted to.

    Returns:
        Path and content of each file.

    Raises:
        OSError: If the archive cannot be read.
    """
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


def named_files(files: Members, names: Collection[str]) -> dict[str, bytes]:
    """The contents of the files with these names.

    Raises:
        ValueError: If one is missing.
    """
    contents = {Path(path).name: content for path, content in files}
    if missing := sorted(set(names) - set(contents)):
        raise ValueError(f"it holds no {', '.join(missing)}")
    return contents


@dataclass(frozen=True)
class Corpus:
    """A labelled corpus and its source.

    Attributes:
        archive: Name of the publisher's archive.
        folder: Name of the folder that it is extracted to.
        known_hash: Hash of the archive, for pooch.
        file_hashes: Sha256 of files in the archive, if the archive itself has no stable hash.
        published: Rows per split according to the publisher, whose `train` is our train, validation
            and duplicates together; `unlabelled` without the rows that repeat validation.
        members: Path of the corpus -> its files.
        parse: Files -> a frame per split with columns `text`, `text_b` (pairs) and `label` (unless
            unlabelled); its index is the row numbers.
    """

    name: str
    archive: str
    folder: str
    url: str
    known_hash: str | None
    file_hashes: Mapping[str, str]
    published: Mapping[str, int]
    members: Callable[[Path], Members]
    parse: Callable[[Members], dict[str, pd.DataFrame]]

    def find(self) -> Path | None:
        """The path of the archive or the extracted folder; None if there is neither."""
        for folder in data_folders():
            for path in (folder / self.archive, folder / self.folder):
                if path.exists():
                    return path
        return None

    def download(self, progress: bool = True) -> Path:
        """Download the archive from its publisher and verify it.

        Raises:
            Failure: If that fails.
        """
        try:
            archive = Path(
                pooch.retrieve(
                    self.url, self.known_hash, fname=self.archive, path=data_folders()[0], progressbar=progress
                )
            )
        except ValueError as error:
            raise Failure("datasets.wrong_checksum", corpus=self.name, url=self.url) from error
        except OSError as error:  # the errors of requests are OSErrors
            raise Failure(
                "datasets.download_failed",
                corpus=self.name,
                url=self.url,
                archive=self.archive,
                folder=str(data_folders()[0]),
                reason=type(error).__name__,
            ) from error
        if self._wrong_files(archive):
            archive.unlink()  # otherwise `find` would return it
            raise Failure("datasets.wrong_checksum", corpus=self.name, url=self.url)
        return archive

    def read(self, split: str) -> pd.DataFrame:
        """Read a split, whose index is the row numbers. It is parsed once and cached as Parquet.

        Args:
            split: `train`, `validation` (held out from the publisher's train), `test` or
                `unlabelled`; or `duplicates`, the rows left out of validation because train has
                their texts, too.

        Raises:
            Failure: If the corpus is missing or unreadable.
        """
        if split not in SPLITS:
            raise ValueError(f"split {split!r} is not one of {', '.join(SPLITS)}")
        source = self.find()
        if source is None:
            raise Failure(
                "datasets.missing",
                corpus=self.name,
                archive=self.archive,
                folders=[str(folder) for folder in data_folders()],
            )
        cached = self._cache(source) / f"{split}.parquet"
        with suppress(OSError, ValueError):  # not there yet, or damaged
            return pd.read_parquet(cached)
        self._parse_into(source, cached.parent)
        return pd.read_parquet(cached)

    def verify(self) -> list[Message]:
        """Row counts and file checksums that differ from the publisher's; empty if the corpus is intact."""
        problems = []
        counts = {split: len(self.read(split)) for split in SPLITS}
        counts["train"] += counts.pop("validation") + counts.pop("duplicates")
        for split, expected in self.published.items():
            if counts[split] != expected:
                problems.append(
                    Message(
                        "datasets.wrong_count",
                        {"corpus": self.name, "split": split, "rows": counts[split], "expected": expected},
                    )
                )
        return problems + [
            Message("datasets.wrong_file", {"corpus": self.name, "file": name})
            for name in self._wrong_files(self.find())
        ]

    def _wrong_files(self, source: Path | None) -> list[str]:
        """Names of the files whose checksums are wrong; empty if the archive as a whole has a checksum."""
        if not self.file_hashes or source is None:
            return []
        try:
            hashes = {Path(path).name: hashlib.sha256(content).hexdigest() for path, content in self.members(source)}
        except UNREADABLE:
            hashes = {}
        return [name for name, expected in self.file_hashes.items() if hashes.get(name) != expected]

    def _cache(self, source: Path) -> Path:
        # The time stamp of a folder does not change with its subfolders' contents, so two levels are included.
        paths = [source, *sorted(source.glob("*")), *sorted(source.glob("*/*"))] if source.is_dir() else [source]
        stats = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
        stamp = hashlib.sha256(f"{_VERSION} {stats}".encode()).hexdigest()[:12]
        return PROJECT / "data" / "cache" / f"{self.name}-{stamp}"

    def _parse_into(self, source: Path, cache: Path) -> None:
        with failing(UNREADABLE, "datasets.unreadable", corpus=self.name, file=source.name):
            frames = self.parse(self.members(source))
        cache.mkdir(parents=True, exist_ok=True)
        for split, frame in frames.items():
            partial = cache / f"{split}.{os.getpid()}.partial"
            frame.to_parquet(partial)  # with its index, the row numbers
            partial.replace(cache / f"{split}.parquet")  # complete once its name appears
