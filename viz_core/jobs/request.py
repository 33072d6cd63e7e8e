"""What a run shall do: `request.json`, written when a run is submitted and when it is resumed."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TypeGuard

from viz_core.files import replace_file
from viz_core.jobs.files import read_object, to_json, unreadable_file
from viz_core.jobs.limits import Limits, limits_from_json
from viz_core.jobs.state import LARGEST, LATEST
from viz_core.names import shown_name
from viz_core.variables import RUN_HANDLE, TEACHER_KEY

REQUEST = "request.json"

MAIN = ("-m", "viz_core.jobs.main")  # carries out the jobs of these kinds
JOBS = {
    "train": "viz_core.training.run:train_run",
    "evidence": "viz_core.evidence.job:compute_run",
    "rows": "viz_core.batch_prediction.job:predict_run",
}


@dataclass(frozen=True)
class Request:
    """What a run shall do. An empty request stands for an unreadable one.

    Attributes:
        kind: A key of JOBS, or any other name for a run with a command of its own.
        name: Name of the run.
        command: The interpreter's arguments; the run folder is appended.
        device: The name of a device, not "auto".
        owner: Who submitted the run, as an `owner_hash`.
        submitted: Seconds since 1970.
        settings: Whatever the job needs.
        experiment: The same for runs that belong together.
        limits: The limits when the run was submitted or last resumed.
        environment: Our environment variables at that time.
        working_folder: The working folder at that time.
        memory: Bytes that the process is expected to take.
        unknown: Entries of the file that are none of these.
    """

    kind: str | None = None
    name: str = ""
    command: Sequence[str] = MAIN
    device: str = ""
    owner: str = ""
    submitted: float | None = None
    settings: Mapping = field(default_factory=dict)
    experiment: str | None = None
    limits: Limits = Limits()
    environment: Mapping[str, str] = field(default_factory=dict)
    working_folder: str | None = None
    memory: int | None = None
    unknown: Mapping = field(default_factory=dict)


_FIELDS = tuple(field.name for field in fields(Request) if field.name != "unknown")
_TEXT_FIELDS = ("kind", "name", "device", "owner", "experiment", "working_folder")


def owner_hash(identity: str) -> str:
    """The owner with this identity, which is the cookie of a browser or a login.

    A hash, so that nobody who reads a run folder can pose as its owner.
    """
    return hashlib.sha256(f"owner of runs: {identity}".encode("utf-8", "surrogatepass")).hexdigest()


def read_request(path: Path) -> Request:
    """Read the request of a run folder; an entry of the wrong type counts as missing.

    Raises:
        Failure: If it is missing, damaged or without a command, naming the file.
    """
    entries = read_object(path / REQUEST)
    command = entries.get("command", ())
    if not is_command(command):
        raise unreadable_file(path / REQUEST, "command?")
    values = {name: entries[name] for name in _TEXT_FIELDS if isinstance(entries.get(name), str)}
    values["name"] = shown_name(values.get("name", ""))
    if isinstance(submitted := entries.get("submitted"), (int, float)) and 0 <= submitted <= LATEST:
        values["submitted"] = submitted
    if isinstance(memory := entries.get("memory"), int) and 0 < memory <= LARGEST:
        values["memory"] = memory
    settings, environment = (
        value if isinstance(value := entries.get(name), dict) else {} for name in ("settings", "environment")
    )
    return Request(
        **values,
        command=MAIN if values.get("kind") in JOBS else tuple(command),  # earlier versions had a module per kind
        settings=settings,
        limits=limits_from_json(entries.get("limits")),
        environment={name: value for name, value in environment.items() if isinstance(value, str)},
        unknown={name: value for name, value in entries.items() if name not in _FIELDS},
    )


def write_request(path: Path, request: Request) -> None:
    """Replace the request of a run folder.

    Raises:
        OSError: If it cannot be written; the previous request then stays in place.
    """
    values = {name: value for name in _FIELDS if (value := getattr(request, name)) is not None}
    replace_file(path / REQUEST, to_json({**request.unknown, **values, "limits": asdict(request.limits)}) + "\n")


def belongs_to_run(variable: str) -> bool:
    """Whether a run takes this environment variable from its submitter rather than from the worker.

    These are this project's own variables, except its secret, which no folder may tell, and the
    handle of a process, and the choice of GPUs.
    """
    if variable in (TEACHER_KEY, RUN_HANDLE):
        return False
    return variable.startswith("VIZ_") or variable in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")


def is_command(command: object) -> TypeGuard[Sequence[str]]:
    """Whether this is a list of at least one word."""
    return isinstance(command, (list, tuple)) and bool(command) and all(isinstance(word, str) for word in command)
