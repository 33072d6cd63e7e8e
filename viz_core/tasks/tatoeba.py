"""Translation from Chinese into English: everyday sentences."""

from viz_core.datasets import tatoeba
from viz_core.recipes import Preset, Recipe
from viz_core.tasks.task import TRANSLATION, Task
from viz_core.text.building import build_translation_tokenizer
from viz_core.text.words import chinese_words

TATOEBA = Task(
    name="tatoeba",
    page="translation",
    kind=TRANSLATION,
    corpus=tatoeba.TATOEBA,
    citation=(
        "Chinese and English sentence pairs of the Tatoeba project (tatoeba.org, CC-BY 2.0 FR), in the selection of "
        "manythings.org/anki; test: 1,424 pairs, none of whose sentences occurs in train or validation"
    ),
    max_tokens=96,
    build_tokenizer=build_translation_tokenizer,
    segmenter=chinese_words,
    sample=("translations.jsonl",),
    aligned_file="translations.jsonl",
    presets={
        "small": Preset(
            dict(layers=3, heads=4, width=256, feedforward=512, dropout=0.2),
            Recipe(lr=1e-3, epochs=20, batch=64, warmup=0.05, label_smoothing=0.1, best="bleu"),
            kind="encoder_decoder",
            on_sample={"epochs": 10, "lr": 2e-3, "batch": 16},
        )
    },
)
