"""Many texts at once: the answers are those that each text gets alone, and the figures those of pencil and paper."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.batch_prediction import rows as module
from viz_core.batch_prediction.rows import answer_rows, figures, in_parts, predict_rows
from viz_core.language import Translator
from viz_core.records import Failure, Message
from viz_core.tables.csv_rows import Row

REVIEWS = [("not a good film",), ("good",), ("a zebra",), ("story " * 40,)]
PAIRS = [("花呗怎么还", "借呗如何还款"), ("花", "呗"), ("还钱还钱还钱还钱还钱还钱", "🙂")]


def rows_of(texts) -> list[Row]:
    return [Row(line, one) for line, one in enumerate(texts, 2)]


@pytest.mark.parametrize("task, texts", [("imdb", REVIEWS), ("afqmc", PAIRS)])
def test_answers_are_those_of_explain(checkpoints_dir, task, texts):
    checkpoint = checkpoints.load(task, "tiny")
    answers = list(predict_rows(checkpoint, iter(rows_of(texts))))
    same, fast = answer_rows(checkpoint, rows_of(texts))
    assert len(answers) == len(texts) and same == rows_of(texts)
    for one_texts, answer, probabilities in zip(texts, answers, fast, strict=True):
        one = explain(checkpoint, *one_texts)
        assert set(answer) == {"model", "label", "probabilities", "threshold", "tokens", "notices"}
        assert list(answer["probabilities"]) == list(one.labels)
        np.testing.assert_allclose(list(answer["probabilities"].values()), one.probabilities, atol=1e-5)
        np.testing.assert_allclose(probabilities, one.probabilities, atol=1e-5)
        assert answer["label"] == one.labels[one.predicted]
        assert (answer["model"], answer["threshold"]) == (one.model, one.threshold)
        assert (tuple(answer["tokens"]), answer["notices"]) == (one.encoding.tokens, one.notices)


def test_caution_of_a_bad_example_stands_with_every_row(checkpoints_dir):
    save_checkpoint(checkpoints_dir, "imdb", "bad", caution="checkpoints.collapsed")
    answers = predict_rows(checkpoints.load("imdb", "bad"), rows_of([("good",), ("bad",)]))
    assert [[notice.key for notice in answer["notices"]] for answer in answers] == [["checkpoints.collapsed"]] * 2


def test_text_without_words_is_named_by_its_line(checkpoints_dir):
    checkpoint, rows = checkpoints.load("imdb", "tiny"), [Row(2, ("good",)), Row(4, ("?!",))]
    with pytest.raises(Failure) as failure:
        list(predict_rows(checkpoint, rows))
    assert failure.value.message.values["row"] == 4
    assert Translator("en")(failure.value.message).startswith("Line 4: The text holds no letter")
    assert Translator("zh")(failure.value.message).startswith("第 4 行：")
    (_, wrong), probabilities = answer_rows(checkpoint, rows)
    assert wrong.problem == failure.value.message and np.isnan(probabilities).tolist() == [[False] * 2, [True] * 2]


def test_a_row_with_a_problem_is_refused_or_passed_over(checkpoints_dir):
    checkpoint, problem = checkpoints.load("imdb", "tiny"), Message("analysis.csv_empty", {"row": 2})
    with pytest.raises(Failure, match="csv_empty"):
        list(predict_rows(checkpoint, [Row(2, problem=problem)]))
    rows, probabilities = answer_rows(checkpoint, [Row(2, problem=problem), Row(3, ("good",))])
    assert (
        rows[0].problem == problem and np.isnan(probabilities[0]).all() and probabilities[1].sum() == pytest.approx(1)
    )
    assert answer_rows(checkpoint, [])[0] == []


def test_nothing_is_answered_before_somebody_asks(checkpoints_dir, monkeypatch):
    monkeypatch.setattr(module, "ROWS", 2)
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield Row(len(taken), ("good",))

    answers = predict_rows(checkpoints.load("imdb", "tiny"), endless())
    assert [next(answers)["label"] for _ in range(2)] and len(taken) == 2


def test_parts_are_bounded_by_rows_and_by_characters(monkeypatch):
    monkeypatch.setattr(module, "ROWS", 3)
    monkeypatch.setattr(module, "CHARACTERS", 10)
    parts = list(in_parts(rows_of([("ab",)] * 4 + [("a" * 10,), ("b" * 30,), ("c",)])))
    assert [[len(row.texts[0]) for row in part] for part in parts] == [[2, 2, 2], [2, 10], [30], [1]]


def of_last(probability: list[float]) -> np.ndarray:
    """`(N, 2)` from the probability of the last class."""
    return np.stack([1 - np.array(probability), np.array(probability)], axis=1)


def test_figures_worked_out_by_hand():
    # Threshold 0.4: answers 1 1 0 0 1, three of five right; of the 6 pairs of a 1 and a 0, the 1 is above in 5: not 0.3, 0.4.
    found = figures(of_last([0.9, 0.4, 0.3, 0.1, 0.6]), np.array([1, 0, 1, 0, 1]), 0.4)
    assert (found["n"], found["accuracy"], found["majority_accuracy"]) == (5, 0.6, 0.6)
    assert found["confusion"] == [[1, 1], [1, 2]]
    assert found["auc"] == pytest.approx(5 / 6)
    assert found["mcc"] == pytest.approx((2 * 1 - 1 * 1) / np.sqrt(3 * 3 * 2 * 2))
    assert found["f1"] == pytest.approx([0.5, 2 / 3])
    low, high = found["accuracy_interval"]
    assert low < 0.6 < high


def test_figures_of_one_class_and_of_nothing():
    found = figures(of_last([0.0, 1.0]), np.array([1, 1]), 0.5)
    assert (found["accuracy"], found["confusion"], found["auc"], found["mcc"]) == (0.5, [[0, 0], [1, 1]], None, None)
    assert figures(of_last([]), np.array([], int), 0.5) is None
