"""The request to stop, a file in the run folder.

Lines of the file record what the worker did: it asked for the stop because of the time limit, or it
killed the process for not stopping.
"""

from pathlib import Path

from viz_core.bounded_json import read_text

STOP = "stop"
OVERTIME, KILLED = "overtime", "killed"  # lines of the file; empty if a person asked


def request_stop(path: Path, line: str = "") -> None:
    """Ask the job of a run folder to stop, or add a line to such a request.

    Raises:
        OSError: If the file cannot be written.
    """
    with open(path / STOP, "a", encoding="utf-8") as file:
        if line:
            file.write(f"{line}\n")


def withdraw_stop(path: Path) -> None:
    """Remove the request to stop, if there is one."""
    (path / STOP).unlink(missing_ok=True)


def stop_requested(path: Path) -> bool:
    """Whether the job has been asked to stop."""
    return (path / STOP).exists()


def stop_lines(path: Path) -> set[str]:
    """The lines of the request; empty if there is none."""
    try:
        return set(read_text(path / STOP).split())
    except (OSError, ValueError):
        return set()
