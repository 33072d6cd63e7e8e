"""A copy of the project per room, in .mutants/: mutmut changes the copy and saves its results there."""

import filecmp
import json
import shutil
from pathlib import Path

from tests.mutants.rooms import Room

PROJECT = Path(__file__).parents[2]
FOLDER = PROJECT / ".mutants"
COPIED = ("tests", "pages")  # beside viz_core
NOT_NEEDED = {"node_modules", "__pycache__", "baselines", "failures"}
MARKS = "not slow and not browser and not gpu and not real"
# Lines that are for programmers: a mutant of their wording would survive, and nobody would miss the test.
WORDING = [r"raise ValueError\(", r"\blog(ging|ger)?\.", r"\b_log\.", r"\bprint\("]


def prepare(room: Room) -> Path:
    """Copies the project as it is now, and writes mutmut's settings; results of unchanged functions remain valid.

    Which tests run a function is measured again, because tests may have changed. Returns the folder to run mutmut in.
    """
    folder = FOLDER / room.name
    update(PROJECT / "viz_core", folder / "viz_core", folder / "mutants" / "viz_core")
    for name in COPIED:
        for parent in (folder, folder / "mutants"):
            shutil.rmtree(parent / name, ignore_errors=True)
        shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns(*NOT_NEEDED))
    (folder / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)
    settings = (PROJECT / "pyproject.toml").read_text(encoding="utf-8") + configuration(room)
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    return folder


def update(source: Path, target: Path, mutated: Path) -> None:
    """Makes target a copy of source; deletes from `mutated` what has changed, so that mutmut makes it again."""
    files = {
        path.relative_to(source)
        for path in source.rglob("*")
        if path.is_file() and not NOT_NEEDED & set(path.relative_to(source).parts)
    }
    copied = {path.relative_to(target) for path in target.rglob("*") if path.is_file()}
    for path in files | copied:
        if path not in files or path not in copied or not filecmp.cmp(source / path, target / path, shallow=False):
            for copy in (target / path, mutated / path):
                copy.unlink(missing_ok=True)
        if path in files and not (target / path).exists():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / path, target / path)


def unmade(folder: Path, mutants: dict[str, Path]) -> list[str]:
    """Mutants whose file mutmut has yet to make (again); running one of them makes all."""
    return [name for name, path in mutants.items() if not (folder / "mutants" / path).exists()]


def configuration(room: Room) -> str:
    """mutmut's table of pyproject.toml.

    The tests run in processes forked from one that has imported torch but run nothing (a fork server). Their time limit
    is 15 × (3 seconds + what they take without a mutant).
    """
    settings = {
        "source_paths": ["viz_core"],
        "also_copy": list(COPIED),
        "only_mutate": list(room.sources),
        "do_not_mutate": ["*/protocol.py"],  # types without behaviour; isinstance looks at their members
        "do_not_mutate_patterns": WORDING,
        "pytest_add_cli_args_test_selection": [*room.tests, "-m", MARKS],
        "pytest_add_cli_args": ["-p", "no:cacheprovider"],
        "process_isolation": "forkserver",
        "use_git_change_detection": False,
        "timeout_constant": 3.0,
        "timeout_multiplier": 15.0,
    }
    return "\n[tool.mutmut]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
