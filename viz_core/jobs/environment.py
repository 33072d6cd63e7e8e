"""Environment variables and working folders of the worker and of the processes that it starts."""

import os
from pathlib import Path

from viz_core.folders import CODE
from viz_core.jobs.request import belongs_to_run
from viz_core.jobs.run_folder import Run
from viz_core.variables import RUN_ATTEMPT, RUNS_DIR


def worker_environment(root: Path) -> dict[str, str]:
    """Our environment with the runs folder and, for any working folder, the path to this code."""
    path = os.pathsep.join(filter(None, [str(CODE), os.environ.get("PYTHONPATH")]))
    return {**os.environ, RUNS_DIR: str(root.resolve()), "PYTHONPATH": path}


def working_folder(run: Run) -> str:
    """Of the process of a run: that of its submitter, if it still exists."""
    path = run.request.working_folder
    return path if path and Path(path).is_dir() else str(CODE)


def run_environment(root: Path, run: Run) -> dict[str, str]:
    """The worker's environment, with the variables that belong to the run as they were when the run was submitted."""
    variables = worker_environment(root)
    return {
        **{name: value for name, value in variables.items() if not belongs_to_run(name)},
        **run.request.environment,
        RUNS_DIR: variables[RUNS_DIR],
        RUN_ATTEMPT: str(run.status.attempt),
        "PYTHONUNBUFFERED": "1",  # so that the log is complete when the process is killed
        "PYTHONIOENCODING": "utf-8",
    }
