"""Language model of sequences that occur twice: the smallest task that needs an induction head."""

from viz_core.datasets import syllables
from viz_core.recipes import Preset, Recipe
from viz_core.tasks.task import LANGUAGE_MODEL, Task
from viz_core.text.building import build_word_tokenizer

SYLLABLES = Task(
    name="syllables",
    page="syllables",
    kind=LANGUAGE_MODEL,
    citation=(
        "random sequences of syllables that occur twice, made by this project (`viz_core/datasets/syllables.py`); "
        "periods of validation and test do not occur in training"
    ),
    max_tokens=64,
    build_tokenizer=build_word_tokenizer,
    segmenter=None,
    make_rows=syllables.make_rows,
    presets={
        "small": Preset(
            dict(layers=2, heads=4, width=64, feedforward=64, dropout=0.0, initializer_range=0.08),
            Recipe(lr=3e-3, epochs=1, batch=32, warmup=0.05, best="repeated_loss", evaluations=40),
            kind="decoder",
            depths=(1, 2),
        )
    },
)
