"""The command `doctor`: whether this machine has everything that the app needs, and what to do if not."""

import argparse
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from viz_core import checkpoints
from viz_core.commands.output import Report
from viz_core.folders import SHIPPED
from viz_core.jobs import runs
from viz_core.jobs.limits import read_limits
from viz_core.language import Translator
from viz_core.log import describe_error
from viz_core.records import Failure, Message
from viz_core.tasks import all_tasks
from viz_core.training import door
from viz_core.variables import CHECKPOINTS_DIR, RUNS_DIR

OK, WARNING, PROBLEM = "ok", "warning", "problem"
REQUIREMENTS = SHIPPED / "requirements.txt"
LEAST_PYTHON = (3, 11)
PORT = 8501  # Streamlit's
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MB = 1_000_000


@dataclass(frozen=True)
class Finding:
    """What a check found.

    Attributes:
        state: OK; WARNING, if something is worse without it; PROBLEM, if something does not work.
        message: The finding, as a sentence.
    """

    state: str
    message: Message


Findings = Iterator[Finding]


def doctor(args: argparse.Namespace, say: Translator) -> Report:
    """Checks versions, device, data, models, disk, fonts, browser and port; says what to do; fails only for problems."""  # noqa: E501
    entries, lines = [], []
    for name, check in CHECKS.items():
        for finding in _run(check, args):
            sentence = say(finding.message)
            entries.append({"check": name, "state": finding.state, "sentence": sentence})
            lines.append(f"{say(f'doctor.state_{finding.state}')}\t{sentence}")
    states = [entry["state"] for entry in entries]
    counts = {"ok": states.count(OK), "warnings": states.count(WARNING), "problems": states.count(PROBLEM)}
    return Report(entries, "\n".join([*lines, say("doctor.summary", **counts)]), failed=PROBLEM in states)


def _run(check: Callable[[argparse.Namespace], Findings], args: argparse.Namespace) -> list[Finding]:
    """Run a check; an error of the check itself counts as a problem, and the next check goes on."""
    findings: list[Finding] = []
    try:
        findings.extend(check(args))
    except Failure as failure:
        findings.append(Finding(PROBLEM, failure.message))
    except Exception as error:
        findings.append(_finding(PROBLEM, "check_failed", reason=describe_error(error).splitlines()[-1]))
    return findings


def _finding(state: str, key: str, **values: object) -> Finding:
    return Finding(state, Message(f"doctor.{key}", values))


def _python(args: argparse.Namespace) -> Findings:
    version, least = (".".join(map(str, numbers)) for numbers in (sys.version_info[:3], LEAST_PYTHON))
    old = sys.version_info[:2] < LEAST_PYTHON
    yield (
        _finding(PROBLEM, "python_old", version=version, least=least)
        if old
        else _finding(OK, "python", version=version)
    )


def _packages(args: argparse.Namespace) -> Findings:
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)", REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE))
    intact = 0
    for package, pinned in pins.items():
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            yield _finding(PROBLEM, "package_missing", package=package)
            continue
        if version.partition("+")[0] == pinned:  # torch 2.13.0+cpu
            intact += 1
        else:
            yield _finding(WARNING, "package_other", package=package, version=version, pinned=pinned)
    if intact == len(pins):
        yield _finding(OK, "packages", count=intact)


def _devices(args: argparse.Namespace) -> Findings:
    for device in door.devices():
        if device.problem:
            yield _finding(WARNING, "device_bad", device=device.name, reason=device.problem)
        else:
            yield _finding(OK, "device", device=device.name)


def _data(args: argparse.Namespace) -> Findings:
    for name, task in all_tasks().items():
        if (corpus := task.corpus) is None:
            continue
        path = corpus.find()
        if path is None:
            yield _finding(WARNING, "data_missing", corpus=name)
        elif not args.verify:
            yield _finding(OK, "data", corpus=name, path=str(path))
        elif problems := corpus.verify():
            yield from (Finding(PROBLEM, problem) for problem in problems)
        else:
            yield _finding(OK, "data_verified", corpus=name, path=str(path))


def _models(args: argparse.Namespace) -> Findings:
    infos, failures = checkpoints.list_checkpoints()
    yield from (Finding(PROBLEM, failure.message) for failure in failures)
    for info in infos:
        try:
            checkpoints.load(info.task, info.name)
        except Failure as failure:
            yield Finding(PROBLEM, failure.message)
        else:
            yield _finding(OK, "model", model=f"{info.task}/{info.name}")
    if not infos:
        yield _finding(PROBLEM, "no_models", folder=str(checkpoints.folder()))


def _disk(args: argparse.Namespace) -> Findings:
    least = read_limits().least_free_bytes
    folder = next(path for path in (runs.folder().absolute(), *runs.folder().absolute().parents) if path.is_dir())
    free = shutil.disk_usage(folder).free
    if free < least:
        yield _finding(PROBLEM, "disk_full", folder=str(folder), free=free // _MB, least=least // _MB)
    else:
        yield _finding(OK, "disk", folder=str(folder), free=free // _MB)
    for path, state, what, variable in (
        (folder, PROBLEM, "runs", RUNS_DIR),
        (checkpoints.folder(), WARNING, "models", CHECKPOINTS_DIR),
    ):
        if path.is_dir() and (reason := _why_not_writable(path)):
            values = {"folder": str(path), "reason": reason, "variable": variable}
            yield _finding(state, "folder_read_only", what=Message(f"doctor.what_{what}"), **values)


def _why_not_writable(folder: Path) -> str:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _fonts(args: argparse.Namespace) -> Findings:
    program = shutil.which("fc-list")
    if program is None:
        yield _finding(OK, "fonts_unknown")
        return
    listed = subprocess.run([program, ":lang=zh", "family"], capture_output=True, text=True, timeout=60, check=False)
    families = sorted(listed.stdout.splitlines())
    if families:
        yield _finding(OK, "fonts", font=families[0].partition(",")[0])
    else:
        yield _finding(WARNING, "fonts_missing")


def _browser(args: argparse.Namespace) -> Findings:
    path = next(filter(None, map(shutil.which, [*BROWSERS, os.environ.get("BROWSER_PATH", "")])), None)
    yield _finding(OK, "browser", path=path) if path else _finding(WARNING, "browser_missing")


def _port(args: argparse.Namespace) -> Findings:
    with socket.socket() as server:
        if sys.platform != "win32":
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
        try:
            server.bind(("localhost", args.port))
            yield _finding(OK, "port", port=args.port)
        except OSError:
            yield _finding(WARNING, "port_taken", port=args.port, other=args.port + 1)


CHECKS: dict[str, Callable[[argparse.Namespace], Findings]] = {
    "python": _python,
    "packages": _packages,
    "device": _devices,
    "data": _data,
    "models": _models,
    "disk": _disk,
    "fonts": _fonts,
    "browser": _browser,
    "port": _port,
}
