"""The documents beside the code: short where they must be, and no link into nothing."""

import re
import tomllib
from urllib.parse import unquote

import pytest

from tests.documents.reference import DOCS

PROJECT = DOCS.parent
NAMES = sorted(path.name for path in PROJECT.glob("*.md"))


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_to_a_file_and_a_heading(name):
    """Those in docs/ are checked when the site is built."""
    for target in re.findall(r"\]\(([^)\s]+)\)", (PROJECT / name).read_text(encoding="utf-8")):
        if target.startswith(("http:", "https:")):
            continue
        path, _, heading = unquote(target).partition("#")
        file = PROJECT / path if path else PROJECT / name
        assert file.is_file(), target
        if heading:
            assert heading in headings(file.read_text(encoding="utf-8")), target


def headings(text: str) -> set[str]:
    """The anchors of the headings, as GitHub and Python-Markdown make them of plain words."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_readme_is_short_and_starts_the_app(name):
    text = (PROJECT / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 100
    assert "make run" in text and "make test" in text and "git clone --depth 1" in text
    assert "VIZ_" not in text


def test_the_citation_names_the_version_of_the_project():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"\nversion: {project['version']}\n" in (PROJECT / "CITATION.cff").read_text(encoding="utf-8")
