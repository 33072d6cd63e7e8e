"""The reference pages are what the code says now, and every environment variable is in the table."""

import re

import pytest

from tests.documents import lessons
from tests.documents.reference import DOCS, parts
from viz_core.jobs.limits import Limits
from viz_core.lessons.reading import read_lesson
from viz_core.variables import RUN_MINUTES, RUNS_FREE_MB, RUNS_PER_VISITOR, VARIABLES

PROJECT = DOCS.parent


@pytest.mark.parametrize("name", parts())
def test_a_reference_page_is_what_the_code_says(name):
    """If it is not: python -m tests.documents.reference"""
    assert f"\n\n{parts()[name]}\n\n" in (DOCS / name).read_text(encoding="utf-8")


def test_the_pages_of_lessons_are_what_their_files_say():
    """If they are not: python -m tests.documents.reference"""
    written = {f"lessons/{file.name}": file.read_text(encoding="utf-8") for file in DOCS.glob("lessons/*.md")}
    assert written == lessons.pages()


def names_in(*places: str) -> set[str]:
    files = [file for place in places for file in sorted(PROJECT.glob(place)) if "node_modules" not in file.parts]
    assert files
    return {name for file in files for name in re.findall(r"VIZ_[A-Z_]*[A-Z]", file.read_text(encoding="utf-8"))}


def test_every_variable_in_the_code_is_registered():
    assert names_in("viz_core/**/*.py", "pages/**/*.py", "app.py") == set(VARIABLES)


def test_documents_name_only_variables_that_exist():
    of_tests = names_in("tests/**/*.py", "Makefile") - set(VARIABLES)
    assert names_in("docs/*.md", "*.md") <= set(VARIABLES) | of_tests


def test_the_limits_are_those_of_the_code():
    limits = Limits()
    stated = [re.match(r"\d+", VARIABLES[name].default)[0] for name in (RUN_MINUTES, RUNS_PER_VISITOR, RUNS_FREE_MB)]
    assert [int(number) for number in stated] == [
        limits.longest_minutes,
        limits.most_queued_per_owner,
        limits.least_free_bytes / 1_000_000,
    ]


def test_the_example_of_a_lesson_can_be_read(tmp_path):
    (example,) = re.findall(r"^````\n(.*?)^````$", (DOCS / "lessons.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    (tmp_path / "1-negation.md").write_text(example, "utf-8")
    assert read_lesson(tmp_path / "1-negation.md").cards
