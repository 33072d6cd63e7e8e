"""What the end-to-end tests share: an app with the models that ship or with models of its own, and a page that looks at it."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser import running_app

_PATIENCE = 60_000  # milliseconds: a busy machine proves nothing about the page
expect.set_options(timeout=_PATIENCE)


@pytest.fixture(scope="module")
def address():
    """Where the app runs with the models that ship."""
    with running_app() as address:
        yield address


@pytest.fixture
def own_address(tmp_path, monkeypatch, checkpoints_dir):
    """Where an app of this test's own runs: with tiny models and the folders of the test, in which it may start jobs."""
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    with running_app() as address:
        yield address
    for file in tmp_path.glob("runs/*/request.json"):
        (file.parent / "stop").touch()  # nothing goes on behind the test's back


@pytest.fixture
def page(browser):
    """A page that notes what it should never do: fetch from elsewhere, run what a visitor typed, show a traceback."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(_PATIENCE)
    elsewhere, dialogs = [], []
    page.on(
        "request",
        lambda request: (
            elsewhere.append(request.url) if urlsplit(request.url).hostname not in ("localhost", None, "") else None
        ),
    )
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    yield page
    assert page.get_by_text("Traceback").count() == 0
    assert not elsewhere and not dialogs
    context.close()
