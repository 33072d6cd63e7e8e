"""Why a run has ended, in words."""

from __future__ import annotations

import errno
import os
import shutil
import time
from dataclasses import replace

import pytest

from tests.jobs.programs import spoken
from viz_core.jobs import endings, processes
from viz_core.jobs.endings import ending, reason
from viz_core.jobs.limits import Limits
from viz_core.jobs.state import LOG, SEPARATOR, STOP, Status
from viz_core.records import Failure, Message

KILL, TERM, SEGV = -9, -15, -11
RUNNING = Status("running", started=time.time(), heartbeat=time.time())


def why(path, code, log="", status=RUNNING) -> str:
    """The key of the reason for which a run has failed."""
    (path / LOG).write_text(log, encoding="utf-8")
    state, message = ending(path, status, Limits(), code)
    assert state == "failed" and spoken(message)
    return message.key


@pytest.mark.parametrize(
    "error, key",
    [
        (Failure("tasks.unknown", name="x", known=["imdb"]), "tasks.unknown"),
        (MemoryError(), "jobs.out_of_memory"),
        (RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"), "jobs.out_of_memory"),
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
def test_error_of_a_job_in_words(tmp_path, error, key):
    message = reason(error, tmp_path)
    assert message.key == key and spoken(message)
    if key == "jobs.error":
        assert "ValueError: five is no even number" in spoken(message) and LOG in spoken(message)


@pytest.mark.parametrize(
    "code, log, key",
    [
        (0, "", "jobs.no_result"),
        (1, "Traceback\nMemoryError\n", "jobs.out_of_memory"),
        (1, "OSError: [Errno 28] No space left on device: 'x'\n", "jobs.disk_full"),
        (
            1,
            "Traceback\nviz_core.records.messages.Failure: tasks.unknown {'name': 'x', 'known': ['imdb']}\n",
            "tasks.unknown",
        ),
        (1, "viz_core.records.messages.Failure: text.blank {'where': Message(key='text.sentence')}\n", "jobs.crashed"),
        (2, "usage: x\nerror: no such option: --layers\n", "jobs.crashed"),
        (3221225477, "", "jobs.crashed"),
        (SEGV, "", "jobs.signal"),
        (-6, "terminate called after throwing an instance of 'std::bad_alloc'\n", "jobs.out_of_memory"),
        (KILL, "", "jobs.killed"),
        (KILL, "it said: out of memory, so the batch is halved\n", "jobs.killed"),
        (None, "", "jobs.killed"),
        (None, "torch.OutOfMemoryError: CUDA out of memory.\n", "jobs.out_of_memory"),
    ],
)
def test_exit_code_and_last_words(tmp_path, code, log, key):
    assert why(tmp_path, code, log) == key


def test_last_line_and_signal_are_named(tmp_path):
    (tmp_path / LOG).write_text("usage: x\nerror: no such option: --layers\n")
    said = spoken(ending(tmp_path, RUNNING, Limits(), 2)[1])
    assert "exit code 2" in said and "error: no such option: --layers" in said
    assert "SIGSEGV" in spoken(ending(tmp_path, RUNNING, Limits(), SEGV)[1])
    assert "77" in spoken(ending(tmp_path, RUNNING, Limits(), -77)[1])


def test_words_of_an_earlier_attempt_do_not_count(tmp_path):
    log = f"{SEPARATOR} 1, today\nMemoryError\n{SEPARATOR} 2, today\n"
    assert why(tmp_path, 1, log) == "jobs.crashed"
    assert why(tmp_path, 1, log + "x" * 20_000 + "\nMemoryError\n") == "jobs.out_of_memory"
    (tmp_path / LOG).unlink()
    assert ending(tmp_path, RUNNING, Limits(), 1)[1].key == "jobs.crashed"


def test_who_took_most_of_the_memory_and_was_killed_was_killed_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(endings, "machine_memory", lambda: 1_000)
    assert why(tmp_path, KILL, status=replace(RUNNING, memory=801)) == "jobs.out_of_memory"
    assert why(tmp_path, KILL, status=replace(RUNNING, memory=799)) == "jobs.killed"
    monkeypatch.setattr(endings, "machine_memory", lambda: 10**18)
    assert why(tmp_path, KILL, status=replace(RUNNING, memory=801)) == "jobs.killed"


def test_system_that_has_ended_processes_for_memory_meanwhile_ended_this_one(tmp_path, monkeypatch):
    monkeypatch.setattr(endings, "oom_kills", lambda: 3)
    assert why(tmp_path, KILL, status=replace(RUNNING, ooms=2)) == "jobs.out_of_memory"
    assert why(tmp_path, None, status=replace(RUNNING, ooms=2)) == "jobs.out_of_memory"
    assert why(tmp_path, KILL, status=replace(RUNNING, ooms=3)) == "jobs.killed"
    assert why(tmp_path, TERM, status=replace(RUNNING, ooms=2)) == "jobs.signal"


def test_machine_memory_heeds_a_containers_limit(monkeypatch):
    monkeypatch.setattr(processes, "_read", lambda path: "4096\n" if path.endswith("memory.max") else "")
    assert processes.machine_memory() == 4096
    monkeypatch.setattr(processes, "_read", lambda path: "oom_kill_x 7\noom_kill 5\n" if "vmstat" in path else "max\n")
    assert processes.oom_kills() == 5


def test_disk_that_had_no_room_for_a_last_word(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9, 0))
    assert why(tmp_path, 1) == why(tmp_path, 0) == why(tmp_path, None) == "jobs.disk_full"
    assert why(tmp_path, KILL) == "jobs.killed"


@pytest.mark.parametrize(
    "asked, code, minutes, expected",
    [
        (1, 0, 60, ("stopped", None)),
        (1, KILL, 60, ("stopped", "jobs.killed")),  # killed by somebody while it was stopping
        (1, None, 60, ("stopped", "jobs.killed")),
        (
            90,
            None,
            60,
            ("stopped", "jobs.killed"),
        ),  # the machine went off while it was stopping, and nobody looked since
        (1, 1, 60, ("failed", "jobs.crashed")),
        (90, KILL, 60, ("stopped", "jobs.stopped_late")),
        (90, 1, 60, ("stopped", "jobs.stopped_late")),  # as Windows has it
        (1, 0, 1, ("stopped", "jobs.too_long")),
        (90, KILL, 1, ("stopped", "jobs.too_long")),
    ],
)
def test_run_that_was_asked_to_stop(tmp_path, asked, code, minutes, expected):
    (tmp_path / STOP).touch()
    os.utime(tmp_path / STOP, (time.time() - asked,) * 2)
    status = replace(RUNNING, started=time.time() - 120, heartbeat=time.time() - 80)
    state, message = ending(tmp_path, status, Limits(longest_minutes=minutes, stop_seconds=60), code)
    assert (state, message and message.key) == expected
    if message:
        assert spoken(message)


def test_reason_within_a_reason_is_kept(tmp_path):
    inner = Failure("text.blank", where=Message("text.sentence", {"number": 2}))
    assert reason(inner, tmp_path) == inner.message
