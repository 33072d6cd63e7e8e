"""Why a run ended, as a message."""

import errno
import shutil
import time
from dataclasses import replace

import pytest

from tests.jobs.programs import sentence
from viz_core.jobs import processes
from viz_core.jobs.end_reasons import error_message, final_state, record_end
from viz_core.jobs.limits import Limits
from viz_core.jobs.state import LOG, SEPARATOR, STALE, End, Status, write_status
from viz_core.jobs.stop_requests import KILLED, OVERTIME, request_stop
from viz_core.records import Failure, Message

KILL, SEGV, UNKNOWN = End(signal="SIGKILL"), End(signal="SIGSEGV"), End()
RUNNING = Status("running", started=time.time(), heartbeat=time.time())


def failure_key(path, end: End | int, log="") -> str:
    """The key of the message with which a run fails."""
    (path / LOG).write_text(log, encoding="utf-8")
    state, message = final_state(path, Status("running"), Limits(), end if isinstance(end, End) else End(end))
    assert state == "failed" and sentence(message)
    return message.key


@pytest.mark.parametrize(
    "error, key",
    [
        (Failure("tasks.unknown", name="x", known=["imdb"]), "tasks.unknown"),
        (MemoryError(), "jobs.out_of_memory"),
        (RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"), "jobs.out_of_memory"),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate`"), "jobs.out_of_memory"),
        (RuntimeError("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"), "jobs.out_of_memory"),
        (RuntimeError("NCCL error: Cuda failure 2 'out of memory'"), "jobs.out_of_memory"),
        (RuntimeError("MPS backend out of memory (MPS allocated: 9.00 GB)"), "jobs.out_of_memory"),
        (
            RuntimeError("[enforce fail at alloc_cpu.cpp:75] DefaultCPUAllocator: can't allocate memory"),
            "jobs.out_of_memory",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "jobs.disk_full"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "jobs.disk_full"),
        (RuntimeError("PytorchStreamWriter failed: No space left on device"), "jobs.disk_full"),
        (ValueError("five is no even number"), "jobs.error"),
    ],
)
def test_message_of_an_error(tmp_path, error, key):
    message = error_message(error, tmp_path)
    assert message.key == key and sentence(message)
    if key == "jobs.error":
        assert "ValueError: five is no even number" in sentence(message) and LOG in sentence(message)


@pytest.mark.parametrize(
    "code, log, key",
    [
        (0, "", "jobs.no_result"),
        (1, "Traceback\nMemoryError\n", "jobs.out_of_memory"),
        (1, "OSError: [Errno 28] No space left on device: 'x'\n", "jobs.disk_full"),
        (2, "usage: x\nerror: no such option: --layers\n", "jobs.crashed"),
        (3221225477, "", "jobs.crashed"),
        (SEGV, "", "jobs.signal"),
        (
            End(signal="SIGABRT"),
            "terminate called after throwing an instance of 'std::bad_alloc'\n",
            "jobs.out_of_memory",
        ),
        (KILL, "", "jobs.killed"),
        (KILL, "it said: out of memory, so the batch is halved\n", "jobs.killed"),
        (UNKNOWN, "", "jobs.killed"),
        (End(lost=True), "", "jobs.lost"),
        (UNKNOWN, "torch.OutOfMemoryError: CUDA out of memory.\n", "jobs.out_of_memory"),
    ],
)
def test_message_of_an_exit_code_and_a_log(tmp_path, code, log, key):
    assert failure_key(tmp_path, code, log) == key


def test_last_line_and_signal_are_named(tmp_path):
    (tmp_path / LOG).write_text("usage: x\nerror: no such option: --layers\n")
    values = final_state(tmp_path, Status("running"), Limits(), End(2))[1].values
    assert (values["code"], values["last"]) == (2, "error: no such option: --layers")
    assert final_state(tmp_path, Status("running"), Limits(), SEGV)[1].values["signal"] == "SIGSEGV"


def test_log_of_an_earlier_attempt_is_ignored(tmp_path):
    log = f"{SEPARATOR} 1, today\nMemoryError\n{SEPARATOR} 2, today\n"
    assert failure_key(tmp_path, 1, log) == "jobs.crashed"
    assert failure_key(tmp_path, 1, log + "x" * 20_000 + "\nMemoryError\n") == "jobs.out_of_memory"
    (tmp_path / LOG).unlink()
    assert final_state(tmp_path, Status("running"), Limits(), End(1))[1].key == "jobs.crashed"


def test_lack_of_memory_explains_a_killed_process(tmp_path):
    assert failure_key(tmp_path, End(signal="SIGKILL", out_of_memory=True)) == "jobs.out_of_memory"
    assert failure_key(tmp_path, End(out_of_memory=True)) == "jobs.out_of_memory"
    assert failure_key(tmp_path, End(signal="SIGTERM", out_of_memory=True)) == "jobs.signal"


def test_machine_memory_respects_the_limit_of_a_container(monkeypatch):
    monkeypatch.setattr(processes, "_read", lambda path: "4096\n" if path.endswith("memory.max") else "")
    assert processes.machine_memory() == 4096
    monkeypatch.setattr(processes, "_read", lambda path: "oom_kill_x 7\noom_kill 5\n" if "vmstat" in path else "max\n")
    assert processes.oom_kills() == 5


def test_full_disk_explains_a_missing_log(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9, 0))
    assert failure_key(tmp_path, 1) == failure_key(tmp_path, 0) == failure_key(tmp_path, UNKNOWN) == "jobs.disk_full"
    assert failure_key(tmp_path, KILL) == "jobs.killed"


@pytest.mark.parametrize(
    "lines, code, expected",
    [
        ([""], 0, ("stopped", None)),
        ([""], KILL, ("stopped", "jobs.killed")),  # killed by somebody while it was stopping
        ([""], UNKNOWN, ("stopped", "jobs.killed")),
        ([""], 1, ("failed", "jobs.crashed")),
        (["", KILLED], KILL, ("stopped", "jobs.stopped_late")),
        (["", KILLED], 1, ("stopped", "jobs.stopped_late")),  # on Windows
        (["", KILLED], UNKNOWN, ("stopped", "jobs.stopped_late")),  # and then the worker was killed, too
        ([OVERTIME], 0, ("stopped", "jobs.too_long")),
        ([OVERTIME, KILLED], KILL, ("stopped", "jobs.too_long")),
    ],
)
def test_run_that_was_asked_to_stop(tmp_path, lines, code, expected):
    for line in lines:
        request_stop(tmp_path, line)
    state, message = final_state(tmp_path, Status("running"), Limits(), code if isinstance(code, End) else End(code))
    assert (state, message and message.key) == expected
    if message:
        assert sentence(message)


def test_end_is_now_if_the_exit_code_is_known_else_shortly_after_the_last_heartbeat(tmp_path):
    status, before = replace(RUNNING, heartbeat=RUNNING.started - 100), time.time()
    write_status(tmp_path, status)
    assert record_end(tmp_path, UNKNOWN).ended == status.heartbeat + STALE
    write_status(tmp_path, status)
    assert before <= record_end(tmp_path, End(1)).ended <= time.time()


def test_nested_message_survives(tmp_path):
    inner = Failure("text.blank", where=Message("text.sentence", {"number": 2}))
    assert error_message(inner, tmp_path) == inner.message
