"""What a model card says about a translation."""

from __future__ import annotations

from collections.abc import Mapping

from viz_core.models.encoder_decoder_config import EncoderDecoderConfig

_METRICS = {
    "n": "d",
    "validation_loss": ".4f",
    "token_accuracy": ".4f",
    "bleu": ".1f",
    "chrf": ".1f",
    "incomplete": "d",
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
    """A table of the metrics on validation, computed from the weights as stored."""
    validation = metrics["validation"]
    rows = [
        "| | validation |",
        "|---|---|",
        *(f"| {name} | {validation[name]:{form}} |" for name, form in _METRICS.items()),
    ]
    return "\n".join(rows) + (
        "\n\n`bleu` and `chrf`: of greedy translations, in lower case, by sacreBLEU, one reference each. "
        "`token_accuracy` and `validation_loss`: of the next token after the true ones. `incomplete`: translations cut "
        "off at the length limit. The epoch was chosen on validation, which is held out from train."
    )
