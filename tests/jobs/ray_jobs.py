"""The jobs of a Ray cluster, as Ray's REST API has them: an HTTP server that runs their commands on this machine.

Tests of the real one, which behaves the same, are in test_ray_cluster.py.
"""

import json
import os
import signal
import subprocess
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MESSAGE_OF_A_DEAD_NODE = "Job supervisor actor died: The actor died because its node has died. Node Id: 1a296e"


class Jobs:
    """`with Jobs(places) as jobs:` A head at `jobs.address` with places for so many jobs at a time.

    `submitted` has the bodies of all jobs that were taken, in order; `jobs` what is known of each.
    """

    def __init__(self, places: int = 2, token: str = "") -> None:
        self.places, self.token = places, token
        self.jobs: dict[str, dict] = {}
        self.submitted: list[dict] = []
        self.processes: dict[str, subprocess.Popen] = {}
        self.requests: list[str] = []
        self._lock = threading.RLock()
        self._server: ThreadingHTTPServer | None = None
        self.port = 0

    def __enter__(self) -> "Jobs":
        self.start_head()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill_head()
        for process in self.processes.values():
            _kill(process)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start_head(self) -> None:
        """Also after it was killed: at the same port."""
        handler = type("Handler", (_Handler,), {"cluster": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()

    def kill_head(self) -> None:
        """It forgets its jobs; their processes go on until somebody kills them."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        self.jobs = {}

    def kill_node(self, job: str) -> None:
        """The computer of a job, with its process."""
        _kill(self.processes[job])
        self.jobs[job] = {
            "status": "FAILED",
            "error_type": "JOB_SUPERVISOR_ACTOR_DIED",
            "message": MESSAGE_OF_A_DEAD_NODE,
        }

    def submit(self, body: dict) -> tuple[int, object]:
        job = body["submission_id"]
        with self._lock:
            if job in self.jobs:
                return 500, f"Traceback …\nValueError: Job with submission_id {job} already exists. Please use …\n.\n"
            self.submitted.append(body)
            self.jobs[job] = {"status": "PENDING", "body": body}
            self._begin_jobs()
        return 200, {"submission_id": job}

    def stop(self, job: str) -> tuple[int, object]:
        with self._lock:
            if job not in self.jobs:
                return 404, f"Job {job} does not exist"
            self.jobs[job]["is_stopped"] = True
            if process := self.processes.get(job):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
        return 200, {"stopped": True}

    def read(self, job: str) -> tuple[int, object]:
        with self._lock:
            self._begin_jobs()
            if job not in self.jobs:
                return 404, f"Job {job} does not exist"
            return 200, {name: value for name, value in self.jobs[job].items() if name != "body"}

    def _begin_jobs(self) -> None:
        for job, info in self.jobs.items():
            code = self.processes[job].poll() if info["status"] == "RUNNING" else None
            if code is not None and info.get("is_stopped"):
                info["status"] = "STOPPED"
            elif code is not None:
                info.update(status="FAILED" if code else "SUCCEEDED", driver_exit_code=code)
        for job, info in self.jobs.items():
            if info["status"] == "PENDING" and self._running() < self.places:
                self.processes[job] = subprocess.Popen(
                    info["body"]["entrypoint"],
                    shell=True,
                    start_new_session=True,
                    env={**os.environ, **info["body"]["runtime_env"]["env_vars"]},
                    stderr=subprocess.DEVNULL,
                )
                info["status"] = "RUNNING"

    def _running(self) -> int:
        return sum(info["status"] == "RUNNING" for info in self.jobs.values())


class _Handler(BaseHTTPRequestHandler):
    cluster: Jobs

    def do_GET(self) -> None:
        self._answer(lambda: self.cluster.read(self.path.rpartition("/")[2]))

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.endswith("/stop"):
            self._answer(lambda: self.cluster.stop(self.path.split("/")[-2]))
        else:
            self._answer(lambda: self.cluster.submit(json.loads(text)))

    def _answer(self, answer) -> None:
        self.cluster.requests.append(f"{self.command} {self.path}")
        given = self.headers.get("Authorization", "")
        if self.cluster.token and given != f"Bearer {self.cluster.token}":
            status, content = (403, "Forbidden") if given else (401, "Unauthorized: Missing authentication token")
        else:
            status, content = answer()
        text = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def _kill(process: subprocess.Popen) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
