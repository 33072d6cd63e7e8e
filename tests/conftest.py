"""Fixtures that tests share: tiny checkpoints, temporary folders, a browser; real folders are out of reach."""

import asyncio
import gc
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
from viz_core.jobs.worker_launch import WORKER_LOCK

# The same examples in every run; no deadline, because a busy machine makes correct code slow.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

if "PYTEST_XDIST_WORKER" in os.environ:  # parallel tests, one core each
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # for subprocesses
    torch.set_num_threads(1)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Looks for no garbage among the modules that are imported, and not again later: they stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # before `-m` selects by marks
def pytest_collection_modifyitems(items):
    """Marks tests that need a browser, by their use of the `chromium` fixture, and end-to-end tests."""
    for item in items:
        if "chromium" in item.fixturenames:
            item.add_marker("browser")
        if item.nodeid.startswith(("tests/e2e/", "tests/compatibility/")):
            item.add_marker("process")


@pytest.fixture(autouse=True)
def require_process_mark(request, monkeypatch):
    """Fails a test that starts a Python process without being marked `process`, which `make check` leaves out."""
    init = subprocess.Popen.__init__

    def checked_init(self, arguments, *rest, **options):
        assert arguments[0] != sys.executable, "mark this test with pytest.mark.process"
        init(self, arguments, *rest, **options)

    if not {"process", "browser", "real"} & set(request.keywords):
        monkeypatch.setattr(subprocess.Popen, "__init__", checked_init)


@pytest.fixture(autouse=True)
def own_folders(request, tmp_path, monkeypatch):
    """Temporary folders for corpora, caches and runs, unless the test is marked `real`."""
    if "real" in request.keywords:
        return
    monkeypatch.setenv("VIZ_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("VIZ_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("VIZ_TASKS_DIR", str(tmp_path / "tasks"))
    monkeypatch.setattr("viz_core.datasets.corpus.PROJECT", tmp_path / "project")


@pytest.fixture
def checkpoints_dir(tmp_path, monkeypatch):
    """The checkpoints folder of the app, with two untrained models, `imdb/tiny` and `afqmc/tiny`."""
    root = tmp_path / "checkpoints"
    for task in ("imdb", "afqmc"):
        save_checkpoint(root, task)
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(root))
    return root


@pytest.fixture
def root(tmp_path, monkeypatch, checkpoints_dir):
    """A runs folder whose worker lock the test holds, so that no worker starts and the test itself is the job."""
    folder = tmp_path / "runs"
    folder.mkdir()
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    lock = files.acquire_lock(folder / WORKER_LOCK)
    yield folder
    lock.release()


@pytest.fixture
def sample_models(checkpoints_dir) -> dict[str, Path]:
    """By task, the folder of its tiny model, marked as trained on the sample."""
    folders = {task: checkpoints_dir / task / "tiny" for task in ("imdb", "afqmc")}
    for folder in folders.values():
        (folder / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
    return folders


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser, which the export of pictures takes too."""
    os.environ["BROWSER_PATH"] = executable()
    return executable()


@pytest.fixture(scope="session")
def browsers(chromium):
    """Playwright, its event loop, and the browsers that were started, by their paths. Outside the tests that use it,
    the loop does not run: asyncio would run nothing else in this thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        loop, started = asyncio.get_running_loop(), {}
        asyncio._set_running_loop(None)
        yield playwright, loop, started
        asyncio._set_running_loop(loop)
        for browser in started.values():
            browser.close()


@pytest.fixture(scope="module")
def browser(request, browsers):
    """A browser without pages of other modules; the whole one if the module is marked so."""
    (playwright, loop, started), path = browsers, executable("whole_browser" in request.keywords)
    asyncio._set_running_loop(loop)
    if path not in started or not started[path].is_connected():
        started[path] = playwright.chromium.launch(executable_path=path, args=FLAGS)
    yield started[path]
    for context in started[path].contexts:
        context.close()
    asyncio._set_running_loop(None)
