"""What tests share: tiny encoders, tokenizers and checkpoint folders, and no way to the folders of whoever runs them."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.browser import FLAGS, executable
from tests.tiny import save_checkpoint

# The same examples in every run; no deadline, since a busy machine proves nothing about the code.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def own_folders(request, tmp_path, monkeypatch):
    """Corpora, caches and runs of a test are its own, unless it is marked `real`."""
    if "real" in request.keywords:
        return
    monkeypatch.setenv("VIZ_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("VIZ_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setattr("viz_core.datasets.corpus.PROJECT", tmp_path / "project")


@pytest.fixture
def checkpoints_dir(tmp_path, monkeypatch):
    """A folder with two untrained checkpoints, `imdb/tiny` and `afqmc/tiny`, where the app looks for its models."""
    root = tmp_path / "checkpoints"
    for task in ("imdb", "afqmc"):
        save_checkpoint(root, task)
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(root))
    return root


@pytest.fixture(scope="session")
def chromium() -> str:
    return executable()


@pytest.fixture(scope="module")
def browser(chromium):
    """Of a module, not of the session: two Playwrights at a time refuse each other, and tests/rendering has its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()
