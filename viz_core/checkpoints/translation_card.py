"""What a model card says about a translation."""

from __future__ import annotations

from collections.abc import Mapping

from viz_core.models.encoder_decoder_config import EncoderDecoderConfig

_METRICS = {
    "n": "d",
    "bleu": ".1f",
    "chrf": ".1f",
    "incomplete": "d",
    "beam_bleu": ".1f",
    "beam_chrf": ".1f",
    "beam_incomplete": "d",
    "retrieval_bleu": ".1f",
    "retrieval_chrf": ".1f",
    "token_accuracy": ".4f",
    "validation_loss": ".4f",
}


def translation_summary(config: EncoderDecoderConfig) -> str:
    """The architecture in a sentence."""
    return (
        f"A Transformer with encoder and decoder trained from scratch: {config.layers} + {config.layers} layers × "
        f"{config.heads} heads, width {config.width}, feed-forward {config.feedforward} ({config.activation.upper()}), "
        f"{config.norm}-norm; up to {config.max_tokens} tokens of source and target each, of a vocabulary of "
        f"{config.vocabulary:,} for both."
    )


def translation_metrics(metrics: Mapping) -> str:
    """A table of the metrics on validation and, if it was read, on test, all computed from the weights as stored."""
    columns = {"validation": metrics["validation"], **({"test": metrics} if metrics.get("split") == "test" else {})}
    rows = ["| | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    rows += [
        f"| {name} | " + " | ".join(_format(column.get(name), form) for column in columns.values()) + " |"
        for name, form in _METRICS.items()
        if any(name in column for column in columns.values())
    ]
    return "\n".join(rows) + (
        "\n\n`bleu` and `chrf`: of greedy translations, in lower case, by sacreBLEU, one reference each; `beam_`: of a "
        "beam search; `retrieval_`: of the translation of the most similar sentence of train, the baseline. "
        "`incomplete`: translations cut off at the length limit. `token_accuracy` and `validation_loss`: of the next "
        "token after the true ones. The epoch was chosen on validation, which is held out from train."
    )


def _format(value: float | None, form: str) -> str:
    return "" if value is None else f"{value:{form}}"
