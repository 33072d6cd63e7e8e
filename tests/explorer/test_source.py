"""The sources of the explorer and of what-if import only from their own folder and from what they share.

The instrument and the translation, which contain the explorer, import from it as well.
"""

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


ALLOWED = {
    "shared": set(),
    "explorer": {"shared"},
    "instrument": {"explorer", "shared"},
    "translation": {"instrument", "explorer", "shared"},
    "generation": {"translation", "instrument", "explorer", "shared"},
    "whatif": {"shared"},
    "calculator": {"instrument", "shared"},
    "inside": {"instrument", "explorer", "shared"},
    "atlas": {"instrument", "explorer", "shared"},
    "passages": {"instrument", "explorer", "shared"},
    "lesson": {"shared"},
}


def test_every_source_is_in_one_of_these_folders():
    assert {folder(name) for name in FILES} == set(ALLOWED)


@pytest.mark.parametrize("name", FILES)
def test_a_source_imports_only_from_its_own_folder_and_those_below_it(name):
    assert imports(FILES[name]) <= set(FILES), "imported files exist"
    assert {folder(other) for other in imports(FILES[name])} <= {folder(name), *ALLOWED[folder(name)]}


def test_every_kind_of_import_is_recognised():
    lines = (
        '@import "../shared/a.css";',
        'export { default } from "./b.js";',
        'import {\n  c,\n} from "./c.js";',
        'import "./d.js";',
        'export const e = el("h3");',
    )
    assert IMPORT.findall("\n".join(lines)) == ["../shared/a.css", "./b.js", "./c.js", "./d.js"]
