"""Sentence pairs: whether two Chinese questions to a bank have the same meaning."""

from viz_core.datasets import afqmc
from viz_core.datasets.question_pairs import question_pairs
from viz_core.recipes import FEW_ROWS, Preset, Recipe
from viz_core.tasks.task import Task
from viz_core.text.building import build_character_tokenizer
from viz_core.text.words import chinese_words

_COURSE = dict(layers=6, heads=8, dropout=0.05, attention_dropout=0.05, norm="post", activation="relu")
_COURSE_RECIPE = Recipe(lr=2e-3, weight_decay=0.005, warmup=0.0, epochs=40, patience=10, batch=128, best="accuracy")

AFQMC = Task(
    name="afqmc",
    page="matching",
    default_model="wide-distilled",
    corpus=afqmc.AFQMC,
    citation="AFQMC as published by CLUE (Xu et al. 2020); test: its dev split of 4,316 pairs",
    labels=("different", "same"),
    pair=True,
    max_tokens=64,
    build_tokenizer=build_character_tokenizer,
    segmenter=chinese_words,
    sample=("pairs.jsonl",),
    behavioural_test_file="pairs.jsonl",
    slices="overlap",
    augmentation=question_pairs,
    presets={
        "small": Preset(
            dict(layers=4, heads=4, width=128, feedforward=256, dropout=0.1, activation="relu", overlap=True),
            Recipe(
                lr=2e-4,
                epochs=8,
                batch=64,
                swap=True,
                label_smoothing=0.05,
                pretrain_epochs=30,
                r_drop=1.0,
                fit_threshold=True,
            ),
            on_sample={**FEW_ROWS, "epochs": 10},
        ),
        # Twice as wide, with more dropout and twice as much pre-training in larger batches.
        "wide": Preset(
            dict(layers=4, heads=4, width=256, feedforward=512, dropout=0.2, activation="relu", overlap=True),
            Recipe(
                lr=4e-4,
                epochs=8,
                batch=256,
                swap=True,
                label_smoothing=0.05,
                pretrain_epochs=60,
                r_drop=1.0,
                fit_threshold=True,
            ),
            on_sample={**FEW_ROWS, "epochs": 10},
        ),
        # The course model this project descends from: no warm-up, and a learning rate far too high for post-norm. It is
        # meant to fail, on the sample as well.
        "course": Preset(dict(_COURSE, width=256, feedforward=1024), _COURSE_RECIPE),
        # The same with a width small enough to ship; it predicts the same class for every input.
        "collapsed": Preset(dict(_COURSE, width=128, feedforward=512), _COURSE_RECIPE, caution="checkpoints.collapsed"),
    },
)
