"""The process of a run: the status comes before the job, so that whatever fails is its reason."""

import subprocess
import sys

import pytest

from viz_core.jobs import request, runs
from viz_core.jobs.main import carry_out
from viz_core.jobs.runs import Request, Run
from viz_core.jobs.state import read_status
from viz_core.records import Failure

pytestmark = pytest.mark.usefixtures("worker")


@pytest.fixture
def run(monkeypatch) -> Run:
    """A run of a kind whose job is in a module `job` that the test writes."""
    monkeypatch.setitem(request.JOBS, "test", "job:act")
    monkeypatch.delitem(sys.modules, "job", raising=False)
    return runs.submit(Request("test", "example"))


@pytest.mark.parametrize(
    "module, reason",
    [
        ("import no_such_module", "ModuleNotFoundError"),
        ("raise OSError('a driver is missing')", "a driver is missing"),
        ("act = 3", "TypeError"),
        ("def act(reporter, request): raise ValueError(request.name)", "ValueError: example"),
    ],
)
def test_whatever_fails_from_the_import_on_is_the_reason(run, tmp_path, monkeypatch, module, reason):
    (tmp_path / "job.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Exception):  # noqa: B017 (any: it also is the traceback in the log)
        carry_out(run.path)
    status = read_status(run.path)
    assert (status.state, status.message.key) == ("failed", "jobs.error")
    assert reason in str(status.message.values["reason"])


def test_the_status_says_that_it_runs_before_the_job_is_imported(run, tmp_path, monkeypatch):
    (tmp_path / "job.py").write_text(
        "import json, pathlib\n"
        f"state = json.loads(pathlib.Path({str(run.path / 'status.json')!r}).read_text())['state']\n"
        "def act(reporter, request):\n"
        "    reporter.update(1, last={'state': state})\n"
        "    reporter.mark_finished()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    carry_out(run.path)
    assert (read_status(run.path).state, read_status(run.path).last) == ("finished", {"state": "running"})


def test_a_kind_without_a_job_is_named(run):
    other = runs.submit(Request("juggling", "example"))
    with pytest.raises(Failure, match="jobs.no_job"):
        carry_out(other.path)
    assert read_status(other.path).message.values["kind"] == "juggling"


@pytest.mark.process
def test_the_process_of_a_run_loads_no_torch_before_its_job():
    code = "import sys, viz_core.jobs.main; print(*{'torch', 'pandas'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


def test_of_several_processes_only_the_first_one_writes(run, tmp_path, monkeypatch):
    (tmp_path / "job.py").write_text(
        "def act(reporter, request):\n"
        "    assert not reporter.stop_requested()\n"
        "    reporter.update(1)\n"
        "    reporter.mark_finished()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("RANK", "1")
    before = read_status(run.path)
    carry_out(run.path)
    assert read_status(run.path) == before
