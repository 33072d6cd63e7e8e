"""The model that a page, a link or a request names: one of `checkpoints/`, or the best checkpoint of a training run.

A run is shown to everybody on the training page, and so is its model; only its owner may stop or delete it. The runs of
a task of somebody's own are shown to its owner alone; whoever may use the task may use their models (own_tasks.py).
"""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pages.shared.other_models import find_opened, open_models
from pages.shared.visitor import translator
from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.jobs import runs
from viz_core.jobs.runs import Run
from viz_core.language import Translator
from viz_core.records import ELSEWHERE, Evaluation, Failure
from viz_core.tasks.own import is_own_name

_RUN = "runs/"  # before the id of a run; no model of `checkpoints/` has a slash in its name


def find_model(task: str, name: str) -> CheckpointInfo | None:
    """The model of a task with this name; None if there is none."""
    if task in ELSEWHERE:
        return find_opened(name, task)
    if name.startswith(_RUN):
        with suppress(Failure, ValueError):  # a link may contain what no path can
            info = run_model(runs.read(name.removeprefix(_RUN)))
            return info if info and info.task == task else None
    return checkpoints.find(task, name)


def how_to_fetch(task: str, name: str) -> str:
    """Markdown that says how a model is fetched that ships but is not installed; empty for any other."""
    command = checkpoints.fetch_command(task, name)
    if not command or checkpoints.find_folder(task, name):
        return ""
    return translator()("checkpoints.not_fetched", name=f"{task}/{name}", command=f"`{command}`")


def task_models(task: str) -> list[CheckpointInfo]:
    """The models of a task in their order; of models from elsewhere, those that are open."""
    return open_models((task,)) if task in ELSEWHERE else checkpoints.task_checkpoints(task)


def run_model(run: Run) -> CheckpointInfo | None:
    """The best checkpoint of a run so far, as a model named `runs/<id>`; None if there is none that can be read."""
    folder = best_checkpoint(run)
    try:
        return replace(checkpoints.read_info(folder), name=f"{_RUN}{run.id}") if folder else None
    except (Failure, OSError):  # just replaced by a better one
        return None


def best_checkpoint(run: Run) -> Path | None:
    """The checkpoint folder of the best evaluation so far, if it exists."""
    step = Evaluation.from_dict(run.status.best).step
    folder = run.path / "checkpoints" / str(step)
    return folder if step is not None and (folder / checkpoints.WEIGHTS).exists() else None


def own_run_models(task: str) -> list[CheckpointInfo]:
    """The models of the trainings of a task of somebody's own, those with attention first, then the newest: whoever may
    use the task may use them."""
    if not is_own_name(task):
        return []
    of_task = [run for run in runs.list_runs() if run.request.settings.get("task") == task]
    models = [info for run in of_task if run.request.kind == "train" and run.is_over and (info := run_model(run))]
    return sorted(models, key=lambda info: not info.settings.config.layers)


def is_of_run(info: CheckpointInfo) -> bool:
    """Whether the model is the checkpoint of a run, which no evidence is stored with."""
    return info.name.startswith(_RUN)


def display_name(info: CheckpointInfo, say: Translator) -> str:
    """The name of a model as people read it: that of its run, or its own."""
    if is_of_run(info):
        with suppress(Failure):
            return say("pages.model_of_run", name=runs.read(info.name.removeprefix(_RUN)).name)
    return info.name
