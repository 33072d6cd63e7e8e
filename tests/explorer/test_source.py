"""The sources of the explorer and of what-if know each other only by what they share."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.explorer.conftest import SOURCE

FILES = {file.relative_to(SOURCE).as_posix(): file for file in sorted(SOURCE.rglob("*.*"))}
IMPORT = re.compile(r'^(?:@?import +|import [^;"]* from +|export (?:\*|{[^}]*}) from +)"([^"]+)"', re.MULTILINE)


def imports(file: Path) -> set[str]:
    """What a source imports or hands on, by the paths of FILES."""
    return {
        (file.parent / path).resolve().relative_to(SOURCE.resolve()).as_posix()
        for path in IMPORT.findall(file.read_text(encoding="utf-8"))
    }


def folder(name: str) -> str:
    return name.split("/")[0]


def test_every_source_stands_in_one_of_three_folders():
    assert {folder(name) for name in FILES} == {"explorer", "whatif", "shared"}


@pytest.mark.parametrize("name", FILES)
def test_a_source_imports_from_its_own_folder_and_from_what_is_shared(name):
    assert imports(FILES[name]) <= set(FILES), "a file that is there"
    assert {folder(other) for other in imports(FILES[name])} <= {folder(name), "shared"}


@pytest.mark.parametrize("name", [name for name in FILES if folder(name) == "shared"])
def test_what_is_shared_is_used_by_both(name):
    users = {folder(other) for other, file in FILES.items() if name in imports(file)}
    assert users >= {"explorer", "whatif"}


def test_every_way_to_import_is_read():
    lines = (
        '@import "../shared/a.css";',
        'export { default } from "./b.js";',
        'import {\n  c,\n} from "./c.js";',
        'import "./d.js";',
        'export const e = el("h3");',
    )
    assert IMPORT.findall("\n".join(lines)) == ["../shared/a.css", "./b.js", "./c.js", "./d.js"]
