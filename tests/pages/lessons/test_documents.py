"""The link to the documents: where they have been built, in the visitor's language."""

import pytest

from pages.lessons import page
from tests.pages.app import open_page

pytestmark = pytest.mark.usefixtures("runs_dir", "checkpoints_dir")


def links(lessons) -> list[str]:
    return [markdown.value for markdown in lessons.markdown if "documents" in markdown.value]


@pytest.mark.parametrize("language, folder", [("en", "documents"), ("zh", "documents/zh")])
def test_documents_that_have_been_built_are_linked_in_the_language_of_the_page(monkeypatch, tmp_path, language, folder):
    monkeypatch.setattr(page, "DOCUMENTS", tmp_path)
    (link,) = links(open_page("lessons", lang=language))
    assert link.endswith(f"({folder}/index.html)")


def test_without_documents_there_is_no_link(monkeypatch, tmp_path):
    monkeypatch.setattr(page, "DOCUMENTS", tmp_path / "missing")
    assert not links(open_page("lessons"))
