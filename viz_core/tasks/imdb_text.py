"""Language model: how a film review goes on."""

from viz_core.datasets import imdb_text
from viz_core.recipes import Preset, Recipe
from viz_core.tasks.task import LANGUAGE_MODEL, Task
from viz_core.text.building import build_byte_pair_tokenizer

IMDB_TEXT = Task(
    name="imdb-text",
    page="review-writer",
    kind=LANGUAGE_MODEL,
    corpus=imdb_text.IMDB_TEXT,
    citation=(
        "the reviews of IMDB, the Large Movie Review Dataset (Maas et al. 2011), of train and without labels; test: "
        "its 25,000 test reviews"
    ),
    max_tokens=256,
    is_packed=True,
    build_tokenizer=build_byte_pair_tokenizer,
    segmenter=None,
    sample=("reviews_a.jsonl", "reviews_b.jsonl"),
    presets={
        "small": Preset(
            dict(layers=4, heads=6, width=192, feedforward=768, dropout=0.0),
            Recipe(
                optimiser="muon",  # after 0.6 million tokens 5.43 nats per token; AdamW 5.89 (docs/experiments.md)
                lr=1e-2,
                weight_decay=0.1,
                epochs=1,
                batch=8,
                warmup=0.03,
                best="perplexity",
                evaluations=10,
                validation_rows=600,
            ),
            kind="decoder",
            on_sample={"epochs": 10, "batch": 8, "evaluations": 1, "validation_rows": 0},
        )
    },
)
