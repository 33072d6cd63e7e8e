"""What a model card says about the models that a Transformer is compared with."""

from __future__ import annotations

from viz_core.models.baseline_configs import BagConfig, RecurrentConfig, TfidfConfig

_READINGS = {
    "last": "the classifier reads the last state",
    "mean": "the classifier reads the mean of the states",
    "attention": "with additive attention (Bahdanau et al. 2015), a single head whose values are the states: the "
    "classifier reads what [CLS] attends to",
}


def summary(config: RecurrentConfig | BagConfig | TfidfConfig) -> str:
    """What the model is, with its source, in a sentence."""
    return f"{_kind(config)}; up to {config.max_tokens} tokens of a vocabulary of {config.vocabulary:,}."


def _kind(config: RecurrentConfig | BagConfig | TfidfConfig) -> str:
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
