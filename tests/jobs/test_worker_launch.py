"""How the worker is started: a process of its own, one at a time."""

import os
import sys

import psutil
import pytest

from tests.jobs.conftest import worker_pid
from tests.jobs.programs import until
from viz_core.folders import CODE
from viz_core.jobs.state import LOCK
from viz_core.jobs.worker_launch import WORKER_LOG, ensure_worker

pytestmark = pytest.mark.process


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no sessions and no zombies")
def test_a_worker_has_a_session_and_our_environment_and_leaves_no_zombie(root):
    ensure_worker(root)
    process = psutil.Process(until(lambda: worker_pid(root)))
    environment = process.environ()
    assert os.getsid(process.pid) == process.pid != os.getsid(0)  # Ctrl-C in our terminal does not reach it
    assert environment["VIZ_RUNS_DIR"] == str(root.resolve())
    assert environment["PYTHONPATH"].split(os.pathsep)[0] == str(CODE)
    process.kill()
    until(lambda: not psutil.pid_exists(process.pid))


def test_what_goes_wrong_in_the_worker_is_in_its_log(root):
    (root / LOCK).mkdir()  # no lock can be acquired
    ensure_worker(root)
    until(lambda: "IsADirectoryError" in (root / WORKER_LOG).read_text())
