"""What a run shall do: `request.json`, written when the run is submitted and again when it is resumed."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TypeGuard

from viz_core.files import replace_file
from viz_core.jobs.files import read_object, to_json, unreadable_file
from viz_core.jobs.limits import Limits, limits_from_json
from viz_core.jobs.state import LATEST
from viz_core.variables import TEACHER_KEY

REQUEST = "request.json"

MAIN = ("-m", "viz_core.jobs.main")  # carries out the jobs of these kinds
JOBS = {
    "train": "viz_core.training.run:train_run",
    "evidence": "viz_core.evidence.job:compute_run",
    "rows": "viz_core.batch_prediction.job:predict_run",
}


@dataclass(frozen=True)
class Request:
    """An empty request stands for an unreadable one.

    kind: a key of JOBS, or anything with a command of its own. command: the interpreter's arguments; the run folder is
    appended. device: the name of a device, not
    "auto". owner: `owner_hash`. submitted: seconds since 1970. settings: whatever the job needs. experiment: the
    same for runs that belong together. limits, environment, working_folder: the limits, our environment variables and
    the working folder when the run was submitted or last resumed. unknown: entries of the file that are none of these.
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
    unknown: Mapping = field(default_factory=dict)


_FIELDS = tuple(field.name for field in fields(Request) if field.name != "unknown")
_TEXT_FIELDS = ("kind", "name", "device", "owner", "experiment", "working_folder")


def owner_hash(identity: str) -> str:
    """The owner that this identity is, the cookie of a browser or a login; a hash, so that whoever reads a run folder
    cannot pose as its owner."""
    return hashlib.sha256(f"owner of runs: {identity}".encode("utf-8", "surrogatepass")).hexdigest()


def read_request(path: Path) -> Request:
    """The request of a run folder; an entry of the wrong type counts as missing.

    Raises Failure, naming the file, if it is missing, damaged or without a command.
    """
    entries = read_object(path / REQUEST)
    command = entries.get("command", ())
    if not is_command(command):
        raise unreadable_file(path / REQUEST, "command?")
    values = {name: entries[name] for name in _TEXT_FIELDS if isinstance(entries.get(name), str)}
    if isinstance(submitted := entries.get("submitted"), (int, float)) and 0 <= submitted <= LATEST:
        values["submitted"] = submitted
    settings, environment = (
        value if isinstance(value := entries.get(name), dict) else {} for name in ("settings", "environment")
    )
    return Request(
        **values,
        command=MAIN if values.get("kind") in JOBS else tuple(command),  # earlier versions named a module each
        settings=settings,
        limits=limits_from_json(entries.get("limits")),
        environment={name: value for name, value in environment.items() if isinstance(value, str)},
        unknown={name: value for name, value in entries.items() if name not in _FIELDS},
    )


def write_request(path: Path, request: Request) -> None:
    """Replaces the request of a run folder. Raises OSError, which leaves the previous request in place."""
    values = {name: value for name in _FIELDS if (value := getattr(request, name)) is not None}
    replace_file(path / REQUEST, to_json({**request.unknown, **values, "limits": asdict(request.limits)}) + "\n")


def belongs_to_run(variable: str) -> bool:
    """Whether a run takes this environment variable from whoever submitted it, rather than from the worker: this
    project's own but for its secret, which no folder may tell, and the choice of GPUs."""
    if variable == TEACHER_KEY:
        return False
    return variable.startswith("VIZ_") or variable in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")


def is_command(command: object) -> TypeGuard[Sequence[str]]:
    """Whether this is a list of at least one word."""
    return isinstance(command, (list, tuple)) and bool(command) and all(isinstance(word, str) for word in command)
