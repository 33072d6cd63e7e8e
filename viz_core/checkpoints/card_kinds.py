"""Parts of the model card that depend on the kind of task: metrics, tables, readings of the test split."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from viz_core.checkpoints.checkpoint import CheckpointInfo
from viz_core.checkpoints.settings import Settings
from viz_core.tasks import CLASSIFICATION, LANGUAGE_MODEL, TRANSLATION, OfKind, get_task


@dataclass(frozen=True)
class CardKind:
    """The parts of a card that differ between kinds of tasks.

    Attributes:
        metrics: Rows of the table of metrics, with the decimals of floats.
        note: Text below that table.
        readings: Maps column titles of the table of readings to their figures.
        reading_decimals: Decimals in that table.
        sections: Makes sections in Markdown below the metrics, from the metrics by split.
        decision: Makes lines of the last section on how an output becomes a prediction.
    """

    metrics: Mapping[str, int]
    note: str
    readings: Mapping[str, str]
    reading_decimals: int
    sections: Callable[[CheckpointInfo, Mapping[str, Mapping]], list[str]] = lambda info, splits: []
    decision: Callable[[Settings], list[str]] = lambda settings: []


_KINDS: OfKind[CardKind] = OfKind()
card_kind, register_card_kind = _KINDS.of, _KINDS.register


def _decision(settings: Settings) -> list[str]:
    rule = (
        "the most probable class is predicted"
        if settings.threshold is None
        else f"decision threshold {settings.threshold:.4f}"
    )
    return [f"- temperature {settings.temperature:.4f}, {rule}"]


def _classes(info: CheckpointInfo, splits: Mapping[str, Mapping]) -> list[str]:
    """Write F1 by class, and confusion matrices, for splits that have `f1` and `confusion` of all classes."""
    labels = get_task(info.task).labels
    splits = {name: metrics for name, metrics in splits.items() if _has_classes(metrics, len(labels))}
    if not splits:
        return []
    scores = [
        [f"`{label}`", *(f"{metrics['f1'][number]:.4f}" for metrics in splits.values())]
        for number, label in enumerate(labels)
    ]
    parts = ["## Classes", _table(["class", *(f"F1 on {name}" for name in splits)], scores)]
    for name, metrics in splits.items():
        rows = [[f"`{label}`", *map(str, counts)] for label, counts in zip(labels, metrics["confusion"], strict=True)]
        matrix = _table(["true class", *(f"`{label}`" for label in labels)], rows)
        parts += [f"Predicted classes on {name}:", matrix]
    return parts


def _has_classes(metrics: Mapping, count: int) -> bool:
    """Whether the scores of all classes are known; there is no F1 if all labels are equal."""
    return all(scores and len(scores) == count for scores in (metrics.get("f1"), metrics.get("confusion")))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


_CLASSIFICATION = ("n", "accuracy", "majority_accuracy", "auc", "mcc", "ece_uncalibrated", "ece")
register_card_kind(
    CLASSIFICATION,
    CardKind(
        dict.fromkeys(_CLASSIFICATION, 4),
        "`ece` is the expected calibration error. The epoch, the temperature and the threshold were chosen on "
        "validation, which is held out from train.",
        {"accuracy": "accuracy", "AUC": "auc", "MCC": "mcc"},
        4,
        _classes,
        _decision,
    ),
)
register_card_kind(
    TRANSLATION,
    CardKind(
        {
            "n": 0,
            "bleu": 1,
            "chrf": 1,
            "incomplete": 0,
            "beam_bleu": 1,
            "beam_chrf": 1,
            "beam_incomplete": 0,
            "retrieval_bleu": 1,
            "retrieval_chrf": 1,
            "token_accuracy": 4,
            "validation_loss": 4,
        },
        "`bleu` and `chrf`: of greedy translations, in lower case, by sacreBLEU, one reference each; `beam_`: of a "
        "beam search; `retrieval_`: of the translation of the most similar sentence of train, the baseline. "
        "`incomplete`: translations cut off at the length limit. `token_accuracy` and `validation_loss`: of the next "
        "token after the true ones. The epoch was chosen on validation, which is held out from train.",
        {"BLEU": "bleu", "BLEU, beam search": "beam_bleu", "BLEU, retrieval": "retrieval_bleu"},
        1,
    ),
)
register_card_kind(
    LANGUAGE_MODEL,
    CardKind(
        {
            "n": 0,
            "words": 0,
            "perplexity": 2,
            "kneser_ney_perplexity": 2,
            "bits_per_character": 4,
            "token_loss": 4,
            "token_accuracy": 4,
            "repeated_loss": 4,
        },
        "`perplexity`: per word, exp of the negative log-probability of all tokens, ends of texts included, by the "
        "number of words; a word is a run of letters and digits, or another mark. `kneser_ney_`: of an interpolated "
        "Kneser-Ney 5-gram of the same train split over the same tokens, the baseline. `token_loss`: in nats. "
        "`repeated_loss`: over the tokens that stood before behind the same token, which can be copied. The step was "
        "chosen on validation, which is held out from train.",
        {
            "perplexity": "perplexity",
            "perplexity of the 5-gram": "kneser_ney_perplexity",
            "bits per character": "bits_per_character",
        },
        2,
    ),
)
