"""Commands that measure models: on a split, and on the behavioural tests."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from viz_core import checkpoints
from viz_core.analysis.evaluation.behaviour import category_scores, run_behavioural_tests
from viz_core.checkpoints import Checkpoint
from viz_core.checkpoints.card import save_metrics_and_card
from viz_core.commands.corpora import select_data
from viz_core.commands.kinds import command_kind
from viz_core.datasets.held_out import repeats_text
from viz_core.evidence.ledger import readings_of, record_reading
from viz_core.folders import current_commit
from viz_core.language import Translator
from viz_core.records import Failure, MeasuredFigures, Reading


def evaluate(args: argparse.Namespace, say: Translator) -> dict:
    """Measures a model on a split; each reading of the test is a line of the ledger, with --record or without."""
    checkpoint = checkpoints.load(args.task, args.model)
    task, kind = checkpoint.task, command_kind(args.task)
    data = select_data(args, task)
    if args.record:
        _check_recordable(checkpoint, data)
    frame = task.read(args.split, data)
    if args.unseen:
        frame = frame[~repeats_text(frame, task.read("train", data))]
    figures = kind.measure(checkpoint, frame, data)
    if args.split == "test":
        _record_reading(checkpoint, data, "unseen" if args.unseen else "all", figures)
    measured = {"split": args.split, **figures.to_dict()}
    if args.record:
        before = checkpoint.metrics.entries.get("validation", {})  # training a translation model measures more
        _save_metrics(checkpoint, measured if args.split == "test" else {"validation": {**before, **measured}})
    note = {"note": say(kind.chosen_on_validation)} if args.split == "validation" else {}
    return {"task": args.task, "model": checkpoint.name, "data": data, **measured, **note}


def probe(args: argparse.Namespace, say: Translator) -> dict:
    """Runs the behavioural tests (negation, contrast, numbers…); --record stores the scores in the model's folder."""
    checkpoint = checkpoints.load(args.task, args.model)
    tests = checkpoint.task.behavioural_tests()
    if not tests:
        raise Failure("cli.no_behavioural_tests", task=args.task)
    results = run_behavioural_tests(checkpoint, tests)
    if args.record:
        _save_metrics(checkpoint, {"probes": category_scores(results)})
    return {
        "task": args.task,
        "model": checkpoint.name,
        **category_scores(results),
        "answers": [
            {
                "category": prediction.test.category,
                "texts": list(prediction.test.texts),
                "expected": prediction.test.expected,
                "label": prediction.label,
                "probability": prediction.probability,
            }
            for prediction in results.predictions
        ],
    }


def _check_recordable(checkpoint: Checkpoint, data: str) -> None:
    """Check that the metrics are of the corpus that the model was trained on.

    Raises:
        Failure: If they are not.
    """
    trained_on = checkpoint.metrics.entries.get("data", data)
    if trained_on != data:
        raise Failure("cli.other_data", name=checkpoint.name, trained=trained_on, data=data)


def _record_reading(checkpoint: Checkpoint, data: str, rows: str, figures: MeasuredFigures) -> None:
    """Enter a reading of the test split into the ledger.

    Raises:
        Failure: If that fails: no figure is shown then.
    """
    record_reading(
        Reading(
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            commit=current_commit(),
            task=checkpoint.task.name,
            model=checkpoint.name,
            data=data,
            rows=rows,
            weights_sha256=checkpoint.weights_sha256,
            figures=figures,
        )
    )


def _save_metrics(checkpoint: Checkpoint, changed: dict) -> None:
    """Save the changed entries of `metrics.json`, with a card that shows them and the test readings."""
    readings = readings_of(checkpoint.task.name, checkpoint.name)
    save_metrics_and_card(_folder(checkpoint), {**checkpoint.metrics.entries, **changed}, readings=readings)


def _folder(checkpoint: Checkpoint) -> Path:
    return checkpoints.require_folder(checkpoint.task.name, checkpoint.name)
