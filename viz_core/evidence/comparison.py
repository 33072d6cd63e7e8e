"""Comparison of all models of a task, from their metrics, ledger, health and behavioural tests.

Latencies and trainings with other seeds are stored in `comparison.json` in the folder of the
checkpoints, which rows of the test a model gets right beside its other evidence; the command
`compare` measures them.
"""

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import numpy as np

from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.bounded_json import read_json_object
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.evidence import health
from viz_core.evidence.ledger import read_ledger
from viz_core.evidence.results import read_result, reads_result, weights_sha256, write_result
from viz_core.files import replace_file
from viz_core.models.config import is_number
from viz_core.recipes import NGRAMS, Recipe
from viz_core.records import BehaviouralTest, CategoryScore, Failure, Figures, Message, failing
from viz_core.records.comparison import ComparedModel, Seeds, TrainingTime
from viz_core.statistics.intervals import wilson
from viz_core.tasks import LANGUAGE_MODEL, find_task

NAME = "comparison.json"
ANSWERS = "test_answers"
ROUNDS = 10  # the fastest counts, because other processes use the machine, too
TEXTS = 5  # behavioural tests that are timed


def comparison_file() -> Path:
    """Path of the stored comparison, in the folder where checkpoints are saved."""
    return checkpoints.folder() / NAME


def compare_models(task: str) -> tuple[ComparedModel, ...]:
    """Compare the models of a classification that were measured on the test split.

    They are in the order of the pickers, without models shown as bad examples.
    """
    infos = _compared(task)
    latencies = [_latency(info) for info in infos]
    return tuple(
        _row(info, latency / latencies[0] if latency and latencies[0] else None)
        for info, latency in zip(infos, latencies, strict=True)
    )


def right_answers(task: str) -> dict[str, np.ndarray]:
    """For each compared model, as far as stored, which rows of the test split it gets right, `(N,)`."""
    stored = {info.name: _read_answers(read_result(info.path, ANSWERS)) for info in _compared(task)}
    return {name: right for name, right in stored.items() if right is not None}


def readings(task: str) -> Message | None:
    """How often the ledger says that the whole test was read, by model; None if never.

    Raises:
        Failure: If the ledger is damaged.
    """
    full = [reading for reading in read_ledger() if reading.rows == "all"]
    counts = Counter(reading.model for reading in full if reading.task == task)
    models = [f"`{model}` {count}" for model, count in counts.most_common()]
    values = {"all": len(full), "count": counts.total(), "models": models}
    return Message("comparison.readings", values) if counts else None


def store_answers(task: str) -> None:
    """Store which rows of the test split each compared model gets right, unless that is known.

    This reads the test once more, but for no other figures: the share must be the recorded accuracy.

    Raises:
        Failure: If a model or the corpus cannot be loaded, the share is another, or the result
            cannot be written.
    """
    known = right_answers(task)
    for info in _compared(task):
        if info.name not in known:
            right = _answer(checkpoints.load(task, info.name), info.metrics.training_data)
            save_answers(info, right)


def save_answers(info: CheckpointInfo, right: np.ndarray) -> None:
    """Store which rows of the test split a model gets right, `(N,)`.

    Raises:
        Failure: If the share is not the recorded accuracy, or the result cannot be written.
    """
    recorded = info.metrics.test or Figures()
    if (int(right.sum()), len(right)) != (_right(recorded), recorded.n):
        share = {"right": int(right.sum()), "rows": len(right), "recorded": _right(recorded), "n": int(recorded["n"])}
        raise Failure("evidence.other_answers", model=f"{info.task}/{info.name}", **share)
    with failing(OSError, "evidence.not_saved", folder=str(info.path)):
        write_result(info.path, ANSWERS, {"rows": len(right), "right": np.packbits(right).tobytes().hex()})


def _answer(checkpoint: Checkpoint, source: str) -> np.ndarray:
    examples = checkpoint.task.examples(checkpoint.task.read("test", source), checkpoint.text_encoder)
    return checkpoint.settings.decide(checkpoint.probabilities(examples)) == examples.labels


@reads_result
def _read_answers(result: dict) -> np.ndarray:
    packed = np.frombuffer(bytes.fromhex(result["right"]), np.uint8)
    return np.unpackbits(packed, count=result["rows"]).astype(bool)


def _right(test: Figures) -> int:
    """How many rows of the test were right."""
    return round(test["accuracy"] * test["n"])


def store_latencies(task: str, tests: Sequence[BehaviouralTest]) -> None:
    """Measure how long each model takes to predict a behavioural test, and store it.

    Raises:
        Failure: If a model cannot be loaded or the file cannot be written.
    """
    infos, texts = checkpoints.task_checkpoints(task), tests[:: max(1, len(tests) // TEXTS)]
    loaded = [checkpoints.load(task, info.name) for info in infos]
    rounds = [[_median_seconds(checkpoint, texts) for checkpoint in loaded] for _ in range(ROUNDS)]  # models take turns
    for info, checkpoint, seconds in zip(infos, loaded, zip(*rounds, strict=True), strict=True):
        _store(info, latency=min(seconds), weights_sha256=checkpoint.weights_sha256)


def store_seeds(task: str, root: Path) -> dict[str, list[int]]:
    """Store validation accuracies of the checkpoints in `root/task` that differ from a model only in seed.

    Returns these seeds by model.

    Raises:
        Failure: If the checkpoints cannot be read or the file cannot be written.
    """
    stored: dict[str, list[int]] = {}
    others = [other for other in checkpoints.list_checkpoints(root, [task])[0] if other.metrics.validation]
    for info in checkpoints.task_checkpoints(task):
        alike = [other for other in others if _recipe(other) == _recipe(info) and _seed(other) != _seed(info)]
        if alike:
            values = {
                str(_seed(other)): other.metrics.validation.accuracy for other in alike if other.metrics.validation
            }
            _store(info, seeds=dict(sorted(values.items())), recipe=_recipe(info))
            stored[info.name] = sorted(map(int, values))
    return stored


def _row(info: CheckpointInfo, latency: float | None) -> ComparedModel:
    chain, test = trainings(info.metrics.entries), info.metrics.test or Figures()
    measured = health.read(read_result(info.path, health.NAME))
    return ComparedModel(
        task=info.task,
        model=info.name,
        kind=info.settings.kind,
        attention=info.settings.config.layers > 0,
        besides=_besides([training.get("recipe") for training in chain]),
        parameters=info.metrics.parameters,
        test=test,
        interval=wilson(_right(test), round(test["n"])),
        trainings=tuple(
            TrainingTime(seconds / 60, str(training.get("device")).startswith("cuda"))
            for training in chain
            if is_number(seconds := training.get("wall_seconds"))
        ),
        latency=latency,
        lengths=tuple(part for part in measured.slices if part.kind == "length") if measured else (),
        categories=_categories(info.metrics.entries.get("probes")),
        seeds=_seeds(info),
    )


def _seeds(info: CheckpointInfo) -> Seeds:
    """Accuracies of the model's own seed, and of others that were trained with the same recipe."""
    own, stored = info.metrics.validation, _entry(info)
    values = {_seed(info): own.accuracy} if own and own.accuracy is not None else {}
    others = stored.get("seeds") if _is_alike(stored.get("recipe"), info) else None
    if isinstance(others, dict):
        values |= {int(seed): value for seed, value in others.items() if seed.isdecimal() and is_number(value)}
    return Seeds(values)


def _seed(info: CheckpointInfo) -> int:
    seed = info.metrics.entries.get("seed")
    return seed if isinstance(seed, int) else 0


def _compared(task: str) -> list[CheckpointInfo]:
    """The models with figures on the test, without bad examples."""
    return [info for info in checkpoints.task_checkpoints(task) if _is_measured(info) and not info.settings.caution]


def _is_measured(info: CheckpointInfo) -> bool:
    """Whether the model's test accuracy and its number of rows are known."""
    test = info.metrics.test
    return test is not None and test.accuracy is not None and bool(test.n)


def trainings(entries: Mapping) -> list[Mapping]:
    """What is recorded of a model's training, after that of the model of ours that it started from, if any."""
    match entries:
        case {"pretrained": {"training": dict(earlier)}}:
            return [*trainings(earlier), entries]
    return [entries]


def is_language_model(start: str) -> bool:
    """Whether the setting `encoder` of a recipe names a language model of ours."""
    task = find_task(start.partition("/")[0])
    return task is not None and task.kind is LANGUAGE_MODEL


def _besides(recipes: Sequence[object]) -> tuple[str, ...]:
    """Sources besides the labels that a model learned from in trainings with these recipes."""
    known = [recipe for recipe in recipes if isinstance(recipe, dict)]
    teachers = {teacher for values in known for teacher in str(values.get("teacher")).split(",")}
    encoders = {str(values.get("encoder", "")) for values in known} - {""}
    from_elsewhere = {encoder for encoder in encoders if ":" in encoder}  # `path:…` or `hf:…`, not TASK/NAME
    language_models = set(filter(is_language_model, encoders))
    learned = {
        "encoder": bool(from_elsewhere),
        "language_model": bool(language_models),
        "pretraining": any(values.get("pretrain_epochs") for values in known),
        "teacher": NGRAMS in teachers,
        "teacher_model": any("/" in teacher for teacher in teachers)
        or bool(encoders - from_elsewhere - language_models),
        "augmentation": any(values.get("augmentation") for values in known),
    }
    return tuple(name for name, used in learned.items() if used)


def _categories(scores: object) -> tuple[CategoryScore, ...]:
    try:
        return tuple(CategoryScore(**score) for score in scores["categories"]) if isinstance(scores, dict) else ()
    except (TypeError, KeyError):
        return ()


def _recipe(info: CheckpointInfo) -> dict:
    """Settings that a training with another seed shares with this one."""
    model = json.loads(json.dumps(info.settings.to_dict()[info.settings.kind]))
    return {"model": model, "recipe": _with_defaults(info.metrics.entries.get("recipe"))}


def _is_alike(stored: object, info: CheckpointInfo) -> bool:
    """Whether stored seeds come from trainings like the model's."""
    if not isinstance(stored, dict):
        return False
    return {**stored, "recipe": _with_defaults(stored.get("recipe"))} == _recipe(info)


def _with_defaults(recipe: object) -> dict:
    """A recorded recipe without its seed, with defaults for settings newer than the record."""
    values = {**asdict(Recipe()), **(recipe if isinstance(recipe, dict) else {})}
    return {name: value for name, value in values.items() if name != "seed"}


def _latency(info: CheckpointInfo) -> float | None:
    """Stored seconds, if they were measured with these weights."""
    stored = _entry(info)
    valid = stored.get("weights_sha256") == weights_sha256(info.path) and is_number(stored.get("latency"))
    return stored["latency"] if valid else None


def _median_seconds(checkpoint: Checkpoint, tests: Sequence[BehaviouralTest]) -> float:
    """Median time from a text to its prediction, with all attention if there is any."""
    seconds = []
    for test in tests:
        start = time.perf_counter()
        explain(checkpoint, *test.texts)
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def _read() -> dict:
    """All stored values by `task/model`, including shipped ones; skips a file that is missing or damaged."""
    stored: dict[str, object] = {}
    for place in reversed(checkpoints.folders()):
        with suppress(OSError, ValueError):
            stored |= read_json_object(place / NAME)
    return stored


def _entry(info: CheckpointInfo) -> dict:
    entry = _read().get(f"{info.task}/{info.name}")
    return entry if isinstance(entry, dict) else {}


def _store(info: CheckpointInfo, **values: object) -> None:
    """Replace some values of a model.

    Raises:
        Failure: If the file cannot be written.
    """
    stored = {**_read(), f"{info.task}/{info.name}": {**_entry(info), **values}}
    with failing(OSError, "evidence.not_saved", folder=str(comparison_file().parent)):
        replace_file(comparison_file(), json.dumps(stored, indent=1, sort_keys=True) + "\n")
