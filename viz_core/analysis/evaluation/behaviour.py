"""Behavioural tests: which capabilities does a model have, and which does it lack?

CheckList: Ribeiro et al. 2020, "Beyond Accuracy: Behavioral Testing of NLP Models with CheckList",
section 2, https://arxiv.org/abs/2005.04118.
"""

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd

from viz_core.checkpoints import Checkpoint
from viz_core.records import BehaviouralPrediction, BehaviouralResults, BehaviouralTest, CategoryScore
from viz_core.statistics.intervals import wilson

ALL = "all"  # the category of the overall score


def run_behavioural_tests(checkpoint: Checkpoint, tests: Sequence[BehaviouralTest]) -> BehaviouralResults:
    """Predict the tests with the model's own temperature and threshold.

    Raises:
        ValueError: Without tests.
    """
    task, settings = checkpoint.task, checkpoint.settings
    frame = pd.DataFrame([test.texts for test in tests], columns=["text", "text_b"][: 1 + task.pair])
    probabilities = checkpoint.probabilities(task.examples(frame, checkpoint.text_encoder))
    return score_predictions(
        [
            BehaviouralPrediction(test, task.labels[predicted], float(row[predicted]))
            for test, predicted, row in zip(tests, settings.decide(probabilities), probabilities, strict=True)
        ]
    )


def score_predictions(predictions: Sequence[BehaviouralPrediction]) -> BehaviouralResults:
    """Score predictions by category and overall.

    Raises:
        ValueError: Without predictions.
    """
    if not predictions:
        raise ValueError("there are no predictions to score: at least one is needed")
    categories = dict.fromkeys(prediction.test.category for prediction in predictions)
    return BehaviouralResults(
        tuple(predictions),
        tuple(
            _score(category, [prediction for prediction in predictions if prediction.test.category == category])
            for category in categories
        ),
        _score(ALL, predictions),
    )


def category_scores(results: BehaviouralResults) -> dict:
    """Scores in the format of `metrics.json`."""
    return {
        **asdict(results.overall),
        "given": results.predicted_counts,
        "categories": [asdict(score) for score in results.scores],
    }


def _score(category: str, predictions: Sequence[BehaviouralPrediction]) -> CategoryScore:
    correct, n = sum(prediction.correct for prediction in predictions), len(predictions)
    return CategoryScore(category, n, correct / n, *wilson(correct, n))
