"""Asking for a pass: one run at a time for each model and pass, whoever asks."""

from __future__ import annotations

from viz_core.jobs import runs
from viz_core.jobs.runs import Run

KIND = "pass"
_COMMAND = ["-m", "viz_core.passes.run"]


def ask(name: str, task: str, model: str, owner: str, **settings: object) -> Run:
    """The run of this pass over this model that waits or runs already, else a new one. Raises Failure where a limit is
    reached or nothing can be written.

    settings: what else the pass wants to know.
    """
    found = latest(name, task, model)
    if found and not found.over:
        return found
    return runs.submit({"kind": KIND, "name": f"{task}/{model}: {name}", "command": _COMMAND, "device": "cpu",
                        "settings": {"pass": name, "task": task, "model": model, **settings}}, owner)


def latest(name: str, task: str, model: str) -> Run | None:
    """The newest run of this pass over this model, whatever became of it."""
    wanted = {"pass": name, "task": task, "model": model}
    for run in runs.listing():
        settings = run.request.get("settings")
        if run.request.get("kind") == KIND and isinstance(settings, dict) and wanted.items() <= settings.items():
            return run
    return None
