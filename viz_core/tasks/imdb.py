"""Sentiment: whether a film review is negative or positive."""

from viz_core.datasets import imdb
from viz_core.datasets.review_sentences import review_sentences
from viz_core.recipes import FEW_ROWS, Preset, Recipe
from viz_core.tasks.baselines import baselines
from viz_core.tasks.task import Task
from viz_core.text.building import build_word_tokenizer

ON_SAMPLE = {**FEW_ROWS, "epochs": 15}

IMDB = Task(
    name="imdb",
    page="sentiment",
    default_model="small-distilled",
    corpus=imdb.IMDB,
    citation="IMDB, the Large Movie Review Dataset (Maas et al. 2011); test: its 25,000 test reviews",
    labels=("negative", "positive"),
    pair=False,
    max_tokens=512,
    build_tokenizer=build_word_tokenizer,
    segmenter=None,
    sample=("reviews_a.jsonl", "reviews_b.jsonl"),
    behavioural_test_file="reviews.jsonl",
    slices="negation",
    augmentation=review_sentences,
    presets={
        "small": Preset(
            dict(layers=2, heads=4, width=64, feedforward=128, dropout=0.1, activation="relu", stem="convolution"),
            Recipe(epochs=4, batch=64, token_lr=0.2, word_dropout=0.1, teacher="ngrams", pieces=True, best="accuracy"),
            on_sample=ON_SAMPLE,
        ),
        # As large as the course model below, with a better recipe.
        "wide": Preset(
            dict(layers=4, heads=8, width=256, feedforward=512, dropout=0.1, activation="relu", pooling="mean"),
            Recipe(
                lr=5e-4,
                epochs=1,
                batch=64,
                token_lr=0.2,
                word_dropout=0.1,
                teacher="ngrams",
                pieces=True,
                best="accuracy",
                evaluations=4,
            ),
            on_sample=ON_SAMPLE,
        ),
        # The course model this project descends from: mean pooling, Adam at a constant learning rate, part of the
        # reviews.
        "course": Preset(
            dict(
                layers=4,
                heads=8,
                width=256,
                feedforward=512,
                dropout=0.3,
                attention_dropout=0.3,
                norm="post",
                activation="relu",
                pooling="mean",
            ),
            Recipe(
                lr=1e-4,
                weight_decay=1e-5,
                optimiser="adam",
                warmup=0.0,
                schedule="constant",
                epochs=5,
                train_rows=10_000,
                validation_rows=2_000,
                best="accuracy",
            ),
        ),
        # With --encoder: fine-tuning as in Devlin et al. 2019, section 4.1. Its sizes are those of MiniLM (Wang et al.
        # 2020), so that without --encoder the same encoder starts from random weights.
        "finetune": Preset(
            dict(
                layers=6,
                heads=12,
                width=384,
                feedforward=1536,
                dropout=0.1,
                attention_dropout=0.1,
                norm="post",
                embedding_norm=True,
                pooling="mean",
            ),
            Recipe(lr=5e-5, epochs=3, batch=32, best="accuracy", evaluations=2),
        ),
        **baselines(lr=1e-3, epochs=4, width=64, bigrams=100_000, on_sample=ON_SAMPLE),
    },
)
