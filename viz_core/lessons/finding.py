"""The lessons there are: those that ship, and those of a teacher, in a folder of theirs."""

import os
from functools import lru_cache
from pathlib import Path

from viz_core.lessons.lesson import Lesson
from viz_core.lessons.reading import read_lesson
from viz_core.records import Failure
from viz_core.variables import LESSONS_DIR

SHIPPED = Path(__file__).parent / "shipped"


def lesson_files() -> list[Path]:
    """The files in the order of their names, those that ship first."""
    own = os.environ.get(LESSONS_DIR)
    folders = [SHIPPED, *([Path(own)] if own else [])]
    return [file for folder in folders for file in sorted(folder.glob("[!.]*.md"))]


def read_lessons() -> tuple[list[Lesson], list[Failure]]:
    """All lessons, of which one with the name of another replaces it, and what is wrong with the other files."""
    found: dict[str, Lesson] = {}
    failures = []
    for file in lesson_files():
        match _read(file, _changed(file)):
            case Lesson() as lesson:
                found[lesson.name] = lesson
            case Failure() as failure:
                failures.append(failure)
    return [*found.values()], failures


def find_lesson(name: str) -> Lesson | None:
    """The lesson of that name, None if there is none."""
    return next((lesson for lesson in read_lessons()[0] if lesson.name == name), None) if name else None


def _changed(file: Path) -> int:
    """When a file was written last; 0 if it is gone."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=64)
def _read(file: Path, changed: int) -> Lesson | Failure:
    """The lesson, or what is wrong. changed: when, so that a file that is being written is read again."""
    try:
        return read_lesson(file)
    except Failure as failure:
        return failure
