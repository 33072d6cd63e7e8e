"""The settings of a requested training, and the training that they describe."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial

from viz_core.jobs.request import Request
from viz_core.models.kinds import KINDS
from viz_core.models.protocol import TrainableConfig
from viz_core.names import check_name
from viz_core.recipes import NGRAMS, Preset, Recipe
from viz_core.records import Failure, failing
from viz_core.tasks import Task, get_task
from viz_core.text.tokenizer_file import SHORTEST
from viz_core.training.start import model_fields

MAX_PINNED = 4
MAX_PINNED_CHARACTERS = 8_000  # in all of them: each run keeps its own, and every page that lists runs reads them
_KEYS = {"overrides": "encoder"}  # name of a field here -> name in a request


@dataclass(frozen=True)
class Training:
    """What to train.

    Attributes:
        task: The task.
        config: The model's config; its vocabulary is known only once the corpus is read.
        recipe: The settings of the training.
        name: Name of the model, for its card.
        data: `full` or `sample`.
        device: Where to train; None for the best device.
        caution: Key of a sentence that warns about the model, or empty.
        command: Command line that repeats the training.
        kind: A key of `models.kinds`.

    Raises:
        ValueError: If the task does not fit the recipe.
    """

    task: Task
    config: TrainableConfig
    recipe: Recipe
    name: str
    data: str = "full"
    device: str | None = None
    caution: str = ""
    command: str = ""
    kind: str = "encoder"

    def __post_init__(self) -> None:
        task, recipe = self.task, self.recipe
        task.tokenizer_builder(recipe.units)
        task.kind.best_measure(recipe.best, task.name)
        for name in task.kind.unused_settings:
            if (value := getattr(recipe, name)) != getattr(Recipe, name):
                raise ValueError(f"{name}={value!r} has no use: {task.name} is {task.kind.described}; leave it out")
        if recipe.embeddings != "random" and not hasattr(self.config, "width"):
            raise ValueError(
                f"embeddings={recipe.embeddings!r} has no use: a {self.kind} model has no embeddings; leave it out"
            )
        if recipe.pretrain_epochs and not KINDS[self.kind].can_pretrain:
            raise ValueError(
                f"pretrain_epochs={recipe.pretrain_epochs} has no use: a {self.kind} model reads each token on its own "
                "and cannot predict a masked one; leave it out"
            )
        self._check_teacher(task)
        if self.config.max_tokens < SHORTEST:
            raise ValueError(f"max_tokens={self.config.max_tokens} is too small: use at least {SHORTEST}")

    def _check_teacher(self, task: Task) -> None:
        recipe = self.recipe
        if task.pair and NGRAMS in recipe.teachers:
            raise ValueError(f"teacher={recipe.teacher!r} needs single texts: {task.name} has pairs; leave it out")
        if task.pair and recipe.pieces:
            raise ValueError(f"pieces={recipe.pieces} needs single texts: {task.name} has pairs; leave it out")
        for teacher in recipe.teachers:
            if teacher != NGRAMS and not teacher.startswith(f"{task.name}/"):
                raise ValueError(f"teacher={teacher!r} is of another task: use a model of {task.name}")
        if recipe.augmentation and not task.augmentation:
            raise ValueError(
                f"augmentation={recipe.augmentation} has no use: {task.name} makes no further inputs; leave it out"
            )

    def with_vocabulary(self, vocabulary: int) -> Training:
        """The training with the vocabulary size of its corpus."""
        return replace(self, config=replace(self.config, vocabulary=vocabulary))


# Turns the errors of a bad setting into a Failure.
_failures = partial(failing, (TypeError, ValueError), "training.bad_setting")


@dataclass(frozen=True)
class TrainingSettings:
    """The `settings` in the request of a run; task, preset, name, data and device as on the command line.

    Whether the settings fit a pre-trained encoder, which may have to be fetched, only `training`
    says.

    Attributes:
        overrides: The fields of the model's config that differ from the preset.
        recipe: The fields of the recipe that differ from the preset.
        pinned: Up to four inputs, each a text or a pair of texts, explained or translated at every
            evaluation; together at most MAX_PINNED_CHARACTERS long.

    Raises:
        Failure: For invalid settings.
    """

    task: str
    preset: str = "small"
    name: str = ""
    data: str = "full"
    device: str | None = None
    overrides: Mapping = field(default_factory=dict)
    recipe: Mapping = field(default_factory=dict)
    pinned: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        task = get_task(self.task)
        presets = task.presets
        if self.preset not in presets:
            raise Failure("training.no_preset", preset=self.preset, known=list(presets))
        if self.data not in task.data:
            known = " or ".join(task.data)
            raise Failure("training.bad_setting", reason=f"data is {self.data!r}: for {self.task} it must be {known}")
        if len(self.pinned) > MAX_PINNED:
            raise Failure("training.too_many_pinned", count=len(self.pinned), most=MAX_PINNED)
        characters = sum(len(str(text)) + 1 for texts in self.pinned for text in texts)  # with what separates them
        if characters > MAX_PINNED_CHARACTERS:
            raise Failure("training.too_long_pinned", count=characters, most=MAX_PINNED_CHARACTERS)
        if self.name:
            check_name(self.name)
        with _failures():
            starts_elsewhere = Recipe.from_dict(self.recipe, presets[self.preset].recipe).encoder
        if not starts_elsewhere:
            self.training()

    @classmethod
    def from_request(cls, request: Request) -> TrainingSettings:
        """Read the settings in the request of a run; the device is that of the request's queue."""
        values = {"device": request.device or None, **request.settings}
        values |= {ours: values.pop(key) for ours, key in _KEYS.items() if key in values}
        if "task" not in values:
            raise Failure("training.bad_setting", reason="settings must hold at least a task")
        if unknown := sorted(set(values) - {entry.name for entry in fields(cls)}):
            raise Failure("training.bad_setting", reason=f"there is no setting named {', '.join(unknown)}")
        pinned = ((texts,) if isinstance(texts, str) else tuple(texts) for texts in values.get("pinned", ()))
        return cls(**{**values, "pinned": tuple(pinned)})

    def to_request(self) -> dict:
        """The settings for a request, without the device, which is a field of the request."""
        return {_KEYS.get(name, name): value for name, value in asdict(self).items() if name != "device"}

    def training(self) -> Training:
        """The training that these settings describe.

        Raises:
            Failure: If they are inconsistent, or do not fit the pre-trained encoder to start from,
                whose config may be fetched.
        """
        task = get_task(self.task)
        preset = task.presets[self.preset]
        name = self.name or self.preset
        with _failures():
            recipe = Recipe.from_dict(self.recipe, preset.recipe)
            config = _model_config(task, preset, recipe, self.overrides)
            return Training(
                task, config, recipe, name, self.data, self.device, preset.caution, self.command, preset.kind
            )

    @property
    def command(self) -> str:
        """The command line of this training."""
        words = ["python", "-m", "viz_core", "train"]
        options = {"task": self.task, "preset": self.preset, "data": self.data, **self.overrides, **self.recipe}
        for name, value in options.items():
            option = name.replace("_", "-")
            words += [f"--{'' if value else 'no-'}{option}"] if isinstance(value, bool) else [f"--{option}", str(value)]
        return shlex.join(words)


def _model_config(task: Task, preset: Preset, recipe: Recipe, changed: Mapping) -> TrainableConfig:
    """The config of a preset with changed fields.

    The sizes are those of the pre-trained encoder, if there is one.

    Raises:
        Failure: If the encoder cannot be used.
        ValueError: If the fields contradict the encoder or each other.
    """
    values = {**preset.config, **changed}
    if recipe.encoder:
        most_tokens = values.get("max_tokens", task.max_tokens)
        values |= model_fields(recipe.encoder, preset.kind, most_tokens, changed)
    return model_config(task, preset.kind, values)


def model_config(task: Task, kind: str, model: Mapping, vocabulary: int = 1) -> TrainableConfig:
    """Build the config of a model for a task.

    Args:
        task: The task.
        kind: A key of `models.kinds`.
        model: The fields that the task does not set.
        vocabulary: Number of tokens.

    Raises:
        ValueError: If the fields are inconsistent, naming the values.
    """
    classes = {"classes": len(task.labels)} if task.labels else {}
    return KINDS[kind].config({"vocabulary": vocabulary, "max_tokens": task.max_tokens, **classes, **model})
