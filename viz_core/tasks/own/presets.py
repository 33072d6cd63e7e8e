"""Presets of a task of one's own, sized to its number of rows."""

from collections.abc import Mapping
from dataclasses import replace

from viz_core.recipes import Preset, Recipe
from viz_core.tasks.baselines import baselines

_MANY_ROWS = 2_000  # from here on a wider encoder learns more than it forgets
_BATCH = 32
_STEPS, _EPOCHS = 600, range(5, 41)  # of a training from scratch: a minute on two cores for 400 short texts
_TUNING_STEPS, _TUNING_EPOCHS = 60, range(2, 5)
_BIGRAMS = 20_000  # rows of the table of pairs, for the baselines


def own_presets(rows: int, pair: bool, class_weights: bool, start: str) -> Mapping[str, Preset]:
    """Return the presets by name, the encoders first, then the baselines.

    Args:
        rows: Rows of train.
        pair: Whether an input is two texts.
        class_weights: Whether all classes get the same weight; the best epoch is then chosen by
            Matthews correlation, because accuracy rewards the largest class.
        start: A model of ours that reads such texts, to start from; empty if there is none.
    """
    base = Recipe(batch=_BATCH, class_weights=class_weights, best="mcc" if class_weights else "accuracy")
    scratch = replace(base, lr=1e-3, epochs=epochs(rows, _STEPS, _EPOCHS), swap=pair, weight_decay=0.05)
    width = 128 if rows >= _MANY_ROWS else 64
    sizes = dict(layers=2, heads=4, width=width, feedforward=2 * width)
    # As BERT has it, so that transformers opens the model (adapters/export.py); within the noise of two seeds it is as
    # accurate as pre-norm with the mean (60 to 450 rows of test).
    as_bert = dict(norm="post", embedding_norm=True, pooling="cls", activation="gelu")
    encoder = dict(**sizes, **as_bert, dropout=0.1, overlap=pair)
    presets = {"small": Preset(encoder, scratch)}
    if rows >= _MANY_ROWS:
        wide = {**encoder, "layers": 4, "width": 256, "feedforward": 512, "dropout": 0.2}
        presets["wide"] = Preset(wide, replace(scratch, lr=5e-4))
    if start:
        tuning = replace(base, lr=1e-4, epochs=epochs(rows, _TUNING_STEPS, _TUNING_EPOCHS), swap=pair, encoder=start)
        presets["finetune"] = Preset(dict(dropout=0.1, attention_dropout=0.1), tuning)
    compared = baselines(lr=1e-3, epochs=scratch.epochs, width=64, bigrams=_BIGRAMS, on_sample={})
    for name, preset in compared.items():
        recipe = replace(
            preset.recipe,
            epochs=scratch.epochs,
            batch=_BATCH,
            word_dropout=0.0,
            class_weights=class_weights,
            best=base.best,
        )
        presets[name] = replace(preset, recipe=recipe)
    return presets


def epochs(rows: int, steps: int, possible: range) -> int:
    """Return the epochs in which a training takes about so many steps."""
    wanted = round(steps * _BATCH / max(rows, 1))
    return min(max(wanted, possible.start), possible.stop - 1)
