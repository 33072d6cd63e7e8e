"""What a model card says about a translation."""

from __future__ import annotations

from viz_core.models.encoder_decoder_config import EncoderDecoderConfig

# Rows of the table of metrics, with their decimals (of floats), and what stands below it.
METRICS = {
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
}
NOTE = (
    "`bleu` and `chrf`: of greedy translations, in lower case, by sacreBLEU, one reference each; `beam_`: of a beam "
    "search; `retrieval_`: of the translation of the most similar sentence of train, the baseline. `incomplete`: "
    "translations cut off at the length limit. `token_accuracy` and `validation_loss`: of the next token after the "
    "true ones. The epoch was chosen on validation, which is held out from train."
)


def summary(config: EncoderDecoderConfig) -> str:
    """The architecture in a sentence."""
    return (
        f"A Transformer with encoder and decoder trained from scratch: {config.layers} + {config.layers} layers × "
        f"{config.heads} heads, width {config.width}, feed-forward {config.feedforward} ({config.activation.upper()}), "
        f"{config.norm}-norm; up to {config.max_tokens} tokens of source and target each, of a vocabulary of "
        f"{config.vocabulary:,} for both."
    )
