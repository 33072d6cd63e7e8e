"""Runs as jobs of a Ray cluster, by the address in `VIZ_RAY`: each runs the same command on the shared run folder.

Ray forgets its jobs with its head, so it is asked only for what the run folder cannot say: whether a
silent run still has a process. Three requests of Ray's documented REST API do it; the package `ray`
is needed on the machines of the cluster, and not here.
https://docs.ray.io/en/latest/cluster/running-applications/job-submission/rest.html
"""

import json
import os
import shlex
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from urllib.parse import SplitResult, quote, urlsplit

from viz_core.bounded_json import parse_json, read_text
from viz_core.jobs.processes import signal_name
from viz_core.jobs.request import belongs_to_run, read_request
from viz_core.jobs.state import LOG, End, Handle, Unavailable
from viz_core.records import Failure
from viz_core.variables import RAY, RAY_CPUS, RUN_ATTEMPT, RUN_HANDLE

_TIMEOUT = 5.0  # seconds to wait for the head
_PAUSE = 10.0  # seconds without requests after one that nobody answered: pages and the worker would wait each time
_FRESH = 2.0  # seconds for which an answer about a job counts
_STOP_WAIT = 30  # seconds between SIGTERM and SIGKILL, in which a training saves a checkpoint
_MOST_BYTES = 2**20  # of an answer
_MEMORY = 2_000_000_000  # bytes of a job of which nobody knows how much it takes
_MOST_KNOWN = 1000  # jobs whose answers are kept
_FIELDS = ("status", "driver_exit_code", "error_type", "message")
_ENDED = ("SUCCEEDED", "FAILED", "STOPPED")
_NOT_BEGUN = {  # Ray's names for why a job never had a process
    "RUNTIME_ENV_SETUP_FAILURE",
    "JOB_SUPERVISOR_ACTOR_START_TIMEOUT",
    "JOB_SUPERVISOR_ACTOR_START_FAILURE",
    "JOB_SUPERVISOR_ACTOR_UNSCHEDULABLE",
    "JOB_ENTRYPOINT_COMMAND_START_ERROR",
}
_OUTPUT = ("PYTHONUNBUFFERED", "PYTHONIOENCODING")


def cluster_address() -> SplitResult | None:
    """The address in `VIZ_RAY`; None if it is not set.

    Raises:
        Failure: If it is no address.
    """
    if not (text := os.environ.get(RAY, "").strip()):
        return None
    try:
        address = urlsplit(text)
        if address.scheme in ("http", "https") and address.hostname and address.port:
            return address
    except ValueError:  # a port that is no number
        pass
    raise Failure("jobs.bad_address", variable=RAY, value=text)


class RayExecutor:
    """An `Executor` for a Ray cluster, which has a queue of its own."""

    has_queue = True

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, dict | None]] = {}  # by job: when Ray was asked, and its answer
        self._stopped: dict[str, float] = {}  # by job: when Ray was asked to stop it
        self._silent_until, self._silence = 0.0, ""  # until when Ray is not asked again, and why

    def start(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], working_folder: str
    ) -> Handle:
        """Submit a run as a job named after it and its attempt.

        Ray refuses a second job of that name, so a run that is submitted again still has one process.

        Raises:
            Unavailable: If the head does not answer.
            Failure: If it refuses the job.
        """
        folder, request, attempt = folder.resolve(), read_request(folder), environment.get(RUN_ATTEMPT, "1")
        job = folder.name if attempt == "1" else f"{folder.name}-{attempt}"
        handle = {"executor": "ray", "job": job}
        # The image has the code; the working folder matters for a checkout, and for relative folders in the settings.
        words = ["python", *command, str(folder)]
        entrypoint = (
            f"cd {shlex.quote(working_folder)} 2>/dev/null; exec {shlex.join(words)}"
            f" >>{shlex.quote(str(folder / LOG))} 2>&1"
        )
        variables = {name: value for name, value in environment.items() if _is_passed_on(name)}
        cpus = _cpus()
        status, text = self._ask(
            "POST",
            body={
                "entrypoint": entrypoint,
                "submission_id": job,
                "entrypoint_num_cpus": cpus,
                "entrypoint_num_gpus": int(request.device.startswith("cuda")),
                "entrypoint_memory": request.memory or _MEMORY,
                "runtime_env": {
                    "env_vars": {
                        **variables,
                        RUN_HANDLE: json.dumps(handle),
                        "OMP_NUM_THREADS": str(cpus),  # on any computer as many, so that sums have the same order
                        "RAY_JOB_STOP_WAIT_TIME_S": str(_STOP_WAIT),
                    }
                },
            },
        )
        if status in (401, 403):
            raise Failure("jobs.refused_by_cluster", address=os.environ.get(RAY, ""))
        if status != 200 and "already exists" not in text:
            raise Unavailable(_last_line(text) or str(status))
        return handle

    def poll(self, handle: Handle, memory: int = 0) -> End | None:
        """How the job ended; None while it waits or runs, or if the head does not answer."""
        job = self._find(handle)
        if job is None or (job and job.get("status") not in _ENDED):
            return None
        code, message, kind = job.get("driver_exit_code"), str(job.get("message") or ""), job.get("error_type")
        if job.get("status") == "STOPPED":
            return End(signal="SIGKILL")  # a job that SIGTERM ends has recorded it
        if isinstance(code, int):
            return End(code) if code >= 0 else End(signal=signal_name(-code))
        if kind in _NOT_BEGUN:
            return End(reason=message.partition("\n")[0][:300] or str(kind))
        return End(out_of_memory="OUT_OF_MEMORY" in message, lost=True)  # Ray has forgotten it, or lost its computer

    def stop(self, handle: Handle) -> None:
        """Have the job sent SIGTERM, and half a minute later SIGKILL."""
        job, now = str(handle.get("job")), time.monotonic()
        if now - self._stopped.get(job, -_STOP_WAIT) < _STOP_WAIT:
            return
        with suppress(Unavailable, Failure):
            self._ask("POST", f"{quote(job, safe='')}/stop")
            self._stopped[job] = now

    def is_alive(self, handle: Handle) -> bool | None:
        """Whether the job waits or runs; None if the head does not answer."""
        job = self._find(handle)
        return None if job is None else job.get("status") in ("PENDING", "RUNNING")

    def _find(self, handle: Handle) -> dict | None:
        """What Ray knows of a job: an empty dict if it knows none, None if it does not answer."""
        id, now = str(handle.get("job")), time.monotonic()
        asked, job = self._known.get(id, (0.0, None))
        if id not in self._known or now - asked > _FRESH:
            job = None
            with suppress(Unavailable, Failure, ValueError):
                status, text = self._ask("GET", quote(id, safe=""))
                found = parse_json(text) if status == 200 else {}
                if status in (200, 404) and isinstance(found, dict):
                    job = {name: found[name] for name in _FIELDS if name in found}
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            self._known[id] = now, job
        return job

    def _ask(self, method: str, path: str = "", body: Mapping | None = None) -> tuple[int, str]:
        """Send a request to the head; returns status and text of its answer.

        Raises:
            Unavailable: If there is none, or there was none a moment ago.
            Failure: If `VIZ_RAY` is no address.
        """
        if (address := cluster_address()) is None:
            raise Unavailable(RAY)
        if time.monotonic() < self._silent_until:
            raise Unavailable(self._silence)
        kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
        connection = kind(str(address.hostname), address.port, timeout=_TIMEOUT)
        try:
            headers = {"Content-Type": "application/json", **_authorization()}
            connection.request(
                method, f"{address.path.rstrip('/')}/api/jobs/{path}", body and json.dumps(body), headers
            )
            response = connection.getresponse()
            return response.status, response.read(_MOST_BYTES).decode("utf-8", errors="replace")
        except (OSError, HTTPException, ValueError) as error:  # ValueError: a token with a line break
            self._silent_until, self._silence = time.monotonic() + _PAUSE, f"{address.netloc}: {error}"
            raise Unavailable(self._silence) from error
        finally:
            connection.close()


def _is_passed_on(variable: str) -> bool:
    """Whether a job gets this variable of the worker: ours do not depend on the machine; Ray assigns GPUs."""
    return variable in _OUTPUT or (variable.startswith("VIZ_") and belongs_to_run(variable))


def _cpus() -> int:
    """The cores of a run.

    Raises:
        Failure: If the setting is no number from 1.
    """
    text = os.environ.get(RAY_CPUS, "").strip() or "1"
    if not text.isdecimal() or int(text) < 1:
        raise Failure("jobs.bad_limit", variable=RAY_CPUS, value=text, usual="1")
    return int(text)


def _authorization() -> dict[str, str]:
    """The header with the token, from where Ray itself looks for it; none without a token."""
    token = os.environ.get("RAY_AUTH_TOKEN", "")
    if not token:
        file = os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token"
        with suppress(OSError, ValueError, RuntimeError):  # RuntimeError: nobody knows the home folder
            token = read_text(Path(file))
    return {"Authorization": f"Bearer {token.strip()}"} if token.strip() else {}


def _last_line(text: str) -> str:
    """The last line of an answer that says something: Ray answers with tracebacks."""
    return next((line for line in reversed(text.splitlines()) if line.strip(" .")), "")[:300]
