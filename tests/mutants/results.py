"""The mutants of a room and what became of them, from mutmut."""

import json
from contextlib import chdir
from pathlib import Path

from mutmut.configuration import config, reset_config
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.stats import status_by_exit_code
from mutmut.utils.format_utils import get_mutant_name, orig_function_and_class_names_from_key

from tests.mutants.report import Survivor
from tests.mutants.rooms import Room


def all_mutants(folder: Path, room: Room) -> dict[str, Path]:
    """The names of all mutants of a room, each with its file relative to the folder of the room."""
    with chdir(folder):
        reset_config()  # the previous room's
        paths = [path for path in sorted(Path("viz_core").rglob("*.py")) if config().should_mutate(path)]
        return {name: path for path in paths for name in _names(path)}


def _names(path: Path) -> list[str]:
    """The mutants of a file, in the folder of the room."""
    made = Path("mutants") / path
    if made.exists() and made.stat().st_mtime > path.stat().st_mtime:  # else it is missing, or a copy of the file
        return list(exit_codes(Path(), path))
    mutated = mutate_file_contents(str(path), path.read_text(encoding="utf-8"))
    return [get_mutant_name(path, name) for name in mutated.mutant_names]


def exit_codes(folder: Path, path: Path) -> dict[str, int | None]:
    """The exit code of the tests by mutant of a file, None if it was not run; empty if mutmut has not made them yet."""
    file = folder / "mutants" / f"{path}.meta"
    return json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"] if file.exists() else {}


def statuses(folder: Path, mutants: dict[str, Path]) -> dict[str, str]:
    """By mutant, what mutmut recorded: killed, survived, no tests, timeout, not checked ...; others count as killed."""
    codes: dict[str, int | None] = {}
    for path in set(mutants.values()):
        codes |= exit_codes(folder, path)
    return {name: status_by_exit_code[codes.get(name)] for name in mutants}


def survivor(folder: Path, name: str, path: Path) -> Survivor:
    """A mutant with its function and change."""
    with chdir(folder):
        diff = get_diff_for_mutant(name, path=path).splitlines()[2:]
    change = "\n".join(f"{line[0]} {line[1:].strip()}" for line in diff if line[0] in "+-")
    function, owner = orig_function_and_class_names_from_key(name)
    return Survivor(".".join(filter(None, [path.stem, owner, function])), change)
