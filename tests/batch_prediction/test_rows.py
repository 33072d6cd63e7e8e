"""Predictions for many texts equal those for single texts; metrics by hand."""

import numpy as np
import pytest

from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.batch_prediction import rows as module
from viz_core.batch_prediction.rows import classify_rows, figures, predict_rows, row_chunks
from viz_core.records import Failure, Message
from viz_core.tables.csv_rows import Row

REVIEWS = [("not a good film",), ("good",), ("a zebra",), ("story " * 40,)]
PAIRS = [("花呗怎么还", "借呗如何还款"), ("花", "呗"), ("还钱还钱还钱还钱还钱还钱", "🙂")]


def rows_of(texts) -> list[Row]:
    return [Row(line, row) for line, row in enumerate(texts, 2)]


@pytest.mark.parametrize("task, texts", [("imdb", REVIEWS), ("afqmc", PAIRS)])
def test_predictions_equal_those_of_explain(checkpoints_dir, task, texts):
    checkpoint = checkpoints.load(task, "tiny")
    predictions = list(predict_rows(checkpoint, iter(rows_of(texts))))
    rows, probabilities = classify_rows(checkpoint, rows_of(texts))
    assert len(predictions) == len(texts) and rows == rows_of(texts)
    for row_texts, prediction, values in zip(texts, predictions, probabilities, strict=True):
        explanation = explain(checkpoint, *row_texts)
        assert set(prediction) == {"model", "label", "probabilities", "threshold", "tokens", "notices"}
        assert list(prediction["probabilities"]) == list(explanation.labels)
        np.testing.assert_allclose(list(prediction["probabilities"].values()), explanation.probabilities, atol=1e-5)
        np.testing.assert_allclose(values, explanation.probabilities, atol=1e-5)
        assert prediction["label"] == explanation.labels[explanation.predicted]
        assert (prediction["model"], prediction["threshold"]) == (explanation.model, explanation.threshold)
        assert tuple(prediction["tokens"]) == explanation.encoding.tokens
        assert prediction["notices"] == explanation.notices


def test_every_row_has_the_caution_of_a_bad_example(checkpoints_dir):
    save_checkpoint(checkpoints_dir, "imdb", "bad", caution="checkpoints.collapsed")
    predictions = predict_rows(checkpoints.load("imdb", "bad"), rows_of([("good",), ("bad",)]))
    assert [[notice.key for notice in row["notices"]] for row in predictions] == [["checkpoints.collapsed"]] * 2


def test_a_text_without_words_is_reported_with_its_line(checkpoints_dir):
    checkpoint, rows = checkpoints.load("imdb", "tiny"), [Row(2, ("good",)), Row(4, ("?!",))]
    with pytest.raises(Failure) as failure:
        list(predict_rows(checkpoint, rows))
    reason = Message("text.no_words", {"where": Message("text.the_text")})
    assert failure.value.message == Message("analysis.csv_row", {"row": 4, "reason": reason})
    (_, invalid), probabilities = classify_rows(checkpoint, rows)
    assert invalid.problem == failure.value.message and np.isnan(probabilities).tolist() == [[False] * 2, [True] * 2]


def test_a_row_with_a_problem_raises_or_is_skipped(checkpoints_dir):
    checkpoint, problem = checkpoints.load("imdb", "tiny"), Message("analysis.csv_empty", {"row": 2})
    with pytest.raises(Failure, match="csv_empty"):
        list(predict_rows(checkpoint, [Row(2, problem=problem)]))
    rows, probabilities = classify_rows(checkpoint, [Row(2, problem=problem), Row(3, ("good",))])
    assert (
        rows[0].problem == problem and np.isnan(probabilities[0]).all() and probabilities[1].sum() == pytest.approx(1)
    )
    assert classify_rows(checkpoint, [])[0] == []


def test_rows_are_read_lazily(checkpoints_dir, monkeypatch):
    monkeypatch.setattr(module, "ROWS", 2)
    lines = []

    def endless():
        while True:
            lines.append(len(lines))
            yield Row(len(lines), ("good",))

    predictions = predict_rows(checkpoints.load("imdb", "tiny"), endless())
    assert [next(predictions)["label"] for _ in range(2)] and len(lines) == 2


def test_chunks_are_bounded_by_rows_and_by_characters(monkeypatch):
    monkeypatch.setattr(module, "ROWS", 3)
    monkeypatch.setattr(module, "CHARACTERS", 10)
    chunks = list(row_chunks(rows_of([("ab",)] * 4 + [("a" * 10,), ("b" * 30,), ("c",)])))
    assert [[len(row.texts[0]) for row in chunk] for chunk in chunks] == [[2, 2, 2], [2, 10], [30], [1]]


def both_classes(probability: list[float]) -> np.ndarray:
    """`(N, 2)` from the probability of the last class."""
    return np.stack([1 - np.array(probability), np.array(probability)], axis=1)


def test_metrics_by_hand():
    # Threshold 0.4: predictions 1 1 0 0 1, three of five correct. AUC: of the 6 pairs (positive, negative), 5 are
    # ranked correctly, all but (0.3, 0.4).
    values = figures(both_classes([0.9, 0.4, 0.3, 0.1, 0.6]), np.array([1, 0, 1, 0, 1]), 0.4)
    assert (values["n"], values["accuracy"], values["majority_accuracy"]) == (5, 0.6, 0.6)
    assert values["confusion"] == [[1, 1], [1, 2]]
    assert values["auc"] == pytest.approx(5 / 6)
    assert values["mcc"] == pytest.approx((2 * 1 - 1 * 1) / np.sqrt(3 * 3 * 2 * 2))
    assert values["f1"] == pytest.approx([0.5, 2 / 3])
    low, high = values["accuracy_interval"]
    assert low < 0.6 < high


def test_metrics_of_a_single_class_and_of_no_rows():
    values = figures(both_classes([0.0, 1.0]), np.array([1, 1]), 0.5)
    assert (values["accuracy"], values["confusion"], values["auc"], values["mcc"]) == (
        0.5,
        [[0, 0], [1, 1]],
        None,
        None,
    )
    assert figures(both_classes([]), np.array([], int), 0.5) is None
