"""References to external models: `path:FOLDER`, a folder on this machine, or `hf:NAME`, an id on the hub.

They are resolved without torch and `transformers`; a model is downloaded by download.py.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

from viz_core.adapters.apart import Apart, Silence, Waiting, no_hurry
from viz_core.records import Failure, Message, message_from_json

PATH, HUB = "path:", "hf:"
_START = 60.0  # seconds until the process that downloads has imported its library
_PATIENCE = 10.0  # seconds of silence of the hub
_SAYS_NOTHING = {"model", "models", "checkpoint", "best", "final", "output"}  # folder names that identify no model
_HUB_ID = re.compile(r"([\w.-]+/)?[\w.-]+(@[\w./-]+)?", re.ASCII)


# Held while `transformers` may be imported: it loads its modules lazily, so that of two threads importing them for the
# first time one would get them half-initialised.
library_lock = RLock()


@dataclass(frozen=True)
class HubId:
    """A model on the hub.

    Attributes:
        name: `organisation/model`, or `model`.
        revision: Branch, tag or commit.
    """

    name: str
    revision: str = "main"


def is_reference(text: str) -> bool:
    """Whether the name of a model is a reference, not the name of a checkpoint."""
    return text.startswith((PATH, HUB))


def is_adaptable(model: object) -> bool:
    """Whether an object is a model of `transformers`, of any family."""
    return isinstance(getattr(getattr(model, "config", None), "model_type", None), str)


def display_name(reference: str) -> str:
    """Return the name of a model on a page: its id on the hub, or the name of its folder.

    The name of the parent folder is added if the name of the folder identifies no model.
    """
    if reference.startswith(PATH):
        folder = Path(reference.removeprefix(PATH)).expanduser().resolve()
        return f"{folder.parent.name}/{folder.name}" if folder.name in _SAYS_NOTHING else folder.name
    return reference.removeprefix(HUB)


def find_folder(reference: str, waiting: Waiting = no_hurry) -> Path:
    """Return the folder of a reference, downloading it if needed.

    Args:
        reference: The reference.
        waiting: Called during a download; whatever it raises ends the download.

    Raises:
        Failure: If there is no such model, or it cannot be downloaded.
    """
    if reference.startswith(PATH):
        return _local_folder(reference.removeprefix(PATH))
    if reference.startswith(HUB):
        return _download(_parse(reference.removeprefix(HUB)), waiting)
    raise Failure("adapters.no_reference", reference=reference)


def _local_folder(text: str) -> Path:
    try:
        folder = Path(text).expanduser()
        is_folder = bool(text) and folder.is_dir()
    except (OSError, ValueError, RuntimeError):  # not a valid path; no home folder
        is_folder = False
    if not is_folder:
        raise Failure("adapters.no_folder", path=text)
    return folder


def _parse(text: str) -> HubId:
    if not _HUB_ID.fullmatch(text):
        raise Failure("adapters.no_hub_id", id=text)
    name, _, revision = text.partition("@")
    return HubId(name, revision or "main")


def _download(hub_id: HubId, waiting: Waiting) -> Path:
    """Download the snapshot of a model, or take it from the cache if the hub cannot be reached or is silent.

    The library waits for minutes, and cannot be called off, so it does so in a process of its own.

    Raises:
        Failure: If that fails.
    """
    try:
        return _snapshot(hub_id, waiting)
    except Silence:
        with suppress(Silence, Failure):
            return _snapshot(hub_id, waiting, HF_HUB_OFFLINE="1")
    values = {"id": hub_id.name, "revision": hub_id.revision}
    raise Failure("adapters.hub_silent", **values, seconds=_PATIENCE)


def _snapshot(hub_id: HubId, waiting: Waiting, **environment: str) -> Path:
    """Return the folder of a snapshot.

    Raises:
        Failure: If the process says why there is none.
        Silence: If it, and that means the hub, says nothing for too long.
    """
    process = Apart("viz_core.adapters.download", hub_id.name, hub_id.revision, **environment)
    try:
        answer = process.hear(_START, waiting)
        while answer is None:  # something has arrived
            answer = process.hear(_PATIENCE, waiting)
    finally:
        process.end()
    if isinstance(failure := message_from_json(answer), Message):
        raise Failure(failure.key, **failure.values)
    return Path(str(answer))
