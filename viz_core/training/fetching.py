"""Fetch the models that a wheel is built without, from a server, a folder or a zip, and check each file by its SHA-256.

A source has the files as `checkpoints/` of a checkout has them: `imdb/minilm/model.safetensors`. Only
the files that the wheel names are asked for, so nothing else of a source is read or written.
"""

import hashlib
import logging
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal

import pooch
from tqdm import tqdm

from viz_core import checkpoints
from viz_core.checkpoints import WEIGHTS, FurtherModel
from viz_core.records import Failure, failing
from viz_core.training.folders import write_folder

_CHUNK = 2**16  # bytes
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError)

State = Literal["here", "missing", "taken"]
Downloader = Callable[[str, Any, Any], object]  # as pooch calls it: address, file, itself


def find_state(model: FurtherModel) -> State:
    """Return whether a model is where models are looked for, or another one has its name there."""
    folder = checkpoints.find_folder(model.task, model.name)
    if folder is None:
        return "missing"
    try:
        sha256 = hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()
    except OSError:
        return "taken"
    return "here" if sha256 == model.files[WEIGHTS][1] else "taken"


def fetch(models: Sequence[FurtherModel], source: str) -> None:
    """Write models to where models are saved, one after the other; each is complete once its folder appears.

    Args:
        models: Those that are not here.
        source: Address, folder or zip.

    Raises:
        Failure: If one cannot be fetched or written; those before it stay.
    """
    pooch.get_logger().setLevel(logging.WARNING)  # it has a line for each file
    total = sum(model.bytes for model in models)
    with (
        _open(source) as (base, download),
        tqdm(total=total, unit="B", unit_scale=True, leave=False, disable=None) as bar,
    ):
        for model in models:
            bar.set_description(model.full_name)
            _fetch(model, base, download, bar)


def _fetch(model: FurtherModel, base: str, download: Downloader, bar: tqdm) -> None:
    def fill(partial: Path) -> None:
        registry = {name: f"sha256:{sha256}" for name, (_, sha256) in model.files.items()}
        files = pooch.Pooch(partial, f"{base}{model.full_name}/", registry=registry)
        for name, (size, _) in model.files.items():
            _download(files, name, size, download, bar)

    folder = checkpoints.folder() / model.task / model.name
    try:
        write_folder(folder, fill, replace=False)
    except Failure as failure:
        match failure.message.key:
            case "training.not_saved":
                raise Failure("fetching.not_saved", **failure.message.values) from failure
            case "training.name_taken":  # meanwhile
                raise Failure("fetching.taken", folder=str(folder)) from failure
        raise


def _download(files: pooch.Pooch, name: str, size: int, download: Downloader, bar: tqdm) -> None:
    """Download a file.

    Raises:
        Failure: If the source does not have it, or another one of this name.
        OSError: If it cannot be written.
    """
    address = files.get_url(name)

    def limited(url: str, out: str, files: object) -> None:
        with open(out, "wb") as file:
            download(url, _Limited(file, size, bar), files)

    try:
        files.fetch(name, downloader=limited)
    except OSError as error:
        if error.errno is not None:  # of this computer; the errors of requests have none
            raise
        status = getattr(getattr(error, "response", None), "status_code", None)
        if status == 404:
            raise Failure("fetching.no_file", file=address) from error
        reason = f"HTTP {status}" if status else type(error).__name__
        raise Failure("fetching.no_answer", file=address, reason=reason) from error
    except _DAMAGED as error:
        raise Failure("fetching.wrong_content", file=address) from error


@contextmanager
def _open(source: str) -> Iterator[tuple[str, Downloader]]:
    """What stands before the name of a model in this source, and how a file of it is downloaded.

    Raises:
        Failure: If it is none of the three.
    """
    path = Path(source)
    if source.startswith(("http://", "https://")):
        yield f"{source.rstrip('/')}/", pooch.HTTPDownloader(chunk_size=_CHUNK)
    elif path.is_dir():
        yield "", _copy_from(path)
    else:
        with failing((OSError, *_DAMAGED), "fetching.bad_source", source=source):
            archive = zipfile.ZipFile(path)
        with archive:
            yield "", _copy_from(zipfile.Path(archive))


def _copy_from(root: Path | zipfile.Path) -> Downloader:
    def download(name: str, out: BinaryIO, files: object) -> None:
        if not (root / name).is_file():
            raise Failure("fetching.no_file", file=name)
        with (root / name).open("rb") as content:
            shutil.copyfileobj(content, out, _CHUNK)

    return download


class _Limited:
    """A file of which no more is written than it has to have, which a bar shows.

    Raises:
        ValueError: Where more would be written.
    """

    def __init__(self, file: BinaryIO, size: int, bar: tqdm) -> None:
        self._file, self._left, self._bar = file, size, bar
        self.flush = file.flush

    def write(self, content: bytes) -> None:
        self._left -= len(content)
        if self._left < 0:
            raise ValueError("it is longer than it should be")
        self._file.write(content)
        self._bar.update(len(content))
