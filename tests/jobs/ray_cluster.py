"""A real Ray cluster on this machine: a head and further nodes, each a tree of processes that a test can kill."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import psutil

RAY = Path(sys.executable).with_name("ray")  # tests/ray.txt
TOKEN = "a token for the tests of a cluster"
_STORE = 80_000_000  # bytes for objects, of which runs have none
_MEMORY = 4_000_000_000
_START_SECONDS = 300


def is_installed() -> bool:
    return RAY.exists()


class Cluster:
    """`with Cluster(cpus) as cluster:` a head and one more node with so many cores each, by what they are told."""

    def __init__(self, cpus: int = 2) -> None:
        self.cpus = cpus
        self.folder = Path(tempfile.mkdtemp(prefix="ray", dir="/tmp"))  # a short path: it has sockets
        self.port, self.dashboard, self.client = (free_port() for _ in range(3))
        self.nodes: dict[str, psutil.Process] = {}  # by name
        self._count = 0

    def __enter__(self) -> "Cluster":
        self.start_head()
        self.start_node()
        return self

    def __exit__(self, *_: object) -> None:
        for name in [*self.nodes]:
            self.kill(name)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.dashboard}"

    def start_head(self) -> None:
        """A head that knows nothing of an earlier one; returns once it answers."""
        self._start(
            "head",
            lambda: self.get("/api/jobs/") is not None and self.alive(),
            "--head",
            f"--port={self.port}",
            f"--dashboard-port={self.dashboard}",
            f"--ray-client-server-port={self.client}",
        )

    def start_node(self) -> str:
        """Another node; returns its name once the head knows it."""
        self._count += 1
        name, before = f"node-{self._count}", self.alive()
        self._start(name, lambda: self.alive() - before, f"--address=127.0.0.1:{self.port}")
        return name

    def kill(self, name: str) -> None:
        """Ends all processes of a node at once, also those of its jobs, like a power cut."""
        root = self.nodes.pop(name)
        found = []
        with suppress(psutil.NoSuchProcess):
            root.suspend()  # it would report that its processes end
            found = [root, *root.children(recursive=True)]
        for process in found:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(found, timeout=10)

    def alive(self) -> set[str]:
        """The nodes that the head counts as alive; one that was killed for some seconds more."""
        answer = json.loads(self.get("/api/v0/nodes?detail=1") or "{}")
        found = ((answer.get("data") or {}).get("result") or {}).get("result") or []
        return {node["node_id"] for node in found if node["state"] == "ALIVE"}

    def get(self, path: str) -> str | None:
        """The text of an answer; None if there is none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.dashboard, timeout=10)
        with closing(connection), suppress(OSError, http.client.HTTPException):
            connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
            response = connection.getresponse()
            return response.read().decode() if response.status == 200 else None
        return None

    def _start(self, name: str, is_up: Callable[[], object], *options: str) -> None:
        """Start a node as systemd would: again, if a machine that does other things, too, was too slow for it."""
        deadline = time.monotonic() + _START_SECONDS
        while not is_up():
            if name not in self.nodes or not self.nodes[name].is_running():
                self._end_group(name)
                self._launch(name, *options)
            assert time.monotonic() < deadline, (self.folder / f"{name}.log").read_text()[-2000:]
            time.sleep(0.5)

    def _end_group(self, name: str) -> None:
        """Ends what a command that gave up has left."""
        if old := self.nodes.pop(name, None):
            with suppress(ProcessLookupError):
                os.killpg(old.pid, signal.SIGKILL)

    def _launch(self, name: str, *options: str) -> None:
        command = [
            *(str(RAY), "start", "--block", "--disable-usage-stats", f"--num-cpus={self.cpus}", f"--memory={_MEMORY}"),
            *(f"--object-store-memory={_STORE}", f"--temp-dir={self.folder / name}", *options),
        ]
        environment = {
            **os.environ,
            "PATH": os.pathsep.join([str(RAY.parent), os.environ["PATH"]]),
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": TOKEN,
            "RAY_gcs_rpc_server_reconnect_timeout_s": "10",  # of a node without its head; else a minute
            "RAY_JOB_START_TIMEOUT_SECONDS": "7200",
        }
        environment = {key: value for key, value in environment.items() if not key.startswith("VIZ_")}
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        threading.Thread(target=process.wait, daemon=True).start()  # else it stays a zombie
        self.nodes[name] = psutil.Process(process.pid)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def process_of(folder: Path) -> psutil.Process | None:
    """The process that carries out the run of a folder."""
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if words[1:2] == ["-m"] and words[-1:] == [str(folder.resolve())]:
            return process
    return None
