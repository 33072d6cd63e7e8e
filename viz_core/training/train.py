"""From a task, an encoder and a recipe to a checkpoint folder."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from viz_core import checkpoints
from viz_core.checkpoints import Settings
from viz_core.models.encoder import Encoder
from viz_core.records import Examples, Failure
from viz_core.tasks import Task
from viz_core.training.batches import steps
from viz_core.training.building import classification, encoder_config, optimiser_for, parameter_groups
from viz_core.training.devices import device_name, start_fabric
from viz_core.training.estimate import refuse_too_large
from viz_core.training.folders import publish
from viz_core.training.learned import learned
from viz_core.training.loop import Diverged, Plan
from viz_core.training.objectives import MaskedTokens
from viz_core.training.prepare import fingerprint, prepare, subset, together
from viz_core.training.presets import Recipe
from viz_core.training.session import Session, Subject
from viz_core.training.watch import Watch


@dataclass(frozen=True)
class Training:
    """What is to be trained. encoder: fields of EncoderConfig that the task does not set. name: what the card calls it.
    command: what makes it again. Raises ValueError where the task does not go with the recipe."""

    task: Task
    encoder: dict
    recipe: Recipe
    name: str
    data: str = "full"
    device: str | None = None
    caution: str = ""
    command: str = ""

    def __post_init__(self) -> None:
        if self.task.pair and self.recipe.teacher != "none":
            raise ValueError(f"teacher is {self.recipe.teacher}: it reads single texts, and {self.task.name} has pairs")


def train(task: Task, encoder: dict, recipe: Recipe, out: Path, data: str = "full", device: str | None = None,
          report: Callable[[dict], None] = lambda figures: None, caution: str = "") -> dict:
    """Trains and writes the best checkpoint, calibrated, as the folder `out`; what was there before is replaced at the end.

    report: called with the figures of every evaluation. Returns the validation figures of the file as shipped. Raises
    Failure where the training cannot start or diverges, ValueError where settings do not fit together.
    """
    command = shlex.join(["python", "-m", "viz_core", *sys.argv[1:]])
    with tempfile.TemporaryDirectory(prefix="attention-microscope-") as work:
        training = Training(task, encoder, recipe, out.name, data, device, caution, command)
        session, _ = train_in(Path(work), training, Watch(report))
        figures = None
        if session.fabric.is_global_zero:
            publish(session.best, out)
            figures = json.loads((out / checkpoints.METRICS).read_text(encoding="utf-8"))["validation"]
        return session.fabric.broadcast(figures)


def train_in(work: Path, training: Training, watch: Watch) -> tuple[Session, bool]:
    """Trains in a folder, going on from the last checkpoint in its `checkpoints/`, where the best one and the last one stay.

    False where the watch stopped it. Several processes share the folder. Raises as `train`.
    """
    task, recipe = training.task, training.recipe
    fabric = start_fabric(training.device, recipe.precision)
    encoder_config(task, training.encoder, vocabulary=1)  # settings that cannot be are refused before anything is read
    torch.manual_seed(recipe.seed)
    prepared = subset(prepare(task, training.data, recipe.unlabelled), recipe)
    config = encoder_config(task, training.encoder, prepared.text.vocabulary)
    refuse_too_large(config, recipe, prepared, fabric.device)
    model = fabric.to_device(Encoder(config))
    train_set = learned(prepared, recipe)
    corpus = together(prepared.train, prepared.unlabelled)
    first = Plan(recipe.pretrain_epochs, steps(len(corpus), recipe.batch), recipe.warmup, "cosine", recipe.clip)
    second = Plan(recipe.epochs, steps(len(train_set), recipe.batch), recipe.warmup, recipe.schedule, recipe.clip,
                  recipe.evaluations)
    before = first.epochs * first.steps
    figures = {
        "task": task.name, "data": training.data, "recipe": asdict(recipe), "seed": recipe.seed,
        "parameters": sum(p.numel() for p in model.parameters()), "command": training.command, "commit": _commit(),
        "device": device_name(fabric), "data_sha256": fingerprint(prepared.train)}
    subject = Subject(training.name, task, model, prepared.text, prepared.validation, recipe,
                      Settings(task.name, config, caution=training.caution), figures)
    session = Session(fabric, subject, work, watch, before + second.epochs * second.steps)
    torch.manual_seed(recipe.seed + 1 + fabric.global_rank)  # each process drops other words and units
    try:
        session.begin()
        if recipe.pretrain_epochs and not _pretrain(session, model, corpus, first):
            return session, False
        objective = fabric.to_device(classification(model, recipe, train_set.labels))
        optimiser = optimiser_for(parameter_groups(model, recipe), recipe)
        done = session.run("train", before, objective, optimiser, second, train_set, recipe.seed * 1_000)
    except Diverged as error:
        raise Failure("training.diverged", reason=str(error)) from error
    return session, done


def _pretrain(session: Session, model: Encoder, corpus: Examples, plan: Plan) -> bool:
    """Masked-token pre-training, in place; False where it was stopped."""
    recipe = session.subject.recipe
    objective = session.fabric.to_device(MaskedTokens(model))
    model.classifier.requires_grad_(False)  # it learns nothing here, and several processes would wait for its gradient
    groups = [{"params": [one for one in objective.parameters() if one.requires_grad], "lr": recipe.pretrain_lr}]
    done = session.run("pretrain", 0, objective, optimiser_for(groups, recipe), plan, corpus, recipe.seed * 1_000 + 500)
    model.classifier.requires_grad_(True)
    return done


def _commit() -> str:
    """The commit of the code, where it runs from a git checkout."""
    result = subprocess.run(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True)
    return result.stdout.strip() or "unknown"
