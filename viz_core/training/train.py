"""From a task, an encoder and a recipe to a checkpoint folder."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from viz_core import checkpoints
from viz_core.checkpoints import Settings
from viz_core.folders import current_commit
from viz_core.models.kinds import KINDS
from viz_core.models.protocol import Network
from viz_core.records import Examples, failing
from viz_core.training.batches import steps
from viz_core.training.building import layers_apart, optimiser_for, parameter_groups
from viz_core.training.devices import device_name, start_fabric
from viz_core.training.estimate import check_free_memory, corpus_size
from viz_core.training.folders import publish
from viz_core.training.kinds import training_kind
from viz_core.training.loop import Diverged, Plan
from viz_core.training.objectives import MaskedTokens
from viz_core.training.prepare import Prepared, concatenate, fingerprint, prepare_for, subset
from viz_core.training.settings import Training
from viz_core.training.start import provenance, start_from
from viz_core.training.teacher import build_train_set
from viz_core.training.trainer import Trainer, TrainingCallback, TrainingSetup
from viz_core.training.word_vectors import start_from_word_vectors

if TYPE_CHECKING:
    from lightning_fabric import Fabric


def train(training: Training, out: Path, report: Callable[[dict], None] = lambda figures: None) -> dict:
    """Train a model and write the best checkpoint, calibrated, as the folder `out`.

    The folder is replaced at the end.

    Args:
        training: What to train.
        out: Folder of the model.
        report: Called with the figures of every evaluation.

    Returns:
        The validation figures of the file as shipped.

    Raises:
        Failure: If the training cannot start or diverges.
    """
    with tempfile.TemporaryDirectory(prefix="attention-microscope-") as work:
        trainer, _ = train_in(Path(work), training, TrainingCallback(report))
        figures: dict = {}
        if trainer.fabric.is_global_zero and trainer.best:
            out = publish(trainer.best, out)
            figures = json.loads((out / checkpoints.METRICS).read_text(encoding="utf-8"))["validation"]
        return trainer.fabric.broadcast(figures)


def train_in(work: Path, training: Training, callback: TrainingCallback) -> tuple[Trainer, bool]:
    """Train in a folder, resuming from the last checkpoint in its `checkpoints/`.

    The best and the last checkpoint stay there. Several processes share the folder.

    Returns:
        The trainer, and whether the training ran to its end; False if the callback stopped it.

    Raises:
        Failure: If the training cannot start or diverges.
    """
    task, recipe = training.task, training.recipe
    fabric = start_fabric(training.device, recipe.precision)
    torch.manual_seed(recipe.seed)
    prepared = subset(prepare_for(training), recipe)
    training = training.with_vocabulary(prepared.text.vocabulary)
    check_free_memory(training, corpus_size(prepared, recipe), fabric.device)
    model: Network = KINDS[training.kind].build(training.config)
    if hasattr(model, "fit"):
        model.fit(prepared.train.ids)
    if recipe.encoder:
        start_from(model, recipe.encoder, task.labels)
    model = fabric.to_device(model)
    train_set = build_train_set(task, training.data, prepared, recipe, fabric.device)
    corpus = concatenate(prepared.train, prepared.unlabelled)
    if recipe.embeddings == "skipgram":
        start_from_word_vectors(model.token_embedding, corpus.ids, recipe.seed)
    pretraining = Plan(recipe.pretrain_epochs, steps(len(corpus), recipe.batch), recipe.warmup, "cosine", recipe.clip)
    plan = Plan(
        recipe.epochs,
        steps(len(train_set), recipe.batch),
        recipe.warmup,
        recipe.schedule,
        recipe.clip,
        recipe.evaluations,
    )
    before = pretraining.epochs * pretraining.steps
    setup = _setup(training, prepared, model, fabric)
    trainer = Trainer(fabric, setup, work, callback, before + plan.epochs * plan.steps)
    torch.manual_seed(recipe.seed + 1 + fabric.global_rank)  # dropout differs between processes
    with failing(Diverged, "training.diverged"):
        trainer.start()
        if recipe.pretrain_epochs and not _pretrain(trainer, model, corpus, pretraining):
            return trainer, False
        objective = fabric.to_device(training_kind(task.kind).objective(model, recipe, train_set.labels))
        optimiser = optimiser_for(parameter_groups(model, recipe), recipe)
        done = trainer.run_phase("train", before, objective, optimiser, plan, train_set, recipe.seed * 1_000)
    return trainer, done


def _setup(training: Training, prepared: Prepared, model: Network, fabric: Fabric) -> TrainingSetup:
    task, recipe = training.task, training.recipe
    figures = {
        "task": task.name,
        "data": training.data,
        "recipe": asdict(recipe),
        "seed": recipe.seed,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "command": training.command,
        "commit": current_commit(),
        "device": device_name(fabric),
        "data_sha256": fingerprint(prepared.train),
        **({"pretrained": provenance(recipe.encoder)} if recipe.encoder else {}),
    }
    settings = Settings(task.name, training.config, caution=training.caution, kind=training.kind)
    validation = training_kind(task.kind).validation(task, training.data, recipe, prepared)
    return TrainingSetup(training.name, task, model, prepared.text, validation, recipe, settings, figures)


def _pretrain(trainer: Trainer, model: Network, corpus: Examples, plan: Plan) -> bool:
    """Pre-train on masked tokens, in place; returns False if it was stopped."""
    recipe = trainer.setup.recipe
    objective = trainer.fabric.to_device(MaskedTokens(model))
    model.classifier.requires_grad_(False)  # it gets no gradient here, and several processes would wait for one
    trained = [(name, parameter) for name, parameter in objective.named_parameters() if parameter.requires_grad]
    optimiser = optimiser_for(layers_apart(trained, recipe.pretrain_lr, recipe), recipe)
    done = trainer.run_phase("pretrain", 0, objective, optimiser, plan, corpus, recipe.seed * 1_000 + 500)
    model.classifier.requires_grad_(True)
    return done
