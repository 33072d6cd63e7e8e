"""Presets of the models that a Transformer encoder is compared with, for every classification of single texts."""

from collections.abc import Mapping
from dataclasses import replace

from viz_core.recipes import Preset, Recipe

_BAG = 16  # width of its embeddings; Joulin et al. 2017 have 10
_LINEAR_EPOCHS = 6  # of the bag and of TF-IDF, which are trained in minutes


def baselines(*, lr: float, epochs: int, width: int, bigrams: int, on_sample: Mapping) -> dict[str, Preset]:
    """Return presets by name, all trained on the labels alone.

    Args:
        lr: Learning rate of the recurrent models.
        epochs: Of the recurrent models.
        width: Of their embeddings and states.
        bigrams: Rows of the table of pairs, for the bag of embeddings and TF-IDF.
        on_sample: Settings for the sample corpus.
    """
    recipe = Recipe(lr=lr, epochs=epochs, batch=64, word_dropout=0.1, best="accuracy")
    linear = replace(recipe, lr=1e-2, epochs=_LINEAR_EPOCHS, weight_decay=0.0, word_dropout=0.0, warmup=0.0)
    lstm = dict(width=width, dropout=0.3)
    return {
        "lstm": Preset(lstm, recipe, kind="recurrent", on_sample=on_sample),
        "bilstm": Preset({**lstm, "bidirectional": True}, recipe, kind="recurrent", on_sample=on_sample),
        "bilstm-attention": Preset(
            {**lstm, "bidirectional": True, "reading": "attention"}, recipe, kind="recurrent", on_sample=on_sample
        ),
        "bag": Preset(
            dict(width=_BAG, bigrams=bigrams, dropout=0.3), replace(linear, lr=3e-3), kind="bag", on_sample=on_sample
        ),
        "tfidf": Preset(dict(bigrams=bigrams), linear, kind="tfidf", on_sample=on_sample),
    }
