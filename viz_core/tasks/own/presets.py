"""Presets of a task of one's own, sized to its number of rows."""

from collections.abc import Mapping
from dataclasses import replace

from viz_core.recipes import Preset, Recipe
from viz_core.tasks.baselines import baselines

_MANY_ROWS = 2_000  # from here on a wider encoder learns more than it forgets
_BATCH = 32
_STEPS = 900  # of a training: a minute or two on two cores for short texts
_EPOCHS = range(3, 41)
_FINETUNE_EPOCHS = range(2, 9)
_FINETUNE_STEPS = 120
_UNBALANCED = 0.7  # share of the largest class above which accuracy says little


def own_presets(
    rows: int, pair: bool, class_weights: bool, start: str, measure: str = "accuracy"
) -> Mapping[str, Preset]:
    """Return the presets by name, the encoders first, then the baselines.

    Args:
        rows: Rows of train.
        pair: Whether an input is two texts.
        class_weights: Whether all classes get the same weight.
        start: A model of ours that reads such texts, to start from; empty if there is none.
        measure: The measure that selects the best epoch.
    """
    shared = dict(batch=_BATCH, class_weights=class_weights, best=measure)
    recipe = Recipe(lr=1e-3, epochs=epochs(rows, _STEPS, _EPOCHS), swap=pair, weight_decay=0.05, **shared)
    width = 128 if rows >= _MANY_ROWS else 64
    sizes = dict(layers=2, heads=4, width=width, feedforward=2 * width)
    encoder = dict(**sizes, dropout=0.1, activation="gelu", pooling="mean", overlap=pair)
    presets = {"small": Preset(encoder, recipe)}
    if start:
        tuning = Recipe(
            lr=1e-4, epochs=epochs(rows, _FINETUNE_STEPS, _FINETUNE_EPOCHS), encoder=start, swap=pair, **shared
        )
        presets["finetune"] = Preset(dict(dropout=0.1, attention_dropout=0.1), tuning)
    if rows >= _MANY_ROWS:
        wide = {**encoder, "layers": 4, "width": 256, "feedforward": 512, "dropout": 0.2}
        presets["wide"] = Preset(wide, replace(recipe, lr=5e-4))
    compared = baselines(lr=1e-3, epochs=recipe.epochs, width=64, bigrams=20_000, on_sample={})
    for name, preset in compared.items():
        chosen = replace(preset.recipe, epochs=recipe.epochs, swap=False, word_dropout=0.0, **shared)
        presets[name] = replace(preset, recipe=chosen)
    return presets


def epochs(rows: int, steps: int, possible: range) -> int:
    """Return the epochs in which a training takes about so many steps."""
    wanted = round(steps * _BATCH / max(rows, 1))
    return min(max(wanted, possible.start), possible.stop - 1)
