"""A copy of this process that writes while the test disturbs it: kills it, or gives it a full or a read-only disk."""

import os
import signal
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

from viz_core.records import Failure

DONE, REFUSED, BROKEN = 0, 3, 4  # exit codes of a copy: it wrote, it raised a Failure or an OSError, another error
NOBODY = 65534


def fork(action: Callable[[], object]) -> int:
    """Starts a copy of this process that only does this; returns its number. It takes no part in the tests."""
    with warnings.catch_warnings():
        # Newer Pythons warn of threads, which the copy does not have. It uses none of their locks.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        return pid
    code = BROKEN
    try:
        action()
        code = DONE
    except (Failure, OSError):
        code = REFUSED
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def exit_code(pid: int) -> int:
    """Waits for a copy; of one that a signal ended, minus the number of the signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def kill_after(pid: int, seconds: float) -> int:
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    return exit_code(pid)


def with_small_files(action: Callable[[], object], size: int) -> Callable[[], object]:
    """The action on a disk that is full as soon as a file has `size` bytes; what fits is written, as on a real disk."""
    import resource

    def act() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # EFBIG in place of the end
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        action()

    return act


def as_nobody(action: Callable[[], object]) -> Callable[[], object]:
    """The action by a person who may only read what belongs to us: root may write everything."""

    def act() -> None:
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        action()

    return act


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder that readers see: names with a leading dot are unfinished or locks."""
    files = (path for path in folder.rglob("*") if path.is_file())
    names = ((path.relative_to(folder), path) for path in files)
    return {
        str(name): path.read_bytes() for name, path in names if not any(part.startswith(".") for part in name.parts)
    }
