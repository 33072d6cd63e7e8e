"""From a task, an encoder and a recipe to a checkpoint folder."""

from __future__ import annotations

import hashlib
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch

from viz_core import checkpoints
from viz_core.analysis.evaluation import best_threshold, fit_temperature, logits, metrics
from viz_core.checkpoints import Settings
from viz_core.models.batch import bucketed, pad
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder
from viz_core.records import Examples, Failure
from viz_core.tasks import Task
from viz_core.training.card import model_card
from viz_core.training.loop import Diverged, best_device, fit
from viz_core.training.objectives import MaskedTokens, classification_loss
from viz_core.training.presets import Recipe

Report = Callable[[dict], None]


def train(task: Task, encoder: dict, recipe: Recipe, out: Path, data: str = "full", device: str | None = None,
          report: Report = lambda figures: None, caution: str = "") -> dict:
    """Trains, keeps the epoch that is best on validation, calibrates, and writes the checkpoint folder `out`.

    encoder: fields of EncoderConfig that the task does not set. report: called with the figures of every epoch.
    Returns the validation metrics of the file as shipped. Raises Failure where the training diverges.
    """
    started = time.time()
    torch.manual_seed(recipe.seed)
    device = torch.device(device) if device else best_device()
    frames = {split: task.read(split, data) for split in ("train", "validation")}
    # The vocabulary is that of the publisher's whole train split; of validation no label is read here.
    texts = [text for frame in frames.values() for text in task.texts(frame)]
    text = task.text_encoder(task.build_tokenizer(texts, task.max_tokens))
    config = EncoderConfig(vocabulary=text.vocabulary, max_tokens=task.max_tokens, classes=len(task.labels), **encoder)
    train_set, validation = (task.examples(frames[split], text) for split in ("train", "validation"))
    model = Encoder(config).to(device)
    try:
        if recipe.pretrain_epochs:
            corpus = task.examples(task.read("unlabelled", data), text)
            _pretrain(model, _together(train_set, corpus), recipe, report)
        _classify(model, train_set, validation, recipe, report)
    except Diverged as error:
        raise Failure("training.diverged", reason=str(error)) from error

    settings = Settings(task.name, config, caution=caution)
    checkpoints.save(out, settings, model, text, {})
    figures = _calibrate(task, out, validation, recipe.fit_threshold)
    record(out, {
        "task": task.name, "data": data, "recipe": asdict(recipe), "seed": recipe.seed,
        "parameters": sum(p.numel() for p in model.parameters()),
        "command": shlex.join(["python", "-m", "viz_core", *sys.argv[1:]]), "commit": _commit(),
        "device": f"{device.type}, {torch.get_num_threads()} threads" if device.type == "cpu" else device.type,
        "wall_seconds": round(time.time() - started), "data_sha256": _fingerprint(train_set), "validation": figures})
    return figures


def _classify(model: Encoder, train_set: Examples, validation: Examples, recipe: Recipe, report: Report) -> None:
    """Trains the classifier and leaves the weights of the best epoch in the model."""
    if recipe.swap:
        train_set = _together(train_set, swapped(train_set))
    device = next(model.parameters()).device
    best = {"score": -np.inf, "epoch": 0, "weights": None}

    def batches(epoch: int):
        for rows in bucketed(train_set.lengths, recipe.batch, seed=recipe.seed * 1_000 + epoch):
            labels = torch.from_numpy(train_set.labels[rows]).to(device)
            yield *_inputs(train_set, rows, device), labels

    def loss(batch):
        return classification_loss(model, *batch, recipe.word_dropout, recipe.label_smoothing)

    def after_epoch(epoch: int, train_loss: float) -> bool:
        scores = logits(model, validation)
        if not np.isfinite(scores).all():
            raise Diverged(f"the logits are no numbers after epoch {epoch + 1}")
        figures = metrics(scores, validation.labels, temperature=1.0, threshold=0.5)
        report({"phase": "train", "epoch": epoch + 1, "loss": train_loss, **figures})
        if figures[recipe.best] > best["score"]:
            best.update(score=figures[recipe.best], epoch=epoch,
                        weights={name: tensor.clone() for name, tensor in model.state_dict().items()})
        return 0 < recipe.patience <= epoch - best["epoch"]

    tokens = model.embedding.token.weight
    groups = [{"params": [tokens], "lr": recipe.lr * recipe.token_lr},
              {"params": [one for one in model.parameters() if one is not tokens], "lr": recipe.lr}]
    fit(model, groups, recipe.epochs, batches, _steps(train_set, recipe.batch), loss, recipe.weight_decay,
        recipe.warmup, recipe.schedule, recipe.clip, after_epoch)
    model.load_state_dict(best["weights"])


def _pretrain(model: Encoder, corpus: Examples, recipe: Recipe, report: Report) -> None:
    """Masked-token pre-training, in place."""
    device = next(model.parameters()).device
    objective = MaskedTokens(model).to(device)

    def batches(epoch: int):
        for rows in bucketed(corpus.lengths, recipe.batch, seed=recipe.seed * 1_000 + 500 + epoch):
            yield _inputs(corpus, rows, device)

    groups = [{"params": list(objective.parameters()), "lr": recipe.pretrain_lr}]
    fit(objective, groups, recipe.pretrain_epochs, batches, _steps(corpus, recipe.batch),
        lambda batch: objective.loss(*batch), recipe.weight_decay, recipe.warmup, "cosine", recipe.clip,
        lambda epoch, loss: report({"phase": "pretrain", "epoch": epoch + 1, "loss": loss}))


def record(out: Path, figures: dict) -> None:
    """Keeps the figures of a checkpoint, and writes its model card anew from them."""
    checkpoints.save_metrics(out, figures)
    listing = checkpoints.read_listing(out)
    (out / checkpoints.CARD).write_text(model_card(listing), encoding="utf-8")


def _calibrate(task: Task, out: Path, validation: Examples, fit_threshold: bool) -> dict:
    """Fits temperature and threshold on validation, for the weights as they were saved; returns the figures."""
    shipped = checkpoints.load(task.name, out.name, out.parent.parent)
    scores = logits(shipped.encoder, validation)
    temperature = fit_temperature(scores, validation.labels)
    positive = 1 / (1 + np.exp((scores[:, 0] - scores[:, 1]) / temperature))
    threshold = best_threshold(positive, validation.labels) if fit_threshold else 0.5
    checkpoints.save_settings(out, replace(shipped.settings, temperature=temperature, threshold=threshold))
    return {"split": "validation", **metrics(scores, validation.labels, temperature, threshold)}


def swapped(pairs: Examples) -> Examples:
    """The pairs with their sentences exchanged: `[CLS] b [SEP] a [SEP]`, same labels."""
    ids, segments = [], []
    for row, kinds in zip(pairs.ids, pairs.segments, strict=True):
        first, second = row[1:][kinds[1:] == 0], row[kinds == 1]  # each ends with its [SEP]
        ids.append(np.concatenate([row[:1], second, first]))
        segments.append(np.repeat(np.array([0, 1], kinds.dtype), [1 + len(second), len(first)]))
    return Examples(ids, segments, pairs.labels)


def _together(one: Examples, other: Examples) -> Examples:
    return Examples(one.ids + other.ids, one.segments + other.segments, np.concatenate([one.labels, other.labels]))


def _inputs(examples: Examples, rows: np.ndarray, device: torch.device):
    return pad([examples.ids[i] for i in rows], [examples.segments[i] for i in rows], device)


def _steps(examples: Examples, batch: int) -> int:
    return sum(1 for _ in bucketed(examples.lengths, batch, seed=0))


def _fingerprint(examples: Examples) -> str:
    """sha256 of the token ids and labels that were learned from."""
    digest = hashlib.sha256(examples.labels.tobytes())
    for row in examples.ids:
        digest.update(row.tobytes())
    return digest.hexdigest()


def _commit() -> str:
    """The commit of the code, where it runs from a git checkout."""
    result = subprocess.run(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True)
    return result.stdout.strip() or "unknown"
