"""Downloads of a view: files made on demand."""

import pytest

from pages.shared import downloads
from tests.pages.app import open_page
from tests.words import chinese


@pytest.mark.usefixtures("checkpoints_dir")
def test_an_html_file_has_the_title_of_its_view_in_the_language_of_the_page(monkeypatch):
    makers = {}

    def keep(label, make, file, *_, **__):
        makers[file] = make

    monkeypatch.setattr(downloads.st, "download_button", keep)
    assert not open_page("matching", lang="zh").exception
    assert f"<title>{chinese('rendering.token_table')}</title>" in makers["tokens.html"]()
