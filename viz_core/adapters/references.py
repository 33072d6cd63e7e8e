"""References to models from elsewhere: `path:FOLDER`, a folder of this machine, and `hf:NAME`, an id on the hub.

Resolved without torch and without `transformers`. From the hub come only what describes a model,
its tokenizer and its weights as safetensors; nothing that is run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from viz_core.adapters.folder import MARIAN_FILES, PICKLED, SLOW_TOKENIZERS, TOKENIZER
from viz_core.records import Failure

if TYPE_CHECKING:
    from huggingface_hub import DryRunFileInfo

PATH, HUB = "path:", "hf:"
DESCRIPTION = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
WEIGHTS = ("model.safetensors", "model-*-of-*.safetensors", "model.safetensors.index.json")
WANTED = (*DESCRIPTION, *MARIAN_FILES, *WEIGHTS)
MOST_BYTES = 4 * 10**9  # of weights that are downloaded: those of the largest model that can be opened
_SAYS_NOTHING = {"model", "models", "checkpoint", "best", "final", "output"}  # names of folders
_HUB_ID = re.compile(r"([\w.-]+/)?[\w.-]+(@[\w./-]+)?", re.ASCII)


# Held by whoever may import `transformers` or `huggingface_hub`: both load their modules when asked for, and of two
# threads that import them for the first time one would get them half-made.
library_lock = RLock()


@dataclass(frozen=True)
class HubId:
    """name: `organisation/model`, or `model`.

    Attributes:
        revision: Branch, tag or commit.
    """

    name: str
    revision: str = "main"


def is_reference(text: str) -> bool:
    """Whether a name of a model is a reference, and none of a checkpoint."""
    return text.startswith((PATH, HUB))


def is_adaptable(model: object) -> bool:
    """Whether an object is a model of `transformers`, of whatever family."""
    return isinstance(getattr(getattr(model, "config", None), "model_type", None), str)


def display_name(reference: str) -> str:
    """What a model is called on a page: the name of its folder, with that of the folder above if it says nothing, or its id."""
    if reference.startswith(PATH):
        folder = Path(reference.removeprefix(PATH)).expanduser().resolve()
        return f"{folder.parent.name}/{folder.name}" if folder.name in _SAYS_NOTHING else folder.name
    return reference.removeprefix(HUB)


def find_folder(reference: str) -> Path:
    """The folder of a reference, downloaded if it is not here yet. Raises Failure."""
    if reference.startswith(PATH):
        return _local_folder(reference.removeprefix(PATH))
    if reference.startswith(HUB):
        return _download(_parse(reference.removeprefix(HUB)))
    raise Failure("adapters.no_reference", reference=reference)


def _local_folder(text: str) -> Path:
    try:
        folder = Path(text).expanduser()
        is_folder = bool(text) and folder.is_dir()
    except (OSError, ValueError, RuntimeError):  # a name that no path can have; no home
        is_folder = False
    if not is_folder:
        raise Failure("adapters.no_folder", path=text)
    return folder


def _parse(text: str) -> HubId:
    if not _HUB_ID.fullmatch(text):
        raise Failure("adapters.no_hub_id", id=text)
    name, _, revision = text.partition("@")
    return HubId(name, revision or "main")


def _download(hub_id: HubId) -> Path:
    """The snapshot of a model, from the cache of `huggingface_hub` if the hub cannot be reached. Raises Failure."""
    with library_lock:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import (
            DryRunError,
            GatedRepoError,
            HFValidationError,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )

    values = {"id": hub_id.name, "revision": hub_id.revision}
    try:
        with suppress(DryRunError):  # the hub cannot be reached: what is in the cache needs no judging
            judged = [*WANTED, *PICKLED, *SLOW_TOKENIZERS]
            files = snapshot_download(hub_id.name, revision=hub_id.revision, allow_patterns=judged, dry_run=True)
            _check_files(hub_id, files)
        return Path(snapshot_download(hub_id.name, revision=hub_id.revision, allow_patterns=list(WANTED)))
    except HFValidationError as error:
        raise Failure("adapters.no_hub_id", id=hub_id.name) from error
    except GatedRepoError as error:
        raise Failure("adapters.gated", **values) from error
    except (RepositoryNotFoundError, RevisionNotFoundError) as error:
        raise Failure("adapters.not_on_hub", **values) from error
    except Failure:
        raise
    except Exception as error:  # of whatever the library reads the network with
        # The library's own error hides that of the network.
        raise Failure("adapters.hub_unreachable", **values, reason=type(error.__cause__ or error).__name__) from error


def _check_files(hub_id: HubId, files: Sequence[DryRunFileInfo]) -> None:
    """Raises Failure where opening would fail after the download, or the download is too large."""
    names = [file.filename for file in files]
    if not _matching(names, WEIGHTS) and (pickled := _matching(names, PICKLED)):
        raise Failure("adapters.pickled", name=hub_id.name, files=pickled)
    has_tokenizer = TOKENIZER in names or set(MARIAN_FILES) <= set(names)
    if not has_tokenizer and (slow := _matching(names, SLOW_TOKENIZERS)):
        raise Failure("adapters.slow_tokenizer", name=hub_id.name, files=slow)
    wanted = _matching(names, WANTED)
    size = sum(file.file_size or 0 for file in files if file.filename in wanted and file.will_download)
    if size > MOST_BYTES:
        raise Failure("adapters.large_download", id=hub_id.name, size=size / 1e9, most=MOST_BYTES / 1e9)


def _matching(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Of the files at the top, those with a name of these patterns."""
    return sorted(name for name in names if "/" not in name and any(fnmatch(name, pattern) for pattern in patterns))
