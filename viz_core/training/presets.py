"""How an encoder is trained: the recipe, and the presets that name an encoder and a recipe together."""

from __future__ import annotations

from dataclasses import dataclass, fields
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
    and from what an n-gram classifier says of each (`teacher.py`); pieces: and from a short piece of every text, so that
    short texts are not strangers. r_drop: weight of the divergence between two passes of the same text, each with dropout
    of its own (Liang et al. 2021). precision: of the products; weights, optimiser and sums stay in 32 bits. `auto` takes
    bf16 on the GPUs that multiply it; on a CPU it is worth asking for where AMX is (`devices.precision`).
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
            elif isinstance(value, bool) != (kind is bool) or not isinstance(value, (int, float) if kind is float else kind):
                raise ValueError(f"{name} is {value!r}: it must be {_KINDS[kind]}")
        if self.epochs < 1 or self.batch < 1:
            raise ValueError(f"epochs ({self.epochs}) and batch ({self.batch}) must be at least 1")
        if self.evaluations < 1:
            raise ValueError(f"evaluations is {self.evaluations}: there must be at least 1 in an epoch")
        for name in ("lr", "pretrain_lr"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ValueError(f"{name} is {getattr(self, name)}: the learning rate must be above 0")
        for name in ("weight_decay", "clip", "patience", "seed", "train_rows", "validation_rows", "pretrain_epochs",
                     "token_lr", "r_drop"):
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

    @property
    def unlabelled(self) -> bool:
        """Whether it reads texts without labels."""
        return self.pretrain_epochs > 0 or self.teacher != "none"

    @classmethod
    def from_dict(cls, values: dict, base: Recipe | None = None) -> Recipe:
        """The recipe of `base` (of the defaults) with these values instead. Raises ValueError where one is unknown."""
        if unknown := sorted(set(values) - {field.name for field in fields(cls)}):
            raise ValueError(f"the recipe has no setting named {', '.join(unknown)}")
        return cls(**{**vars(base or cls()), **values})


_KINDS = {int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True)
class Preset:
    """encoder: the fields of EncoderConfig that the task and its vocabulary do not set."""

    encoder: dict
    recipe: Recipe
    caution: str = ""  # key of a sentence that warns of the model this makes


_AFQMC_COURSE = dict(layers=6, heads=8, dropout=0.05, attention_dropout=0.05, norm="post", activation="relu")
_AFQMC_COURSE_RECIPE = Recipe(
    lr=2e-3, weight_decay=0.005, warmup=0.0, epochs=40, patience=10, batch=128, best="accuracy")

PRESETS: dict[str, dict[str, Preset]] = {
    "imdb": {
        "small": Preset(
            dict(layers=2, heads=4, width=64, feedforward=128, dropout=0.1, activation="relu", stem="convolution"),
            Recipe(epochs=4, batch=64, token_lr=0.2, word_dropout=0.1, teacher="ngrams", pieces=True, best="accuracy")),
        # As large as the course model below, trained our way.
        "wide": Preset(
            dict(layers=4, heads=8, width=256, feedforward=512, dropout=0.1, activation="relu", pooling="mean"),
            Recipe(lr=5e-4, epochs=1, batch=64, token_lr=0.2, word_dropout=0.1, teacher="ngrams", pieces=True,
                   best="accuracy", evaluations=4)),
        # The course model this project descends from: mean pooling, Adam at a constant rate, on part of the reviews.
        "course": Preset(
            dict(layers=4, heads=8, width=256, feedforward=512, dropout=0.3, attention_dropout=0.3, norm="post",
                 activation="relu", pooling="mean"),
            Recipe(lr=1e-4, weight_decay=1e-5, optimiser="adam", warmup=0.0, schedule="constant", epochs=5,
                   train_rows=10_000, validation_rows=2_000, best="accuracy")),
    },
    "afqmc": {
        "small": Preset(
            dict(layers=4, heads=4, width=128, feedforward=256, dropout=0.1, activation="relu", overlap=True),
            Recipe(lr=2e-4, epochs=8, batch=64, swap=True, label_smoothing=0.05, pretrain_epochs=30, r_drop=1.0,
                   fit_threshold=True)),
        # The course model this project descends from: no warm-up and a rate far too high for post-norm.
        "course": Preset(dict(_AFQMC_COURSE, width=256, feedforward=1024), _AFQMC_COURSE_RECIPE),
        # The same at a width that is small enough to ship; it answers the same for everything.
        "collapsed": Preset(
            dict(_AFQMC_COURSE, width=128, feedforward=512), _AFQMC_COURSE_RECIPE, caution="checkpoints.collapsed"),
    },
}
