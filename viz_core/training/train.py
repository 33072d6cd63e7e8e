"""From a task, an encoder and a recipe to a checkpoint folder."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import torch
from torch import nn

from viz_core import checkpoints
from viz_core.checkpoints import Settings
from viz_core.models.kinds import KINDS
from viz_core.records import Examples, Failure
from viz_core.training.batches import steps
from viz_core.training.building import classification, optimiser_for, parameter_groups
from viz_core.training.devices import device_name, start_fabric
from viz_core.training.estimate import extent, requirements
from viz_core.training.folders import publish
from viz_core.training.learned import learned
from viz_core.training.loop import Diverged, Plan
from viz_core.training.objectives import MaskedTokens
from viz_core.training.prepare import fingerprint, prepare, subset, together
from viz_core.training.session import Session, Subject
from viz_core.training.settings import Training
from viz_core.training.watch import Watch


def train(training: Training, out: Path, report: Callable[[dict], None] = lambda figures: None) -> dict:
    """Trains and writes the best checkpoint, calibrated, as the folder `out`; what was there before is replaced at the end.

    report: called with the figures of every evaluation. Returns the validation figures of the file as shipped. Raises
    Failure where the training cannot start or diverges.
    """
    with tempfile.TemporaryDirectory(prefix="attention-microscope-") as work:
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
    torch.manual_seed(recipe.seed)
    prepared = subset(prepare(task, training.data, recipe.unlabelled), recipe)
    training = training.with_vocabulary(prepared.text.vocabulary)
    config = training.model
    requirements(training, extent(prepared, recipe), fabric.device)  # refuses what the memory does not hold
    model = fabric.to_device(KINDS[training.kind].build(config))
    train_set = learned(prepared, recipe)
    corpus = together(prepared.train, prepared.unlabelled)
    first = Plan(recipe.pretrain_epochs, steps(len(corpus), recipe.batch), recipe.warmup, "cosine", recipe.clip)
    second = Plan(
        recipe.epochs,
        steps(len(train_set), recipe.batch),
        recipe.warmup,
        recipe.schedule,
        recipe.clip,
        recipe.evaluations,
    )
    before = first.epochs * first.steps
    figures = {
        "task": task.name,
        "data": training.data,
        "recipe": asdict(recipe),
        "seed": recipe.seed,
        "parameters": sum(p.numel() for p in model.parameters()),
        "command": training.command,
        "commit": _commit(),
        "device": device_name(fabric),
        "data_sha256": fingerprint(prepared.train),
    }
    subject = Subject(
        training.name,
        task,
        model,
        prepared.text,
        prepared.validation,
        recipe,
        Settings(task.name, config, caution=training.caution, kind=training.kind),
        figures,
    )
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


def _pretrain(session: Session, model: nn.Module, corpus: Examples, plan: Plan) -> bool:
    """Masked-token pre-training, in place; False where it was stopped."""
    recipe = session.subject.recipe
    objective = session.fabric.to_device(MaskedTokens(model))
    model.classifier.requires_grad_(False)  # it learns nothing here, and several processes would wait for its gradient
    learning = [parameter for parameter in objective.parameters() if parameter.requires_grad]
    groups = [{"params": learning, "lr": recipe.pretrain_lr}]
    done = session.run("pretrain", 0, objective, optimiser_for(groups, recipe), plan, corpus, recipe.seed * 1_000 + 500)
    model.classifier.requires_grad_(True)
    return done


def _commit() -> str:
    """The commit of the code, where it runs from a git checkout."""
    result = subprocess.run(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True)
    return result.stdout.strip() or "unknown"
