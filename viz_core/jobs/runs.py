"""Runs as files, for everything that submits and shows them: a page, the command line, a notebook.

A run folder is complete once its name appears. Reading runs writes nothing, but starts a worker if
none is running and there is something for it to do.
"""

import logging
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from viz_core.jobs.executors import chosen_executor
from viz_core.jobs.files import file_lock, is_disk_full
from viz_core.jobs.limits import Limits, check_free_space, check_queue_limit, read_limits
from viz_core.jobs.request import Request, belongs_to_run, is_command, read_request, write_request
from viz_core.jobs.run_folder import Run, folder, positions, queue, read_metrics, read_run, read_runs
from viz_core.jobs.state import LOCK, NEW, TRASH, Status, device_key, read_status, write_status
from viz_core.jobs.stop_requests import request_stop, withdraw_stop
from viz_core.jobs.worker_launch import ensure_worker
from viz_core.records import Failure, Message

_log = logging.getLogger(__name__)

__all__ = [
    "Request",
    "Run",
    "delete",
    "folder",
    "list_runs",
    "position",
    "read",
    "read_metrics",
    "resume",
    "stop",
    "submit",
    "submit_together",
]


def submit(request: Request, limits: Limits | None = None, fill: Callable[[Path], object] = lambda folder: None) -> Run:
    """Queue a run for its device (`cpu` by default) and return at once.

    Args:
        request: The request; submission time, limits, environment and working folder are filled in
            here.
        limits: By default those of the environment.
        fill: Writes further input files into the run folder before anybody can see it; if it
            raises, there is no run.

    Raises:
        Failure: If a limit is reached or the folder cannot be written.
        ValueError: For an invalid command.
    """
    return submit_together([request], limits, fill)[0]


def submit_together(
    requests: Sequence[Request], limits: Limits | None = None, fill: Callable[[Path], object] = lambda folder: None
) -> list[Run]:
    """Queue several runs of one owner, or none of them.

    Together they count as one of the runs that the owner may have queued.

    Args:
        requests: As for `submit`.
        limits: As for `submit`.
        fill: As for `submit`.

    Raises:
        Failure: As for `submit`.
        ValueError: As for `submit`.
    """
    for request in requests:
        if not is_command(request.command):
            raise ValueError(f"command is {request.command!r}: it must be a list of words")
    chosen_executor()  # raises a Failure if there is none, instead of the worker
    limits, root, folders = limits or read_limits(), folder(), []
    with _os_errors_as_failures(root):
        root.mkdir(parents=True, exist_ok=True)
        check_free_space(root, limits)
        with file_lock(root / LOCK):
            runs = read_runs(root)
            check_queue_limit(_count_queued(runs, requests[0].owner), limits)
            try:
                for turn, request in enumerate(requests, _next_turn(runs)):
                    folders.append(_write_queued(root, request, limits, fill, turn))
                for path in folders:
                    os.rename(path.with_name(NEW + path.name), path)
            except BaseException:
                for path in [*folders, *root.glob(NEW + "*")]:  # only the holder of the lock makes such folders
                    shutil.rmtree(path, ignore_errors=True)
                raise
    for path in folders:
        _log.info("Run %s is queued", path.name)
    return [read(path.name) for path in folders]


def _write_queued(root: Path, request: Request, limits: Limits, fill: Callable[[Path], object], turn: int) -> Path:
    """Write a run folder under the name of an unfinished one; returns the path that it shall have."""
    now, device = time.time_ns(), request.device or "cpu"
    id = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now // 10**9))}-{now // 1000 % 10**6:06d}-{secrets.token_hex(2)}"
    new = root / (NEW + id)
    new.mkdir()
    write_request(new, _with_environment(replace(request, device=device, submitted=now / 10**9), limits))
    fill(new)
    write_status(new, Status("queued", device=device, queue=device_key(device), turn=turn))
    return root / id


def read(id: str) -> Run:
    """Read the run with this id; a damaged run is a failed run that names the damage.

    Raises:
        Failure: If there is none.
    """
    run = read_run(_path(id))
    if run is None:
        raise Failure("jobs.unknown", run=id)
    _start_worker([run])
    return _waiting(run, position(id)) if run.status.state == "queued" else run


def list_runs() -> list[Run]:
    """All runs, newest first; a damaged run is a failed run that names the damage."""
    runs = read_runs(folder())
    _start_worker(runs)
    by_id = positions(runs)
    runs = [_waiting(run, by_id[run.id]) if run.status.state == "queued" else run for run in runs]
    return sorted(runs, key=lambda run: run.id, reverse=True)


def _waiting(run: Run, position: int) -> Run:
    """A queued run with its position, and the reason if the disk has no room for it: so full, nobody can write that."""
    try:
        check_free_space(folder(), run.request.limits)
    except Failure as failure:
        return replace(run, position=position, status=replace(run.status, message=failure.message))
    return replace(run, position=position)


def position(id: str) -> int:
    """The position of a run in the queue of its device, from 1; 0 if it is not queued."""
    return positions(read_runs(folder())).get(id, 0)


def stop(id: str) -> Run:
    """Stop a queued run at once, or ask a running one to stop; does nothing if it is over.

    Raises:
        Failure: If there is no such run, or its files cannot be written.
    """
    with _locked_run(id) as run:
        if run.status.state == "queued":
            write_status(run.path, replace(read_status(run.path), state="stopped", message=None, ended=time.time()))
        elif run.is_live:
            request_stop(run.path)
    _log.info("Run %s is asked to stop", id)
    return read(id)


def resume(id: str, limits: Limits | None = None) -> Run:
    """Put a failed or stopped run back at the end of the queue; its folder is unchanged.

    Raises:
        Failure: If it is neither failed nor stopped, if its request cannot be read, or if a limit
            is reached.
    """
    chosen_executor()
    limits = limits or read_limits()
    with _locked_run(id) as run:
        if run.status.state not in ("failed", "stopped"):
            raise Failure("jobs.cannot_resume", name=run.name, state=Message(f"jobs.state_{run.status.state}"))
        request, runs, before = read_request(run.path), read_runs(folder()), run.status
        device = request.device or before.device
        check_free_space(folder(), limits)
        check_queue_limit(_count_queued(runs, request.owner), limits)
        withdraw_stop(run.path)
        write_request(run.path, _with_environment(request, limits))
        write_status(
            run.path,
            Status(
                "queued",
                step=before.step,
                total=before.total,
                best=before.best,
                last=before.last,
                device=device,
                queue=device_key(device),
                turn=_next_turn(runs),
                attempt=before.attempt + 1,
            ),
        )
    _log.info("Run %s is queued again", id)
    return read(id)


def delete(id: str) -> None:
    """Remove a run and its folder.

    Raises:
        Failure: If it still runs or its files are in use.
    """
    with _locked_run(id) as run:
        if run.is_live:
            raise Failure("jobs.still_running", name=run.name)
        trash = run.path.with_name(TRASH + run.id)
        os.rename(run.path, trash)  # removes it for all readers at once
    shutil.rmtree(trash, ignore_errors=True)
    _log.info("Run %s is deleted", id)


def _path(id: str) -> Path:
    """The folder of a run.

    Raises:
        Failure: If the id is not a plain name: links may contain anything.
    """
    if not id or id.startswith(".") or Path(id).name != id:
        raise Failure("jobs.unknown", run=id)
    return folder() / id


@contextmanager
def _locked_run(id: str) -> Iterator[Run]:
    """The run, locked so that nobody else can change any run."""
    path = _path(id)
    if not path.is_dir():
        raise Failure("jobs.unknown", run=id)
    with _os_errors_as_failures(path), file_lock(path.parent / LOCK):
        run = read_run(path)
        if run is None:
            raise Failure("jobs.unknown", run=id)
        yield run


@contextmanager
def _os_errors_as_failures(path: Path) -> Iterator[None]:
    """Turn an OSError while writing into a Failure."""
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise Failure("jobs.disk_full", folder=str(path)) from error
        raise Failure("jobs.not_written", folder=str(path), reason=error.strerror) from error


def _with_environment(request: Request, limits: Limits) -> Request:
    """The request with the limits, environment variables and working folder of this process.

    The worker may have been started from a process with others.
    """
    variables = {name: value for name, value in os.environ.items() if belongs_to_run(name)}
    return replace(request, limits=limits, environment=variables, working_folder=os.getcwd())


def _count_queued(runs: Iterable[Run], owner: str) -> int:
    return sum(run.request.owner == owner for run in queue(runs))


def _next_turn(runs: Iterable[Run]) -> int:
    return max((run.status.turn for run in runs), default=0) + 1


def _start_worker(runs: Iterable[Run]) -> None:
    """Start a worker for runs that wait, run, or ended without recording it.

    If that fails, it is tried again when runs are next read.
    """
    with suppress(OSError):
        if any(not run.is_over or run.end for run in runs):
            ensure_worker(folder())
