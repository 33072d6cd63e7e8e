"""compose.yaml and the Dockerfile, tried as plain processes: servers, Caddy, a Ray cluster, a page, a training."""

import json
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import FLAGS, PATIENCE, executable
from tests.deploy.reading import services
from tests.deploy.stack import Stack
from tests.jobs.ray_cluster import is_installed
from tests.training.tiny import ENCODER

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("caddy") is None, reason="needs Caddy (make proxy)"),
]
needs_ray = pytest.mark.skipif(not is_installed(), reason="needs Ray (make test-slow installs it)")
SERVERS, RAY = ("server-1", "server-2"), ("ray-head", "ray-worker")
TRAINING = f"""
import json, time
from viz_core.jobs import runs
from viz_core.training.door import TrainingSettings, submit
sizes, recipe = {ENCODER}, dict(epochs=2, evaluations=2, pretrain_epochs=0)
settings = TrainingSettings("imdb", "small", "tried", "sample", "cpu", overrides=sizes, recipe=recipe)
run = submit(settings, "cpu", "anna")
until = time.monotonic() + 300
while not (now := runs.read(run.id)).is_over and time.monotonic() < until:
    time.sleep(0.5)
print(json.dumps([now.status.state, (now.status.handle or {{}}).get("executor"), str(now.status.message)]))
"""


@pytest.fixture(scope="module")
def stack():
    folder = Path(tempfile.mkdtemp(prefix="stack", dir="/tmp"))
    stack = Stack(folder)
    try:
        stack.build()
        stack.run("token")
        yield stack
    finally:
        stack.close()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def servers(stack):
    for name in SERVERS:
        stack.start(name)
    for name in services()["proxy"]["depends_on"]:
        stack.wait(name)
    stack.start("proxy")
    stack.wait("proxy")
    return stack


def test_the_token_is_made_once_and_is_for_the_user_alone(stack):
    file = stack.folder / "data/ray-token"
    token = file.read_text()
    assert len(token.strip()) >= 32 and file.stat().st_mode & 0o077 == 0
    stack.run("token")
    assert file.read_text() == token


def test_the_image_has_all_models(stack):
    command = ["attention-microscope", "models", "fetch", "--json"]
    found = subprocess.run(command, env=stack.environment("server-1"), capture_output=True, text=True, check=True)
    states = {entry["model"]: entry["state"] for entry in json.loads(found.stdout)}
    assert "imdb/minilm" in states and set(states.values()) == {"here"}


def test_a_page_opens_through_the_proxy(servers):
    address = f"http://localhost:{servers.ports['proxy', 8501]}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        page = browser.new_page(locale="en-GB")
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(f"{address}/sentiment?lang=en&model=minilm")
        page.wait_for_selector(".explorer[data-drawn]")
        page.locator(".instrument textarea").first.fill("Not bad at all.")
        page.wait_for_url("**text=Not+bad+at+all.*")
        assert "model=minilm" in page.url  # which is not in the wheel
        browser.close()


def test_both_servers_share_the_key_of_cookies(servers):
    assert all(servers.is_healthy(name) for name in (*SERVERS, "proxy"))
    assert {file.name for file in (servers.folder / "data/runs").iterdir()} >= {".cookie_key", ".visitor_key"}


@needs_ray
def test_a_training_is_carried_out_by_the_cluster(servers):
    for name in RAY:
        servers.start(name)
        servers.wait(name)
    environment = servers.environment("server-1")
    command = ["python", "-c", TRAINING]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=servers.folder / "data")
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout.splitlines()[-1])[:2] == ["finished", "ray"], found.stdout
    for name in reversed(RAY):
        servers.stop(name)


def test_a_server_that_stops_leaves_its_visitors_to_the_other(servers):
    assert servers.stop("server-1") in (0, -15, 143)
    assert servers.is_healthy("proxy")
    with urllib.request.urlopen(f"http://127.0.0.1:{servers.ports['proxy', 8501]}/ready") as response:
        assert response.status == 200
