"""Verdicts on made-up health records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.fake_health import collapsed_health, good_health, heads
from viz_core.analysis.calibration import calibration
from viz_core.analysis.verdicts import calibration_remark, head_verdicts, skill
from viz_core.language import Translator
from viz_core.records import Health, Message

ENGLISH, CHINESE = Translator("en"), Translator("zh")


def with_figures(health: Health, **figures) -> Health:
    return replace(health, figures=replace(health.figures, **figures))


def keys(health: Health) -> list[str]:
    verdict = skill(health)
    return [message.key.partition(".")[2] for message in (verdict.verdict, *verdict.reasons)]


def test_a_collapsed_model_gets_all_reasons():
    verdict = skill(collapsed_health())
    assert verdict.level == "none" and keys(collapsed_health()) == [
        "collapsed",
        "constant_probability",
        "smooth",
        "auc",
    ]
    assert ENGLISH(verdict.verdict) == (
        "This model predicts “different meaning” for all 3,400 validation pairs: it has learned "
        "only the class proportions. Do not interpret its attention."
    )
    assert "意思不同" in CHINESE(verdict.verdict) and "3,400" in CHINESE(verdict.verdict)
    assert "31.90% and 32.10%" in ENGLISH(verdict.reasons[0]) and "smooth attention carries no information" in ENGLISH(
        verdict.reasons[1]
    )


def test_a_model_that_has_learned_is_good():
    verdict = skill(good_health())
    assert (verdict.level, keys(good_health())) == ("good", ["learned", "accuracy_above", "auc"])
    assert "majority baseline: 50.0%" in ENGLISH(verdict.reasons[0])


def test_an_auc_near_chance_is_no_skill_whatever_the_accuracy():
    coin = with_figures(good_health(auc_interval=(0.5, 0.6)), auc=0.56)
    assert (skill(coin).level, keys(coin)[0]) == ("none", "near_chance") and "2,500 validation reviews" in ENGLISH(
        skill(coin).verdict
    )
    assert keys(coin)[-2] == "unlearned"  # its attention is not uniform, so `smooth` does not apply
    many = with_figures(good_health(auc_interval=(0.53, 0.55)), auc=0.54)
    assert skill(many).level == "none", "beyond doubt above chance, and still of no use"


def test_a_single_label_despite_a_good_auc_is_blamed_on_the_threshold():
    high = with_figures(good_health(predicted_shares=(1.0, 0.0)), threshold=0.99)
    assert (skill(high).level, keys(high)) == ("none", ["one_label", "threshold", "auc"])


@pytest.mark.parametrize(
    ("accuracy", "interval", "threshold", "expected"),
    [
        (0.52, (0.49, 0.55), 0.5, ["accuracy_like"]),
        (0.4, (0.38, 0.42), 0.5, ["accuracy_below"]),
        (0.4, (0.38, 0.42), 0.26, ["accuracy_below", "tuned"]),
    ],
)
def test_an_accuracy_at_or_below_the_baseline_is_a_reason(accuracy, interval, threshold, expected):
    model = with_figures(good_health(accuracy_interval=interval), accuracy=accuracy, threshold=threshold)
    assert (skill(model).level, keys(model)) == ("some", ["learned", *expected, "auc"])


def test_a_low_auc_is_learned_little():
    little = with_figures(good_health(auc_interval=(0.58, 0.62)), auc=0.6)
    assert (skill(little).level, keys(little)[0]) == ("some", "learned_little")


def test_nearly_uniform_heads_are_a_warning_even_for_a_good_model():
    uniform = good_health(heads=heads(2, 4, pair=False, entropy=0.97, entropy_cls=0.97))
    assert skill(uniform).level == "good" and keys(uniform) == ["learned", "accuracy_above", "nearly_uniform", "auc"]
    assert ENGLISH(skill(uniform).reasons[1]).startswith("8 of 8 heads")


def test_calibration_remarks():
    def remark(confidence: float, correct: int, ece: float) -> str:
        probabilities = np.tile([1 - confidence, confidence], (100, 1))
        probabilities[0] = [0.45, 0.55]  # a second bin
        return calibration_remark(
            with_figures(
                good_health(calibration=calibration(probabilities, np.array([1] * correct + [0] * (100 - correct)))),
                ece=ece,
            )
        ).key

    assert remark(0.9, 90, 0.02) == "health.calibration_good"
    assert remark(0.9, 70, 0.2) == "health.calibration_over"
    assert remark(0.7, 90, 0.2) == "health.calibration_under"
    assert calibration_remark(collapsed_health()) == Message(
        "health.calibration_one", {"confidence": pytest.approx(0.68)}
    )


def test_confidence_that_matches_accuracy_without_skill_is_no_good_calibration():
    probabilities = np.array([[0.7, 0.3]] * 50 + [[0.6, 0.4]] * 50)
    chance = collapsed_health(calibration=calibration(probabilities, np.array([0] * 68 + [1] * 32)))
    assert calibration_remark(with_figures(chance, ece=0.03)) == Message("health.calibration_chance", {"ece": 0.03})
    assert calibration_remark(with_figures(chance, ece=0.2)).key == "health.calibration_under"


@pytest.mark.parametrize(
    ("statistics", "kind", "sentence"),
    [
        ({"entropy": 0.99, "entropy_cls": 0.98}, "uniform", "Head 2.1 is uniform: normalised entropy 0.99."),
        ({"entropy": 0.96, "entropy_cls": 0.77}, "chooses", "but selective for [CLS]: entropy of [CLS] 0.77"),
        ({"previous": 0.6}, "previous", "Head 2.1 attends to the previous token: 60% of its weight."),
        ({"next": 0.6}, "next", "next token"),
        ({"self": 0.5}, "self", "the token itself"),
        ({"sep": 0.8}, "sep", "rests on [SEP]"),
        ({"cls": 0.8}, "cls", "rests on [CLS]"),
        ({"other": 0.7}, "other", "the other sentence"),
        ({"same": 0.3, "other": 0.7}, "same", "the same character"),
        ({"dependence": 0.01}, "query_independent", "whatever the query"),
        ({}, None, ""),
    ],
)
def test_head_verdicts(statistics, kind, sentence):
    profile = heads(2, 2, pair=True)
    for name, value in statistics.items():
        profile.statistics[name][1, 0] = value
    verdicts = head_verdicts(good_health(heads=profile))
    assert [(verdict.layer, verdict.head, verdict.kind) for verdict in verdicts] == ([(1, 0, kind)] if kind else [])
    assert sentence in "".join(ENGLISH(verdict.message) for verdict in verdicts)
    assert all(CHINESE(verdict.message) for verdict in verdicts)


def test_a_duplicate_head_names_the_earlier_head():
    profile = heads(2, 2, pair=False)
    profile.redundancy[1, 2] = profile.redundancy[2, 1] = 0.97
    (verdict,) = head_verdicts(good_health(heads=profile))
    assert ENGLISH(verdict.message) == "Head 2.1 duplicates head 1.2: redundancy 0.97."
