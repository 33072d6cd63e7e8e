"""First sentence of a model card: the architecture of the model, and what its training started from."""

from collections.abc import Sequence
from dataclasses import asdict

from viz_core.checkpoints.checkpoint import CheckpointInfo
from viz_core.models.baseline_configs import BagConfig, RecurrentConfig, TfidfConfig
from viz_core.models.config import EncoderConfig
from viz_core.models.decoder_config import DecoderConfig
from viz_core.models.encoder_decoder_config import EncoderDecoderConfig

_READINGS = {
    "last": "the classifier reads the last state",
    "mean": "the classifier reads the mean of the states",
    "attention": "with additive attention (Bahdanau et al. 2015), a single head whose values are the states: the "
    "classifier reads what [CLS] attends to",
}


def summary(info: CheckpointInfo) -> str:
    """Describe the architecture in a sentence, or by its config entries if its kind is unknown here."""
    config, parameters = info.settings.config, f"{info.metrics.parameters:,} parameters, stored in half precision."
    if isinstance(config, EncoderDecoderConfig):
        return f"{_encoder_decoder(config)} {parameters}"
    if isinstance(config, DecoderConfig):
        return f"{_decoder(config)} {parameters}"
    if isinstance(config, (RecurrentConfig, BagConfig, TfidfConfig)):
        tokens = f"up to {config.max_tokens} tokens of a vocabulary of {config.vocabulary:,}"
        return f"{_baseline(config)}; {tokens}. {parameters}"
    if not isinstance(config, EncoderConfig):
        entries = ", ".join(f"{name} {value}" for name, value in asdict(config).items())
        return f"A model of the kind `{info.settings.kind}`: {entries}. {parameters}"
    extras = ", an embedding that marks tokens occurring in the other sentence" if config.overlap else ""
    extras += ", a convolution over three neighbouring tokens before the first layer" if config.stem != "none" else ""
    return (
        f"A Transformer encoder {_start(info)}: {config.layers} layers × {config.heads} heads, width "
        f"{config.width}, feed-forward {config.feedforward} ({config.activation.upper()}), {config.norm}-norm, "
        f"{config.positions} positions{extras}; {config.pooling} pooling; up to {config.max_tokens} tokens of a "
        f"vocabulary of {config.vocabulary:,}. {parameters}"
    )


def _encoder_decoder(config: EncoderDecoderConfig) -> str:
    return (
        f"A Transformer with encoder and decoder trained from scratch: {config.layers} + {config.layers} layers × "
        f"{config.heads} heads, width {config.width}, feed-forward {config.feedforward} ({config.activation.upper()}), "
        f"{config.norm}-norm; up to {config.max_tokens} tokens of source and target each, of a vocabulary of "
        f"{config.vocabulary:,} for both."
    )


def _decoder(config: DecoderConfig) -> str:
    return (
        f"A Transformer decoder, a language model, trained from scratch: {config.layers} layers × "
        f"{config.heads} heads, width {config.width}, feed-forward {config.feedforward} ({config.activation.upper()}), "
        f"{config.norm}-norm, {config.positions} positions, the token embeddings also as output layer; up to "
        f"{config.max_tokens} tokens of a vocabulary of {config.vocabulary:,}."
    )


def _baseline(config: RecurrentConfig | BagConfig | TfidfConfig) -> str:
    if isinstance(config, RecurrentConfig):
        directions = "two directions" if config.bidirectional else "one direction"
        each = " of each direction" if config.bidirectional and config.reading == "last" else ""
        return (
            f"An LSTM (Hochreiter and Schmidhuber 1997) in {directions}, trained from scratch: embeddings and states "
            f"of width {config.width}, {_READINGS[config.reading]}{each}"
        )
    if isinstance(config, BagConfig):
        return (
            f"A bag of embeddings of width {config.width} (fastText, Joulin et al. 2017): the mean over the tokens"
            f"{_pairs(config.bigrams)}, and a linear classifier. It has no attention"
        )
    return (
        "Logistic regression on TF-IDF (Spärck Jones 1972; Salton and Buckley 1988): logarithmic counts of the tokens"
        f"{_pairs(config.bigrams)}, scaled by how rare they are. It has no attention"
    )


def _pairs(bigrams: int) -> str:
    return f" and over pairs of neighbours, which share {bigrams:,} rows by hashing" if bigrams else ""


def _start(info: CheckpointInfo) -> str:
    """Describe what training started from, and the teachers it learned from."""
    metrics = info.metrics.entries
    recipe, start = metrics.get("recipe", {}), "random weights"
    models = [f"`{teacher}`" for teacher in str(recipe.get("teacher")).split(",") if "/" in teacher]
    match metrics.get("pretrained"):
        case {"name": str(name), "sha256": str(sha256)} if name == recipe.get("encoder"):  # trained here, from scratch
            earlier = "an earlier " if name == f"{info.task}/{info.name}" else ""  # whose place this one has taken
            start = f"{earlier}`{name}` (sha256 of its weights `{sha256}`)"
        case {"name": str(name), "licence": str(licence), "sha256": str(sha256)}:
            terms = f"licence {licence}" if licence else "its card names no licence"
            return f"fine-tuned from the pre-trained encoder {name} ({terms}; sha256 of its weights `{sha256}`)"
        case _ if not models:
            return "trained from scratch"
    return f"{f'distilled from {_join(models)}' if models else 'trained further'}, starting from {start}"


def _join(names: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
