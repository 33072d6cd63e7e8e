"""What the queue promises, whatever happens in whatever order (`QueueMachine`)."""

import errno
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.jobs.fake_processes import FakeExecutor, FakeProcess, WorkerKilled
from viz_core import files
from viz_core.jobs import runs
from viz_core.jobs.limits import Limits
from viz_core.jobs.run_folder import queue
from viz_core.jobs.runs import Request
from viz_core.jobs.state import LIVE, Status, read_status
from viz_core.jobs.worker import Worker
from viz_core.records import Failure

LIMITS = Limits(least_free_bytes=0, most_queued_per_owner=4, stop_seconds=3)
DEVICES, OWNERS = st.sampled_from(["cpu", "cuda:0"]), st.sampled_from(["anna", "ben"])
NUMBERS = st.integers(0, 5)  # which of the runs, or of the processes, modulo how many there are


def some(name: str):
    """A rule that needs runs, or processes that are alive."""
    return precondition(lambda machine: bool(getattr(machine, name)()))


class QueueMachine(RuleBasedStateMachine):
    """Submits, stops, resumes, deletes and kills, in any order, with a full disk now and then. It promises:

    1. What is finished stays finished, with its figures, until somebody deletes it.
    2. On a device one run at a time is live.
    3. Runs of a device start in the order in which they were queued.
    4. No attempt of a run is started twice.
    5. A deleted run never comes back, even if its process goes on writing.
    6. A run that was asked to stop is over after `stop_seconds`, whatever its process does.
    7. Every run comes to an end once its process does, and the next one starts, with whichever worker is there.
    8. Whatever is refused is a Failure, and changes nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self.monkeypatch = pytest.MonkeyPatch()
        self.root = Path(tempfile.mkdtemp())
        self.monkeypatch.setenv("VIZ_RUNS_DIR", str(self.root))
        self.monkeypatch.setattr(os, "fsync", lambda file: None)  # no power is cut here
        self.system = FakeExecutor(self.monkeypatch)
        self.worker = Worker(self.root)
        self.finished: dict[str, Status] = {}
        self.deleted: set[str] = set()
        self.written: set[str] = set()  # runs of which a process has written how they ended

    def teardown(self) -> None:
        try:
            self.check_that_everything_ends()
        finally:
            self.monkeypatch.undo()
            shutil.rmtree(self.root)

    # What people do

    @initialize(devices=st.lists(DEVICES, min_size=2, max_size=4))
    def submit_some(self, devices: list[str]) -> None:
        for device in devices:
            self.submit(device, "anna")
        self.poll(0.2)

    @rule(device=DEVICES, owner=OWNERS)
    def submit(self, device: str, owner: str) -> None:
        try:
            runs.submit(Request("test", "run", ["-c", ""], device, owner), LIMITS)
        except Failure as failure:
            assert failure.message.key == "jobs.too_many"

    @some("ids")
    @rule(number=NUMBERS)
    def stop(self, number: int) -> None:
        id = self.id(number)
        with self.refusal_of(id):
            runs.stop(id)

    @some("ids")
    @rule(number=NUMBERS)
    def resume(self, number: int) -> None:
        over = [run.id for run in runs.list_runs() if run.is_over]
        id = over[number % len(over)] if over else self.id(number)
        with self.refusal_of(id, "jobs.cannot_resume", "jobs.too_many"):
            runs.resume(id, LIMITS)
            assert id not in self.finished

    @some("ids")
    @rule(number=NUMBERS)
    def delete(self, number: int) -> None:
        id, live = self.id(number), self.live_processes()
        with self.refusal_of(id, "jobs.still_running"):
            runs.delete(id)
            assert not [process for process in live if process.path.name == id and id not in self.written]
            self.deleted.add(id)

    @rule()
    def look_at_the_page(self) -> None:
        runs.list_runs()

    # What the worker does, and what happens to it

    @rule(seconds=st.sampled_from([0.2, 2.0, 3600.0]))
    def poll(self, seconds: float) -> None:
        self.system.now += seconds
        before = {run.id: run for run in runs.list_runs()}
        started = len(self.system.processes)
        self.worker.poll()
        for process in self.system.processes[started:]:
            device = before[process.path.name].status.queue
            waiting = queue(run for run in before.values() if run.status.queue == device)
            assert waiting[0].id == process.path.name, "not the first of its queue"

    @rule()
    def kill_the_worker(self) -> None:
        self.worker = Worker(self.root)

    @rule()
    def kill_the_worker_while_it_starts_a_run(self) -> None:
        self.system.kill_worker_at_next_start = True
        with suppress(WorkerKilled):
            self.worker.poll()
        self.system.kill_worker_at_next_start = False
        self.worker = Worker(self.root)

    @rule(write=st.integers(0, 2))
    def poll_on_a_full_disk(self, write: int) -> None:
        with self.disk_full_after(write):
            self.worker.poll()
        for process in self.live_processes():  # what was started writes its handle as soon as there is room
            self.job_writes(process)

    @some("ids")
    @rule(number=NUMBERS, write=st.integers(0, 2), name=st.sampled_from(["stop", "resume"]))
    def act_on_a_full_disk(self, number: int, write: int, name: str) -> None:
        id = self.id(number)
        with self.disk_full_after(write), suppress(Failure):
            runs.stop(id) if name == "stop" else runs.resume(id, LIMITS)

    # What processes do

    @some("live_processes")
    @rule(number=NUMBERS, end=st.sampled_from(["finished", "failed", "stopped"]), hangs=st.booleans())
    def job_ends(self, number: int, end: str, hangs: bool) -> None:
        process = self.process(number)
        self.job_writes(process, state=end, best={"accuracy": 0.5})
        if not hangs:
            process.code = 0

    @some("live_processes")
    @rule(number=NUMBERS)
    def job_makes_progress(self, number: int) -> None:
        self.job_writes(self.process(number), step=5, best={"accuracy": 0.4})

    @some("live_processes")
    @rule(number=NUMBERS, code=st.sampled_from([-9, -11, 0, 1]))
    def job_dies(self, number: int, code: int) -> None:
        self.process(number).code = code

    # The promises

    @invariant()
    def what_is_finished_stays(self) -> None:
        for id, status in self.finished.items():
            assert id in self.deleted or self.status(id) == status

    @invariant()
    def one_run_at_a_time(self) -> None:
        live = [run.status.queue for run in runs.list_runs() if run.is_live]
        assert len(live) == len(set(live))

    @invariant()
    def no_attempt_is_started_twice(self) -> None:
        attempts = [(process.path, process.attempt) for process in self.system.processes]
        assert len(attempts) == len(set(attempts))

    @invariant()
    def deleted_runs_stay_away(self) -> None:
        assert not self.deleted & set(self.ids())
        assert not any((self.root / id).exists() for id in self.deleted)

    def check_that_everything_ends(self) -> None:
        """Promises 6 and 7: asked to stop, a job that ignores it is killed; then every queued run starts and ends."""
        for run in runs.list_runs():
            if run.is_live:
                runs.stop(run.id)
        self.poll_for(LIMITS.stop_seconds + 2)
        assert not any(run.is_live and run.status.state == "stopping" for run in runs.list_runs())
        for _ in range(2 * len(runs.list_runs()) + 1):
            for process in self.system.processes:
                if process.alive:
                    process.code = 1
            self.worker.poll()
        assert all(run.is_over for run in runs.list_runs()), runs.list_runs()

    def poll_for(self, seconds: float) -> None:
        for _ in range(round(seconds) + 1):
            self.system.now += 1
            self.worker.poll()

    # Helpers

    def ids(self) -> list[str]:
        return sorted(run.id for run in runs.list_runs())

    def id(self, number: int) -> str:
        return self.ids()[number % len(self.ids())]

    def status(self, id: str) -> Status | None:
        with suppress(Failure):
            return read_status(self.root / id)

    def live_processes(self) -> list[FakeProcess]:
        return [process for process in self.system.processes if process.alive]

    def process(self, number: int) -> FakeProcess:
        return self.live_processes()[number % len(self.live_processes())]

    def job_writes(self, process: FakeProcess, **changes: object) -> None:
        """Its Reporter writes, unless the run is gone, over, or of another attempt."""
        with suppress(Failure, OSError):
            if read_status(process.path).state in LIVE and process.write(**changes):
                if "state" in changes:
                    self.written.add(process.path.name)
                if changes.get("state") == "finished":
                    self.finished[process.path.name] = read_status(process.path)

    @contextmanager
    def refusal_of(self, id: str, *keys: str):
        """The block succeeds, or is refused for one of these reasons without a change."""
        before = self.status(id)
        try:
            yield
        except Failure as failure:
            assert failure.message.key in ("jobs.unknown", *keys)
            after = self.status(id)
            # Reading a run also records the end of a process that is gone.
            assert after == before or before.state in LIVE

    @contextmanager
    def disk_full_after(self, writes: int):
        """From then on nothing can be written, until the block ends."""
        count, write = 0, files.replace_file

        def replace_file(path: Path, text: str) -> None:
            nonlocal count
            count += 1
            if count > writes:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            write(path, text)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("viz_core.jobs.state.replace_file", replace_file)
            patched.setattr("viz_core.jobs.request.replace_file", replace_file)
            yield


def check_promises(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        QueueMachine,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


def test_any_interleaving_keeps_the_promises():
    check_promises(20, 30)


@pytest.mark.slow
def test_many_interleavings_keep_the_promises():
    check_promises(600, 50)
