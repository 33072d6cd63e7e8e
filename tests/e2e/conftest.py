"""Fixtures of the end-to-end tests: an app with the shipped models or with tiny ones, and a browser page."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser import PATIENCE, PROJECT, running_app

expect.set_options(timeout=1000 * PATIENCE)


@pytest.fixture(scope="session")
def address():
    """The address of an app with the shipped models, which takes some ten seconds to start. Jobs that it starts end by
    themselves."""
    with running_app(VIZ_RUNS_FREE_MB="1", VIZ_LESSONS_DIR=str(PROJECT / "tests/lessons/own")) as address:
        yield address


@pytest.fixture
def own_address(tmp_path, monkeypatch, checkpoints_dir):
    """The address of an app with tiny models and the temporary folders of the test, in which it may start jobs."""
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    with running_app() as address:
        yield address
    for file in tmp_path.glob("runs/*/request.json"):
        (file.parent / "stop").touch()  # no job outlives the test


@pytest.fixture
def page(browser):
    """A page that must never fetch from other hosts, run what a visitor typed, show a traceback, or need what the
    policy of the server (pages/routes/headers.py) does not allow."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    external_requests, dialogs, violations = [], [], []
    page.on("console", lambda line: violations.append(line.text) if "Content Security Policy" in line.text else None)
    page.on(
        "request",
        lambda request: (
            external_requests.append(request.url)
            if urlsplit(request.url).hostname not in ("localhost", None, "")
            else None
        ),
    )
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    yield page
    assert page.get_by_text("Traceback").count() == 0
    assert not external_requests and not dialogs and not violations
    context.close()
