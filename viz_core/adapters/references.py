"""References to external models: `path:FOLDER`, a folder on this machine, or `hf:NAME`, an id on the hub.

They are resolved without torch and `transformers`. Only the description of a model, its tokenizer,
and its weights as safetensors are downloaded from the hub; nothing that would be run.
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
MOST_BYTES = 4 * 10**9  # of a download: the weights of the largest model that can be opened
_SAYS_NOTHING = {"model", "models", "checkpoint", "best", "final", "output"}  # folder names that identify no model
_HUB_ID = re.compile(r"([\w.-]+/)?[\w.-]+(@[\w./-]+)?", re.ASCII)


# Held while `transformers` or `huggingface_hub` may be imported: both load their modules lazily, so that of two threads
# importing them for the first time one would get them half-initialised.
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


def find_folder(reference: str) -> Path:
    """Return the folder of a reference, downloading it if needed.

    Raises:
        Failure: If there is no such model, or it cannot be downloaded.
    """
    if reference.startswith(PATH):
        return _local_folder(reference.removeprefix(PATH))
    if reference.startswith(HUB):
        return _download(_parse(reference.removeprefix(HUB)))
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


def _download(hub_id: HubId) -> Path:
    """Download the snapshot of a model, or take it from the cache if the hub cannot be reached.

    Raises:
        Failure: If that fails.
    """
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
        with suppress(DryRunError):  # the hub cannot be reached: files in the cache need no check
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
    except Exception as error:  # from whatever the library uses for the network
        # The library's own error hides that of the network.
        raise Failure("adapters.hub_unreachable", **values, reason=type(error.__cause__ or error).__name__) from error


def _check_files(hub_id: HubId, files: Sequence[DryRunFileInfo]) -> None:
    """Check the files of a model before they are downloaded.

    Raises:
        Failure: If opening would fail after the download, or the download is too large.
    """
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
    """Return the files at the top level whose names match one of these patterns."""
    return sorted(name for name in names if "/" not in name and any(fnmatch(name, pattern) for pattern in patterns))
