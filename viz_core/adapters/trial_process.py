"""The process of trials (trial.py): a line on standard input has a trial, a folder, its name, seconds and gigabytes.

It answers with a message why the model cannot be loaded, or null; of a chat template with what it puts
around messages. If it takes more seconds, it ends.
"""

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time

import psutil

from viz_core.adapters.apart import answering
from viz_core.adapters.folder import FolderSummary, read_folder
from viz_core.records import Failure, Message
from viz_core.text.chat import ChatFrame
from viz_core.text.tokenizer_trial import TEXTS

TOO_MUCH_MEMORY = "adapters.too_much_memory"


def main() -> None:
    """Import what trials need, say so, then try what is asked for."""
    answer = answering()
    import viz_core.adapters.loading  # noqa: F401 - before somebody counts seconds

    answer(None)
    for line in sys.stdin:
        trial, *arguments = json.loads(line)
        answer(_TRIALS[trial](*arguments))


def _load(path: str, name: str, seconds: float, gigabytes: float) -> Message | None:
    from viz_core.adapters.loading import load_folder

    def load(summary: FolderSummary) -> None:
        checkpoint = load_folder(summary, name)
        for text in TEXTS:
            checkpoint.text_encoder.encode(text)

    return _try(path, name, seconds, gigabytes, load)


def _convert(path: str, target: str, name: str, seconds: float, gigabytes: float) -> Message | None:
    from viz_core.adapters.gguf import convert

    return _try(path, name, seconds, gigabytes, lambda summary: convert(summary, Path(target), name))


def _try(
    path: str, name: str, seconds: float, gigabytes: float, act: Callable[[FolderSummary], None]
) -> Message | None:
    """Do something with a folder within limits of time and memory, and say why it failed."""
    try:
        summary = read_folder(Path(path), name)
        weights = summary.bytes + 8 * summary.parameters  # as read, and converted to 32 bits
        with _limited(seconds, gigabytes, weights):
            act(summary)
    except BaseException as error:  # the libraries' panics are not Exceptions
        if _lacked_memory(error):
            return Message(TOO_MUCH_MEMORY, {"name": name, "memory": gigabytes})
        if isinstance(error, Failure):
            return error.message
        return Message("adapters.unreadable_model", {"name": name, "reason": _first_line(error)})
    return None


def _read_chat(path: str, name: str, seconds: float, gigabytes: float) -> ChatFrame | Message | None:
    from viz_core.adapters.chat import read_frame
    from viz_core.adapters.loading import read_tokenizer

    try:
        tokenizer = read_tokenizer(read_folder(Path(path), name))
        with _limited(seconds, gigabytes):
            return read_frame(tokenizer, name)
    except Failure as failure:
        return failure.message
    except BaseException as error:  # a template may raise anything
        return Message("adapters.chat_failed", {"name": name, "reason": _first_line(error)})


_TRIALS: dict[str, Callable[..., object]] = {"load": _load, "convert": _convert, "chat": _read_chat}


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


@contextmanager
def _limited(seconds: float, gigabytes: float, further: int = 0) -> Iterator[None]:
    """Limit the processor time and the memory that may be added, where the system can; further: bytes of it."""
    try:
        import resource
    except ImportError:
        yield
        return
    limits = {
        resource.RLIMIT_AS: psutil.Process().memory_info().vms + int(gigabytes * 2**30) + further,
        resource.RLIMIT_CPU: math.ceil(process_time() + seconds),
    }
    before = {kind: resource.getrlimit(kind) for kind in limits}
    try:
        for kind, limit in limits.items():
            resource.setrlimit(kind, (limit, before[kind][1]))
        yield
    finally:
        for kind, both in before.items():
            resource.setrlimit(kind, both)


def _lacked_memory(error: BaseException | None) -> bool:
    """Whether an exception, or what caused it, is that memory could not be had; torch says so in words."""
    while error is not None:
        if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
            return True
        error = error.__cause__
    return False


if __name__ == "__main__":
    main()
