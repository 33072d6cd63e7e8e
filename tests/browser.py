"""Chromium for the tests, and a running app for it to open."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PROJECT = Path(__file__).parents[1]
SHELL = "chromium-headless-shell"  # takes a fifth less CPU time
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 120  # seconds, of every wait in a browser: a busy machine takes some
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--font-render-hinting=slight"]  # the default of Chromium, but not of the shell


def executable(whole: bool = False) -> str:
    """The path of the browser. Raises FileNotFoundError where none is installed. whole: one like that of visitors, if
    there is one, rather than the shell."""
    names = (*NAMES, SHELL) if whole else (SHELL, *NAMES)
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        raise FileNotFoundError(f"none of {', '.join(names)} is installed: run make test, which installs Chromium")
    return path


@contextmanager
def running_app(script: str = "app.py", log_file: Path | None = None, **environment: str):
    """Runs the app (or another script) with `streamlit run` on a free port; yields its address. log_file: where its log
    goes, by default nowhere."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (
        open(log_file, "w+b") if log_file else tempfile.TemporaryFile() as log
    ):  # not a pipe, which would block the app once it is full
        server = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port), "--server.headless", "true"],
            cwd=PROJECT,
            env={**os.environ, **environment},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        address = f"http://localhost:{port}"
        try:
            _wait(server, f"{address}/_stcore/health", log)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=30)


def _wait(server: subprocess.Popen, address: str, log: IO[bytes]) -> None:
    for _ in range(240):
        if server.poll() is not None:
            log.seek(0)
            raise RuntimeError(f"the app ended: {log.read().decode()}")
        try:
            with urllib.request.urlopen(address):
                return
        except OSError:
            time.sleep(0.5)
    raise TimeoutError(f"{address} does not answer")
