"""The sources of the explorer and of what-if import only from their own folder and from what they share."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.explorer.locations import SOURCE

FILES = {file.relative_to(SOURCE).as_posix(): file for file in sorted(SOURCE.rglob("*.*"))}
IMPORT = re.compile(r'^(?:@?import +|import [^;"]* from +|export (?:\*|{[^}]*}) from +)"([^"]+)"', re.MULTILINE)


def imports(file: Path) -> set[str]:
    """The files that a source imports or re-exports, as keys of FILES."""
    return {
        (file.parent / path).resolve().relative_to(SOURCE.resolve()).as_posix()
        for path in IMPORT.findall(file.read_text(encoding="utf-8"))
    }


def folder(name: str) -> str:
    return name.split("/")[0]


def test_every_source_is_in_one_of_three_folders():
    assert {folder(name) for name in FILES} == {"explorer", "whatif", "shared"}


@pytest.mark.parametrize("name", FILES)
def test_a_source_imports_only_from_its_own_folder_and_from_shared(name):
    assert imports(FILES[name]) <= set(FILES), "imported files exist"
    assert {folder(other) for other in imports(FILES[name])} <= {folder(name), "shared"}


@pytest.mark.parametrize("name", [name for name in FILES if folder(name) == "shared"])
def test_shared_files_are_used_by_both(name):
    users = {folder(other) for other, file in FILES.items() if name in imports(file)}
    assert users >= {"explorer", "whatif"}


def test_every_kind_of_import_is_recognised():
    lines = (
        '@import "../shared/a.css";',
        'export { default } from "./b.js";',
        'import {\n  c,\n} from "./c.js";',
        'import "./d.js";',
        'export const e = el("h3");',
    )
    assert IMPORT.findall("\n".join(lines)) == ["../shared/a.css", "./b.js", "./c.js", "./d.js"]
