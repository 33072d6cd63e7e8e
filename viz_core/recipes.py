"""Recipes, the settings of a training; and presets, a model config and a recipe under one name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, get_args, get_type_hints

Schedule = Literal["cosine", "constant"]
Optimiser = Literal["adamw", "adam", "muon"]
Precision = Literal["auto", "32", "bf16"]
Units = Literal["default", "characters", "words"]
Embeddings = Literal["random", "skipgram"]

NGRAMS = "ngrams"  # a teacher that needs no model
_TEACHERS = re.compile(rf"none|({NGRAMS}|[\w.-]+/[\w.-]+)(,({NGRAMS}|[\w.-]+/[\w.-]+))*")


@dataclass(frozen=True)
class Recipe:
    """All settings of a training run, saved with the checkpoint.

    The attributes are, in this order, about optimisation, data, tokens, loss and selection.

    Attributes:
        lr: Peak learning rate.
        optimiser: AdamW; Adam with weight decay as an L2 penalty; or Muon for the matrices of the
            layers and AdamW for the rest (`training/muon.py`).
        warmup: Share of all steps over which the learning rate rises linearly.
        schedule: Learning rate after the warm-up.
        clip: Maximal gradient norm, 0 for none.
        token_lr: Factor of lr for the token embeddings, against memorisation: with its default
            betas, Adam moves the embedding of a rare word by up to 30 lr per occurrence.
        precision: Precision of matrix products; weights, optimiser and sums stay in 32 bits. `auto`
            is bf16 on GPUs that support it; on CPUs bf16 pays off with AMX only
            (`training/devices.py`).
        share: Share of the train and unlabelled rows that are used.
        train_rows: Maximal number, 0 for all; rows are sampled by the seed.
        unlabelled_rows: Likewise.
        validation_rows: Likewise.
        swap: Train on each pair in both orders.
        word_dropout: Share of tokens replaced by [UNK].
        teacher: Train on the unlabelled inputs, too, with soft targets (`training/teacher.py`)
            from an n-gram classifier (`ngrams`), from a trained model of the task (`TASK/NAME`), or
            from the mean of several, separated by commas.
        pieces: With a teacher, train on a short piece of each text, too, to cover short inputs.
        augmentation: With a teacher, train on so many inputs made by the task, too
            (`Task.augmentation`).
        units: What a token is; `default` is what the task usually has (`Task.other_tokenizers`).
        embeddings: How the token embeddings start; `skipgram`: as word vectors trained on the texts
            of train and of the unlabelled split (`training/word_vectors.py`).
        encoder: The encoder, or language model, whose weights and tokens the model starts from
            (`training/start.py`): pre-trained elsewhere, as a reference `path:…` or `hf:…`, or
            trained here, as `TASK/NAME`; empty for random weights.
        class_weights: Give all classes the same total weight.
        r_drop: Weight of the divergence between two passes with different dropout (Liang et al.
            2021).
        pretrain_epochs: Epochs of masked-token pre-training on the texts of train and of the
            unlabelled split.
        pretrain_lr: Peak learning rate of the pre-training.
        evaluations: Number per epoch, the last at its end.
        patience: Stop after this many epochs without improvement, 0 for never.
        best: The measure on validation that selects the checkpoint (`TaskKind.measures`).
        fit_threshold: Choose the decision threshold on validation (`evaluation.best_threshold`)
            instead of 0.5, for unbalanced classes.

    Raises:
        ValueError: If a value is invalid, naming it.
    """

    lr: float = 1e-3
    weight_decay: float = 0.01
    optimiser: Optimiser = "adamw"
    warmup: float = 0.1
    schedule: Schedule = "cosine"
    epochs: int = 5
    evaluations: int = 1
    patience: int = 0
    batch: int = 32
    seed: int = 0
    clip: float = 1.0
    label_smoothing: float = 0.0
    class_weights: bool = False
    share: float = 1.0
    train_rows: int = 0
    unlabelled_rows: int = 0
    validation_rows: int = 0
    swap: bool = False
    word_dropout: float = 0.0
    pretrain_epochs: int = 0
    pretrain_lr: float = 1e-3
    best: str = "auc"
    fit_threshold: bool = False
    token_lr: float = 1.0
    teacher: str = "none"
    pieces: bool = False
    augmentation: int = 0
    units: Units = "default"
    embeddings: Embeddings = "random"
    encoder: str = ""
    r_drop: float = 0.0
    precision: Precision = "auto"

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(Recipe).items():
            value = getattr(self, name)
            if choices := get_args(kind):
                if value not in choices:
                    raise ValueError(f"{name} is {value!r}: it must be one of {', '.join(choices)}")
            elif isinstance(value, bool) != (kind is bool) or not isinstance(
                value, (int, float) if kind is float else kind
            ):
                raise ValueError(f"{name} is {value!r}: it must be {_KINDS[kind]}")
        if self.epochs < 1 or self.batch < 1:
            raise ValueError(f"epochs ({self.epochs}) and batch ({self.batch}) must be at least 1")
        if self.evaluations < 1:
            raise ValueError(f"evaluations is {self.evaluations}: there must be at least 1 per epoch")
        for name in ("lr", "pretrain_lr"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ValueError(f"{name} is {getattr(self, name)}: the learning rate must be above 0")
        for name in (
            "weight_decay",
            "clip",
            "patience",
            "seed",
            "train_rows",
            "unlabelled_rows",
            "validation_rows",
            "pretrain_epochs",
            "token_lr",
            "r_drop",
            "augmentation",
        ):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} is {getattr(self, name)}: it must be at least 0")
        for name in ("warmup", "label_smoothing", "word_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: it must be at least 0 and below 1")
        if not 0 < self.share <= 1:
            raise ValueError(f"share is {self.share}: it must be above 0 and at most 1")
        self._check_teacher()
        if self.encoder and (self.units != "default" or self.embeddings != "random"):
            raise ValueError(
                f"encoder is {self.encoder}: it has tokens and embeddings of its own, so that units and embeddings "
                "cannot be set"
            )
        if self.r_drop and self.class_weights:
            raise ValueError(f"r_drop is {self.r_drop}: it cannot be combined with class_weights")

    def _check_teacher(self) -> None:
        if not _TEACHERS.fullmatch(self.teacher):
            raise ValueError(
                f"teacher is {self.teacher!r}: it must be none, {NGRAMS}, or models as TASK/NAME, separated by commas"
            )
        if not self.teachers and self.pieces:
            raise ValueError("pieces needs a teacher: only a teacher can label a piece of a text")
        if not self.teachers and self.augmentation:
            raise ValueError(f"augmentation is {self.augmentation}: it needs a teacher, which labels these inputs")
        if self.class_weights and self.teachers:
            raise ValueError(f"teacher is {self.teacher}: it cannot be combined with class_weights")
        if self.swap and NGRAMS in self.teachers:
            raise ValueError(f"teacher is {self.teacher}: {NGRAMS} reads single texts, which swap cannot exchange")

    @property
    def teachers(self) -> tuple[str, ...]:
        """The teachers, each `ngrams` or a model of the task as `TASK/NAME`; empty without a teacher."""
        return () if self.teacher == "none" else tuple(self.teacher.split(","))

    def count_training_rows(self, rows: int) -> int:
        """Number of training rows to use, out of `rows` labelled ones."""
        share = max(1, round(self.share * rows))
        return min(share, self.train_rows or share)

    def count_unlabelled_rows(self, rows: int) -> int:
        """Number of unlabelled rows to use, out of `rows`."""
        share = round(self.share * rows)
        return min(share, self.unlabelled_rows or share)

    @property
    def uses_unlabelled(self) -> bool:
        """Whether the unlabelled split is used."""
        return self.pretrain_epochs > 0 or bool(self.teachers) or self.embeddings != "random"

    @classmethod
    def from_dict(cls, values: Mapping, base: Recipe | None = None) -> Recipe:
        """Replace some values of `base` (or of the default recipe).

        Raises:
            ValueError: For an unknown setting.
        """
        if unknown := sorted(set(values) - {entry.name for entry in fields(cls)}):
            raise ValueError(f"the recipe has no setting named {', '.join(unknown)}")
        return cls(**{**vars(base or cls()), **values})


_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


@dataclass(frozen=True)
class Preset:
    """A model config and a recipe under one name.

    Attributes:
        config: Fields of the model config, except those given by the task and its vocabulary.
        recipe: The settings of the training.
        kind: Key of `models.kinds.KINDS`.
        caution: Key of a sentence that warns about the resulting model, or empty.
        on_sample: Recipe fields that the page replaces for training on the sample corpus.
        depths: Numbers of layers of an experiment that compares them.
    """

    config: Mapping
    recipe: Recipe
    kind: str = "encoder"
    caution: str = ""
    on_sample: Mapping = field(default_factory=dict)
    depths: tuple[int, ...] = (1, 2, 4, 6)


# For a few hundred rows: no regularisation, and a setting with which the loss falls clearly within a minute on two
# cores (measured); with the presets' own recipes it does not move.
FEW_ROWS = {
    "token_lr": 1.0,
    "word_dropout": 0.0,
    "label_smoothing": 0.0,
    "lr": 1e-3,
    "batch": 32,
    "pretrain_epochs": 0,
    "teacher": "none",
    "pieces": False,
    "augmentation": 0,
    "embeddings": "random",
    "r_drop": 0.0,
    "evaluations": 1,
}
