"""What a run was asked for: `request.json`, written when the run is submitted, and again when it is resumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from viz_core.jobs.files import read_object, replace_file, to_json, unreadable
from viz_core.jobs.limits import Limits, limits_from

REQUEST = "request.json"

# Modules and kinds by the names that they had when a request was written: an old run goes on with today's.
_FORMER_COMMANDS = {
    "viz_core.passes.run": "viz_core.evidence.job",
    "viz_core.passes.rows": "viz_core.batch_prediction.job",
}
_FORMER_KINDS = {"pass": "evidence"}


@dataclass(frozen=True)
class Request:
    """An empty one stands for a request that cannot be read.

    command: what follows the interpreter; the run folder is added as last argument. device: a device's name, not a wish
    such as "auto". submitted: seconds since 1970. settings: whatever the job wants to know. experiment: the same for runs
    that belong together. limits, environment, working_folder: the limits, the values of our variables and the folder that
    were current when the run was submitted or last resumed. unknown: entries of the file that are none of these.
    """

    kind: str | None = None
    name: str = ""
    command: Sequence[str] = ()
    device: str = ""
    owner: str = ""
    submitted: float | None = None
    settings: Mapping = field(default_factory=dict)
    experiment: str | None = None
    limits: Limits = Limits()
    environment: Mapping[str, str] = field(default_factory=dict)
    working_folder: str | None = None
    unknown: Mapping = field(default_factory=dict)


_KNOWN = tuple(field.name for field in fields(Request) if field.name != "unknown")
_TEXTS = ("kind", "name", "device", "owner", "experiment", "working_folder")


def read_request(path: Path) -> Request:
    """The request of a run folder; an entry of the wrong type counts as missing.

    Raises Failure, naming the file, where it is missing, damaged or has no command.
    """
    entries = read_object(path / REQUEST)
    if not is_command(command := entries.get("command")):
        raise unreadable(path / REQUEST, "command?")
    known = {name: entries[name] for name in _TEXTS if isinstance(entries.get(name), str)}
    if isinstance(submitted := entries.get("submitted"), (int, float)):
        known["submitted"] = submitted
    settings, environment = (
        value if isinstance(value := entries.get(name), dict) else {} for name in ("settings", "environment")
    )
    if "kind" in known:
        known["kind"] = _FORMER_KINDS.get(known["kind"], known["kind"])
    return Request(
        **known,
        command=tuple(_FORMER_COMMANDS.get(word, word) for word in command),
        settings=settings,
        limits=limits_from(entries.get("limits")),
        environment={name: value for name, value in environment.items() if isinstance(value, str)},
        unknown={name: value for name, value in entries.items() if name not in _KNOWN},
    )


def write_request(path: Path, request: Request) -> None:
    """Replaces the request of a run folder. Raises OSError, which leaves the request that was there."""
    known = {name: value for name in _KNOWN if (value := getattr(request, name)) is not None}
    replace_file(path / REQUEST, to_json({**request.unknown, **known, "limits": asdict(request.limits)}) + "\n")


def is_command(command: object) -> bool:
    """Whether this is a list of words, at least one."""
    return isinstance(command, (list, tuple)) and bool(command) and all(isinstance(word, str) for word in command)
