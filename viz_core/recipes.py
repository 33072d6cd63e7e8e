"""How a model is trained: the recipe, and presets, which name a model and a recipe together; each task has its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, get_args, get_type_hints

Schedule = Literal["cosine", "constant"]
Optimiser = Literal["adamw", "adam"]
Best = Literal["accuracy", "auc", "mcc"]
Precision = Literal["auto", "32", "bf16"]
Teacher = Literal["none", "ngrams"]


@dataclass(frozen=True)
class Recipe:
    """Settings of one training, all of them; saved with the checkpoint. Raises ValueError, naming the value that cannot be.

    lr: peak learning rate. optimiser: AdamW, or Adam, whose weight decay is an L2 penalty. warmup: share of all steps over
    which the rate rises. schedule: what it does after that. clip: largest norm of the gradient, 0 for none. share: of the
    train and unlabelled rows that are learned from. train_rows, validation_rows: at most so many, 0 for all; what is left
    is drawn by the seed. class_weights: the loss counts every class as much as the others, however rare it is. swap: each
    pair is also learned with its sentences exchanged. word_dropout: share of tokens replaced by [UNK] while learning.
    patience: stop after so many epochs without a better one, 0 for never. evaluations: in each epoch, the last at its end.
    pretrain_epochs: epochs of masked-token pre-training before, on the text of train and of the unlabelled split, with
    pretrain_lr. best: the validation figure that picks the checkpoint. fit_threshold: decide from the probability on that
    separates best on validation (`evaluation.best_threshold`), not from one half on; for classes of unequal share.
    token_lr: factor of lr for the token embeddings, against learning by heart: at its default betas Adam moves the row of a
    rare word by up to thirty times lr for every time it occurs. teacher: `ngrams` also learns from the unlabelled texts,
    and from what an n-gram classifier says of each (`training/teacher.py`); pieces: and from a short piece of every
    text, so that short texts are not strangers. r_drop: weight of the divergence between two passes of the same text,
    each with dropout of its own (Liang et al. 2021). precision: of the products; weights, optimiser and sums stay in 32 bits. `auto` takes
    bf16 on the GPUs that multiply it; on a CPU it is worth asking for where AMX is (`training/devices.py`).
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
    validation_rows: int = 0
    swap: bool = False
    word_dropout: float = 0.0
    pretrain_epochs: int = 0
    pretrain_lr: float = 1e-3
    best: Best = "auc"
    fit_threshold: bool = False
    token_lr: float = 1.0
    teacher: Teacher = "none"
    pieces: bool = False
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
            raise ValueError(f"evaluations is {self.evaluations}: there must be at least 1 in an epoch")
        for name in ("lr", "pretrain_lr"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ValueError(f"{name} is {getattr(self, name)}: the learning rate must be above 0")
        for name in (
            "weight_decay",
            "clip",
            "patience",
            "seed",
            "train_rows",
            "validation_rows",
            "pretrain_epochs",
            "token_lr",
            "r_drop",
        ):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} is {getattr(self, name)}: it must be at least 0")
        for name in ("warmup", "label_smoothing", "word_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: it must be at least 0 and below 1")
        if not 0 < self.share <= 1:
            raise ValueError(f"share is {self.share}: it must be above 0 and at most 1")
        if self.teacher == "none" and self.pieces:
            raise ValueError("pieces is true, and teacher none: only a teacher can say what a piece of a text means")
        if self.teacher != "none" and (self.swap or self.class_weights):
            raise ValueError(f"teacher is {self.teacher}: it goes with neither swap nor class_weights")
        if self.r_drop and self.class_weights:
            raise ValueError(f"r_drop is {self.r_drop}: it does not go with class_weights")

    def drawn_rows(self, rows: int) -> int:
        """How many of the labelled rows of train are learned from."""
        share = max(1, round(self.share * rows))
        return min(share, self.train_rows or share)

    @property
    def unlabelled(self) -> bool:
        """Whether it reads texts without labels."""
        return self.pretrain_epochs > 0 or self.teacher != "none"

    @classmethod
    def from_dict(cls, values: Mapping, base: Recipe | None = None) -> Recipe:
        """The recipe of `base` (of the defaults) with these values instead. Raises ValueError where one is unknown."""
        if unknown := sorted(set(values) - {entry.name for entry in fields(cls)}):
            raise ValueError(f"the recipe has no setting named {', '.join(unknown)}")
        return cls(**{**vars(base or cls()), **values})


_KINDS = {int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True)
class Preset:
    """model: the fields of its config that the task and its vocabulary do not set. kind: one of `models.kinds`. caution:
    key of a sentence that warns of the model this makes, or empty. on_sample: fields of the recipe that the page sets
    otherwise where the sample is learned from."""

    model: Mapping
    recipe: Recipe
    kind: str = "encoder"
    caution: str = ""
    on_sample: Mapping = field(default_factory=dict)


# A few hundred rows want more epochs, and none of what keeps an encoder from learning a corpus by heart: with these the
# loss falls clearly within a minute on two cores (measured), with the preset's own it stays where it is.
FEW_ROWS = {
    "token_lr": 1.0,
    "word_dropout": 0.0,
    "label_smoothing": 0.0,
    "lr": 1e-3,
    "batch": 32,
    "pretrain_epochs": 0,
    "teacher": "none",
    "pieces": False,
    "r_drop": 0.0,
    "evaluations": 1,
}
