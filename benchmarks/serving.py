"""The page of the benchmarks, served as the app is."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from tests.browser import PROJECT


@contextmanager
def served(script: str) -> Iterator[str]:
    """Starts `streamlit run script` on a free port, and gives its address once it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port), "--server.headless", "true"],
            cwd=PROJECT, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait(server, f"http://localhost:{port}/_stcore/health", log)
            yield f"http://localhost:{port}"
        finally:
            server.terminate()
            server.wait(timeout=30)


def _wait(server: subprocess.Popen, address: str, log) -> None:
    for _ in range(240):
        if server.poll() is not None:
            log.seek(0)
            raise RuntimeError(f"{address} ended: {log.read().decode()}")
        try:
            with urllib.request.urlopen(address):
                return
        except OSError:
            time.sleep(0.5)
    raise TimeoutError(f"{address} does not answer")
