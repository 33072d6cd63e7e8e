"""The process that downloads a model from the hub (references.py): its id and a revision are the arguments.

Only the description of a model, its tokenizer, and its weights as safetensors are downloaded;
nothing that would be run. It answers null whenever something arrives, then the folder, or a message
why there is none.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from itertools import chain
from typing import TYPE_CHECKING

from viz_core.adapters.apart import answering
from viz_core.adapters.folder import MARIAN_FILES, MOST_BYTES, OTHER_FORMATS, SLOW_TOKENIZERS, TOKENIZER
from viz_core.records import Failure

if TYPE_CHECKING:
    from huggingface_hub import DryRunFileInfo

DESCRIPTION = (
    *("config.json", "generation_config.json"),
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja"),
)
WEIGHTS = ("model.safetensors", "model-*-of-*.safetensors", "model.safetensors.index.json")
WANTED = (*DESCRIPTION, *MARIAN_FILES, *WEIGHTS)


def main() -> None:
    """Download, and answer."""
    answer = answering()
    # Its own protocol for large files does not go through the client that is heard here.
    os.environ["HF_HUB_DISABLE_XET"] = "1"
    _hear_client(lambda: answer(None))
    from huggingface_hub import snapshot_download  # noqa: F401 - before somebody counts seconds

    answer(None)
    try:
        answer(_download(*sys.argv[1:]))
    except Failure as failure:
        answer(failure.message)


def _hear_client(arrived: Callable[[], object]) -> None:
    """Have the library use a client that calls a function whenever something arrives."""
    import httpx2
    from huggingface_hub import set_client_factory

    class Heard(httpx2.SyncByteStream):
        def __init__(self, response: httpx2.Response) -> None:
            self._response = response

        def __iter__(self) -> Iterator[bytes]:
            for part in self._response.iter_raw():
                arrived()
                yield part

        def close(self) -> None:
            self._response.close()

    class Hearing(httpx2.BaseTransport):
        """Sends by a client of its own, which finds proxies as usual."""

        def __init__(self) -> None:
            self._client = httpx2.Client(timeout=None)

        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            response = self._client.send(request, stream=True)
            arrived()
            return httpx2.Response(response.status_code, headers=response.headers, stream=Heard(response))

    set_client_factory(lambda: httpx2.Client(transport=Hearing(), follow_redirects=True, timeout=None))


def _download(name: str, revision: str) -> str:
    """Download the snapshot of a model, or take it from the cache if the hub cannot be reached.

    Returns:
        Its folder.

    Raises:
        Failure: If that fails.
    """
    from huggingface_hub import is_offline_mode, snapshot_download
    from huggingface_hub.errors import (
        DryRunError,
        GatedRepoError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    values, is_offline = {"id": name, "revision": revision}, is_offline_mode()
    try:
        if not is_offline:
            with suppress(DryRunError):  # the hub cannot be reached: files in the cache need no check
                judged = [*WANTED, *chain(*OTHER_FORMATS.values()), *SLOW_TOKENIZERS]
                _check_files(name, snapshot_download(name, revision=revision, allow_patterns=judged, dry_run=True))
        return snapshot_download(name, revision=revision, allow_patterns=list(WANTED), local_files_only=is_offline)
    except HFValidationError as error:
        raise Failure("adapters.no_hub_id", id=name) from error
    except GatedRepoError as error:
        raise Failure("adapters.gated", **values) from error
    except (RepositoryNotFoundError, RevisionNotFoundError) as error:
        raise Failure("adapters.not_on_hub", **values) from error
    except Failure:
        raise
    except Exception as error:  # from whatever the library uses for the network
        # The library's own error hides that of the network.
        raise Failure("adapters.hub_unreachable", **values, reason=type(error.__cause__ or error).__name__) from error


def _check_files(name: str, files: Sequence[DryRunFileInfo]) -> None:
    """Check the files of a model before they are downloaded.

    Raises:
        Failure: If opening would fail after the download, or the download is too large.
    """
    names = [file.filename for file in files]
    for key, patterns in OTHER_FORMATS.items():
        if not _matching(names, WEIGHTS) and (others := _matching(names, patterns)):
            raise Failure(key, name=name, files=others)
    has_tokenizer = TOKENIZER in names or set(MARIAN_FILES) <= set(names)
    if not has_tokenizer and (slow := _matching(names, SLOW_TOKENIZERS)):
        raise Failure("adapters.slow_tokenizer", name=name, files=slow)
    wanted = _matching(names, WANTED)
    size = sum(file.file_size or 0 for file in files if file.filename in wanted and file.will_download)
    if size > MOST_BYTES:
        raise Failure("adapters.large_download", id=name, size=size / 1e9, most=MOST_BYTES / 1e9)


def _matching(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Return the files at the top level whose names match one of these patterns."""
    return sorted(name for name in names if "/" not in name and any(fnmatch(name, pattern) for pattern in patterns))


if __name__ == "__main__":
    main()
