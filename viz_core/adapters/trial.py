"""Try to load a model in a process of its own, with limits of time and memory.

A config may ask for modules or memory without end, whatever its weights hold. The process does all
that this one does next, so what it gets through cannot hold this one up. It serves one trial after
another, because it takes seconds to start, and ends when nobody has needed it for a while.
"""

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Timer

from viz_core.adapters.apart import TICK, Apart, Silence, Waiting, no_hurry
from viz_core.adapters.folder import FolderSummary
from viz_core.adapters.trial_process import TOO_MUCH_MEMORY
from viz_core.records import Failure, Message, message_from_json
from viz_core.text.chat import ChatFrame

SECONDS = 10.0  # of processor time for a trial
CHAT_SECONDS = 2.0  # of processor time for a chat template
BYTES_PER_SECOND = 200 * 10**6  # further time for large weights
HEADER_BYTES_PER_SECOND = 50_000  # for that of a GGUF file, whose vocabulary the library reads several times
GIGABYTES = 2.0  # memory for a trial besides that for the weights
_SHARE = 1 / 12  # of a processor, at least: a busy trial ends by its processor time, this ends one that waits
_START = 60.0  # seconds until the process has imported its libraries
_IDLE = 300.0  # seconds until it ends
_ENVIRONMENT = {  # as little memory and as few threads as possible; nothing from the web
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "MALLOC_ARENA_MAX": "2",
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


class _Trials:
    """The process, which one trial at a time uses."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: Apart | None = None
        self._is_ready = False
        self._clock = Timer(_IDLE, self.end)

    def start(self) -> None:
        """Start the process if there is none; returns at once."""
        if self._lock.acquire(blocking=False):  # else somebody uses it
            self._start()
            self._lock.release()
            self._wind_up()

    def end(self) -> None:
        """End the process if nobody uses it."""
        self._clock.cancel()
        if self._lock.acquire(blocking=False):
            self._end()
            self._lock.release()

    def answer(self, question: tuple, seconds: float, waiting: Waiting) -> object:
        """Return what the process answers.

        Raises:
            Silence: If it does not in time. It is then ended, and so it is by any exception.
        """
        with self._turn(waiting):
            try:
                process = self._start()
                if not self._is_ready:
                    process.hear(_START, waiting)
                    self._is_ready = True
                process.ask(*question)
                answer = process.hear(seconds, waiting)
            except BaseException:
                self._end()
                raise
        self._wind_up()
        return answer

    @contextmanager
    def _turn(self, waiting: Waiting) -> Iterator[None]:
        while not self._lock.acquire(timeout=TICK):
            waiting()
        try:
            yield
        finally:
            self._lock.release()

    def _start(self) -> Apart:
        if self._process is None or self._process.has_ended:
            self._end()
            self._process, self._is_ready = Apart("viz_core.adapters.trial_process", **_ENVIRONMENT), False
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
        self._process = None

    def _wind_up(self) -> None:
        self._clock.cancel()
        self._clock = Timer(_IDLE, self.end)
        self._clock.daemon = True
        self._clock.start()


_trials = _Trials()
start_trials = _trials.start
atexit.register(_trials.end)


def try_loading(path: Path, name: str, size: int, waiting: Waiting = no_hurry) -> None:
    """Try to load the model in a folder.

    Args:
        path: The folder.
        name: Name of the model in messages.
        size: Bytes of its weights.
        waiting: Called while the trial goes on; whatever it raises ends the trial.

    Raises:
        Failure: If it cannot be loaded, or not within the limits.
    """
    _try("load", name, SECONDS + size / BYTES_PER_SECOND, waiting, path)


def try_converting(summary: FolderSummary, target: Path, name: str, waiting: Waiting = no_hurry) -> None:
    """Convert the GGUF file of a folder into a folder with safetensors in 32 bits.

    Args:
        summary: The folder.
        target: The new folder.
        name: Name of the model in messages.
        waiting: Called while the conversion goes on; whatever it raises ends it.

    Raises:
        Failure: If the library cannot read it, or not within the limits.
    """
    seconds = SECONDS + 2 * summary.bytes / BYTES_PER_SECOND + summary.gguf / HEADER_BYTES_PER_SECOND
    _try("convert", name, seconds, waiting, summary.path, target)


def _try(trial: str, name: str, seconds: float, waiting: Waiting, *paths: Path) -> None:
    """Have something tried of which the answer is a message why it failed, or nothing.

    Raises:
        Failure: If it failed, or did not end within so many seconds of processor time.
    """
    question = (trial, *(str(path.resolve()) for path in paths), name, seconds, GIGABYTES)
    try:
        answer = _trials.answer(question, seconds / _SHARE, waiting)
    except Silence as error:
        raise Failure("adapters.no_end", name=name, seconds=seconds) from error
    if isinstance(refusal := message_from_json(answer), Message):
        if refusal.key == TOO_MUCH_MEMORY:
            _trials.end()
        raise Failure(refusal.key, **refusal.values)


def try_chat(path: Path, name: str, waiting: Waiting = no_hurry) -> ChatFrame | Message | None:
    """Read what the chat template of the model in a folder puts around messages.

    Args:
        path: The folder.
        name: Name of the model in messages.
        waiting: Called while the trial goes on; whatever it raises ends the trial.

    Returns:
        That, a message why the template cannot be used, or None if there is no template.
    """
    question = ("chat", str(path.resolve()), name, CHAT_SECONDS, GIGABYTES)
    try:
        answer = _trials.answer(question, (SECONDS + CHAT_SECONDS) / _SHARE, waiting)
    except Silence:
        return Message("adapters.chat_no_end", {"name": name, "seconds": CHAT_SECONDS})
    match message_from_json(answer):
        case Message() as refusal:
            return refusal
        case {"alone": [before, after], "with_system": with_system, "reply": reply}:
            return ChatFrame((before, after), with_system and (with_system[0], with_system[1], with_system[2]), reply)
    return None
