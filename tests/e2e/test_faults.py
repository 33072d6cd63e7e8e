"""Pulled plugs in a browser: a reload, a lost connection, a killed server, two servers, a deleted run, a large file."""

import os
import re
import signal
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from playwright.sync_api import expect

from tests.browser import running_app
from tests.e2e.test_training import loss, read_status, start_run, stop, wait_until
from tests.words import english, opening
from viz_core.jobs import runs

pytestmark = pytest.mark.slow
CURVE = ".st-key-view_curve_loss .scatterlayer .trace"
SECRET = "zebrafish"  # a word that only a visitor of these tests types


@pytest.fixture
def environment(tmp_path, monkeypatch, checkpoints_dir):
    """The folders of the test; jobs end with it."""
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    yield
    for file in tmp_path.glob("runs/*/request.json"):
        (file.parent / "stop").touch()


def server_at(address: str) -> psutil.Process:
    """The server that this process has started at an address."""
    port = str(urlsplit(address).port)
    return next(child for child in psutil.Process().children() if child.is_running() and port in child.cmdline())


def test_a_reload_and_a_lost_connection_change_nothing(page, own_address, tmp_path):
    sockets = []
    page.route_web_socket(re.compile("_stcore/stream"), lambda socket: sockets.append(socket) or _connect(socket))
    start_run(page, own_address, epochs=500)
    # Until then the page may still show the recorded run.
    _wait_in(page, lambda: list(tmp_path.glob("runs/*/metrics.jsonl")), "the run is not evaluated")
    page.wait_for_selector(CURVE, timeout=180_000)
    before, shown = len(sockets), loss(page)
    sockets[-1].close()  # as when a laptop leaves the wireless network
    _wait_in(page, lambda: len(sockets) > before, "the page does not connect again")
    _wait_in(page, lambda: loss(page) != shown, "the page has connected again, but does not go on")
    page.reload()
    expect(page.get_by_text("tiny run", exact=False).first).to_be_visible()
    page.wait_for_selector(CURVE, timeout=180_000)
    assert read_status(tmp_path)["state"] == "running" and read_status(tmp_path)["attempt"] == 1
    stop(page)
    # Waiting in the page: only then do messages of its socket, the click among them, pass through this process.
    expect(page.get_by_text(f"tiny run · {english('jobs.state_stopped')}")).to_be_visible()
    assert read_status(tmp_path)["state"] == "stopped"


def _wait_in(page, condition, problem: str) -> None:
    """Waits in the page: in a sleep, no message of its sockets would pass."""
    for _ in range(900):
        if condition():
            return
        page.wait_for_timeout(200)
    raise AssertionError(problem)


def _connect(socket) -> None:
    server = socket.connect_to_server()
    socket.on_message(server.send)
    server.on_message(socket.send)


def test_a_run_goes_on_while_its_server_is_killed_and_another_shows_it(page, environment, tmp_path):
    with suppress(psutil.NoSuchProcess), running_app() as address:
        start_run(page, address, epochs=500)
        wait_until(lambda: list(tmp_path.glob("runs/*/metrics.jsonl")), 120)
        server = server_at(address)
        os.kill(server.pid, signal.SIGKILL)
        step = read_status(tmp_path)["step"]
        wait_until(lambda: read_status(tmp_path)["step"] > step + 20)
    with running_app() as first, running_app() as second:
        for address in (second, first):  # two servers on one folder
            page.goto(f"{address}/training?lang=en")
            page.wait_for_selector(CURVE, timeout=180_000)
        stop(page)
        wait_until(lambda: read_status(tmp_path)["state"] == "stopped")
        page.goto(f"{second}/training?lang=en")
        expect(page.get_by_text(f"tiny run · {english('jobs.state_stopped')}")).to_be_visible()
    assert read_status(tmp_path)["attempt"] == 1


def test_a_run_that_is_deleted_while_it_is_watched_is_gone_with_a_sentence(page, own_address, tmp_path):
    start_run(page, own_address, epochs=500)
    page.wait_for_selector(CURVE, timeout=180_000)
    stop(page)
    wait_until(lambda: read_status(tmp_path)["state"] == "stopped")
    (run,) = runs.list_runs()
    runs.delete(run.id)  # as in another tab
    expect(page.get_by_text(f"tiny run · {english('jobs.state_stopped')}")).to_have_count(0)
    expect(page.get_by_text(opening("pages.failed"))).to_have_count(0)
    page.goto(f"{own_address}/training?lang=en&runs={run.id}")
    expect(page.get_by_role("button", name=english("pages.training_start"))).to_be_visible()
    expect(page.get_by_text(opening("pages.failed"))).to_have_count(0)


def large_file(path: Path, megabytes: int) -> Path:
    """A CSV file of reviews of 1 kB."""
    line = "a good film and a good story " * 34 + "\n"
    path.write_text("text\n" + line * (megabytes * 10**6 // len(line)), encoding="utf-8")
    return path


def test_a_file_of_120_megabytes_is_taken_and_a_larger_one_refused(page, own_address, tmp_path):
    page.goto(f"{own_address}/evaluation?lang=en&task=imdb&part=file")
    page.locator("input[type=file]").set_input_files(large_file(tmp_path / "too_large.csv", 121))
    expect(page.get_by_text("121.0MB")).to_be_visible()
    expect(page.get_by_role("button", name=english("evaluation.file_predict"))).to_be_disabled()
    page.reload()
    page.locator("input[type=file]").set_input_files(large_file(tmp_path / "large.csv", 119))
    page.get_by_role("button", name=english("evaluation.file_predict")).click(timeout=180_000)
    wait_until(lambda: list(tmp_path.glob("runs/*/written.json")), 180)
    stop(page)
    wait_until(lambda: read_status(tmp_path)["state"] == "stopped")


def post(address: str, route: str, body: bytes) -> None:
    with suppress(urllib.error.HTTPError):  # a refusal is what some of them are for
        urllib.request.urlopen(urllib.request.Request(f"{address}/{route}", body, method="POST")).read()


def test_no_text_of_a_visitor_is_in_the_log(page, environment, tmp_path):
    log = tmp_path / "server.log"
    with running_app(log_file=log, VIZ_LOG="debug") as address:
        for text in (SECRET, f"{SECRET} \\ud800", SECRET * 2000):
            for model in ("tiny", SECRET):
                named = f'"task": "imdb", "model": "{model}", "language": "en"'
                post(address, "explorer/explain", f'{{{named}, "texts": ["{text}"]}}'.encode())
                post(address, "explorer/heads", f'{{{named}, "texts": ["{text}"], "heads": [[9, 9]]}}'.encode())
                post(address, "explorer/interventions", f'{{{named}, "texts": ["{text}"], "removed": [99]}}'.encode())
                post(address, "explorer/translate", f'{{{named}, "text": "{text}"}}'.encode())
        post(address, f"explorer/{SECRET}", SECRET.encode())
        page.goto(f"{address}/sentiment?lang=en&text={SECRET}&head={SECRET}&model={SECRET}")
        page.wait_for_selector(".explorer[data-drawn]")
        page.goto(f"{address}/evaluation?lang=en&task=imdb&part=compare&was_text={SECRET}&now_text=%00{SECRET}")
        page.wait_for_selector("h1")
        page.goto(f"{address}/training?lang=en")
        box = page.get_by_role("textbox", name=english("pages.training_pinned_single"))
        box.fill(SECRET)
        box.press("ControlOrMeta+Enter")
        page.get_by_role("button", name=english("pages.training_start")).click()
        wait_until(lambda: list(tmp_path.glob("runs/*/log.txt")), 60)
        (run,) = runs.list_runs()
        assert SECRET in (run.path / "request.json").read_text("utf-8")
        os.truncate(run.path / "request.json", 0)  # a failure that the server and the job notice
        wait_until(lambda: (run.path / "status.json").exists())
    lines = log.read_text("utf-8")
    assert "POST /explorer/explain: 200" in lines and f"Run {run.id} is queued" in lines
    assert SECRET not in lines
    assert SECRET not in (run.path / "log.txt").read_text("utf-8") + (run.path.parent / ".worker.log").read_text(
        "utf-8"
    )
