"""The request to stop, a file of the run folder.

What the worker has to do with it is a line of that file: it asked for the stop because of the time
limit, or it killed the process for not stopping.
"""

from pathlib import Path

STOP = "stop"
OVERTIME, KILLED = "overtime", "killed"  # lines of the file; empty if a person asked


def request_stop(path: Path, line: str = "") -> None:
    """Asks the job of a run folder to stop, or adds a line to such a request. Raises OSError."""
    with open(path / STOP, "a", encoding="utf-8") as file:
        if line:
            file.write(f"{line}\n")


def withdraw_stop(path: Path) -> None:
    (path / STOP).unlink(missing_ok=True)


def stop_requested(path: Path) -> bool:
    return (path / STOP).exists()


def stop_lines(path: Path) -> set[str]:
    """The lines of the request; empty without one."""
    try:
        return set((path / STOP).read_text(encoding="utf-8", errors="replace").split())
    except OSError:
        return set()
