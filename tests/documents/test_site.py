"""The documents as a site: built without a warning, nothing from elsewhere, searched without a server or a network."""

import os
import re
import subprocess
import sys

import pytest

from tests.documents.reference import DOCS

PROJECT = DOCS.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site. A dead link is an error (`strict` in mkdocs.yml)."""
    folder = tmp_path_factory.mktemp("site")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)],
        cwd=PROJECT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return folder


@pytest.mark.slow
@pytest.mark.process
def test_every_document_is_a_page_in_both_languages(site):
    names = {path.stem for path in DOCS.glob("*.md") if not path.name.endswith(".zh.md")}
    for folder in (site, site / "zh"):
        assert {path.stem for path in folder.glob("*.html")} - {"404"} == names


@pytest.mark.slow
@pytest.mark.process
def test_nothing_is_loaded_from_elsewhere(site):
    loaded = re.compile(r"""<(?:script|img|iframe|source)[^>]*\ssrc=["']?https?:|<link[^>]*\shref=["']?https?:""")
    for page in site.rglob("*.html"):
        assert not loaded.search(page.read_text(encoding="utf-8")), page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?https?:|@import", style.read_text(encoding="utf-8")), style


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("page, words", [("index.html", "alignment"), ("zh/index.html", "归一化熵")])
def test_the_search_works_with_pages_opened_as_files(site, browser, page, words):
    tab = browser.new_page()
    requests = []
    tab.on("request", lambda request: requests.append(request.url))
    tab.goto((site / page).as_uri())
    tab.locator(".md-search__input").fill(words)
    tab.locator(".md-search__input").press("End")  # it listens to keys
    tab.wait_for_selector(".md-search-result__link")
    assert tab.locator(".md-search-result__item").count() >= 1
    assert all(url.startswith(("file:", "data:", "blob:", "about:")) for url in requests)
    tab.close()
