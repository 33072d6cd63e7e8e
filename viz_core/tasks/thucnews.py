"""News: which of ten sections a Chinese headline belongs to."""

from dataclasses import replace

from viz_core.datasets import thucnews
from viz_core.recipes import FEW_ROWS, Preset, Recipe
from viz_core.tasks.baselines import baselines
from viz_core.tasks.task import Task
from viz_core.text.building import build_character_tokenizer, build_chinese_word_tokenizer
from viz_core.text.words import chinese_words

ON_SAMPLE = {**FEW_ROWS, "epochs": 15}
ENCODER = dict(layers=2, heads=4, width=128, feedforward=256, dropout=0.1, activation="relu", stem="convolution")
RECIPE = Recipe(lr=1e-3, epochs=10, batch=64, word_dropout=0.1, teacher="ngrams", pieces=True, best="accuracy")

THUCNEWS = Task(
    name="thucnews",
    page="news",
    corpus=thucnews.THUCNEWS,
    citation=(
        "20,000 titles in ten classes, drawn from THUCNews (Sun et al. 2016) by "
        "github.com/649453932/Chinese-Text-Classification-Pytorch; test: its test.txt of 10,000 titles"
    ),
    labels=thucnews.LABELS,
    pair=False,
    max_tokens=64,
    build_tokenizer=build_character_tokenizer,
    other_tokenizers={"words": build_chinese_word_tokenizer},
    segmenter=chinese_words,
    sample=("titles.jsonl",),
    behavioural_test_file="titles.jsonl",
    presets={
        "small": Preset(ENCODER, RECIPE, on_sample=ON_SAMPLE),
        # The larger encoder of the comparison. It overfits at this width; R-Drop counters that.
        "wide": Preset(
            {**ENCODER, "heads": 8, "width": 256, "feedforward": 512}, replace(RECIPE, r_drop=1.0), on_sample=ON_SAMPLE
        ),
        "small-words": Preset(ENCODER, replace(RECIPE, units="words", embeddings="skipgram"), on_sample=ON_SAMPLE),
        **baselines(lr=1e-3, epochs=10, width=128, bigrams=30_000, on_sample=ON_SAMPLE),
    },
)
