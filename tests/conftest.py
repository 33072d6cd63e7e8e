"""What tests share: tiny encoders, tokenizers and checkpoint folders, and no way to the folders of whoever runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from tests.browser import FLAGS, executable
from tests.tiny import save_checkpoint
from viz_core.jobs import files
from viz_core.jobs.wake import WORKER_LOCK

# The same examples in every run; no deadline, since a busy machine proves nothing about the code.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

if "PYTEST_XDIST_WORKER" in os.environ:  # tests run side by side, each on a core of its own
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # of the processes that they start
    torch.set_num_threads(1)


@pytest.hookimpl(tryfirst=True)  # before -m chooses by the marks
def pytest_collection_modifyitems(items):
    """Marks what needs a browser, by the one fixture that all others of the kind stand on, and what goes end to end."""
    for item in items:
        if "chromium" in item.fixturenames:
            item.add_marker("browser")
        if item.nodeid.startswith(("tests/e2e/", "tests/compatibility/")):
            item.add_marker("process")


@pytest.fixture(autouse=True)
def no_process(request, monkeypatch):
    """A test that starts Python once more says so, for `make check` to leave it out."""
    start = subprocess.Popen.__init__

    def started(self, arguments, *rest, **options):
        assert arguments[0] != sys.executable, "mark this test with pytest.mark.process"
        start(self, arguments, *rest, **options)

    if not {"process", "browser", "real"} & set(request.keywords):
        monkeypatch.setattr(subprocess.Popen, "__init__", started)


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


@pytest.fixture
def root(tmp_path, monkeypatch, checkpoints_dir):
    """A runs folder without a worker: the test itself is the job."""
    folder = tmp_path / "runs"
    folder.mkdir()
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    held = files.hold(folder / WORKER_LOCK)
    yield folder
    files.release(held)


@pytest.fixture
def sampled(checkpoints_dir) -> dict[str, Path]:
    """By task, the folder of its tiny model, which says that it was trained on the sample."""
    folders = {task: checkpoints_dir / task / "tiny" for task in ("imdb", "afqmc")}
    for folder in folders.values():
        (folder / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
    return folders


@pytest.fixture(scope="session")
def chromium() -> str:
    return executable()


@pytest.fixture(scope="module")
def browser(chromium):
    """Of a module, not of the session: while Playwright is there, asyncio runs nothing else in this thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()
