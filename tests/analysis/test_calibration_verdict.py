"""What is said of a model's calibration: every sentence with its words, and when it is said."""

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.fake_health import good_health
from viz_core.analysis.evaluation.metrics import calibration, expected_calibration_error
from viz_core.analysis.verdicts.model import calibration_remark
from viz_core.language import Translator
from viz_core.records import Figures, Health

ENGLISH, CHINESE = Translator("en"), Translator("zh")
AUCS = {True: (0.95, (0.94, 0.96)), False: (0.52, (0.48, 0.56))}


def health_of(skilled: bool, *bins: tuple[float, int, int]) -> Health:
    """A health with bins of (confidence, inputs, correct predictions)."""
    confidence = np.concatenate([np.full(count, value) for value, count, _ in bins])
    labels = np.concatenate([[1] * correct + [0] * (count - correct) for _, count, correct in bins])
    probabilities = np.stack([1 - confidence, confidence], axis=1)
    auc, interval = AUCS[skilled]
    health = good_health(
        auc_interval=interval,
        calibration=calibration(probabilities, labels),
        cross_fitted=Figures(n=len(labels), ece=expected_calibration_error(probabilities, labels)),
    )
    return replace(health, figures=replace(health.figures, auc=auc))


SENTENCES = {
    ("good", health_of(True, (0.9, 500, 450), (0.7, 500, 360))): (
        "Well calibrated on 1,000 validation inputs: confidence is off by 1.0% on average (ECE, cross-fitted).",
        "校准良好：在 1,000 条验证集样本上，置信度平均偏差 1.0%（ECE，交叉拟合）。",
    ),
    ("good", health_of(True, (0.97, 1000, 970))): (  # a single bin does not make a good model a collapsed model
        "Well calibrated on 1,000 validation inputs: confidence is off by 0.0% on average (ECE, cross-fitted).",
        "校准良好：在 1,000 条验证集样本上，置信度平均偏差 0.0%（ECE，交叉拟合）。",
    ),
    ("one", health_of(False, (0.68, 1000, 680))): (
        "Its confidence is near 68% for all 1,000 validation inputs. "
        "That this matches its accuracy takes no skill: it is the share of one class.",
        "对全部 1,000 条验证集样本，它的置信度都在 68% 左右。准确率也恰好如此，但这不说明能力：它就是其中一类的比例。",
    ),
    ("chance", health_of(False, (0.7, 500, 350), (0.6, 500, 290))): (
        "On 1,000 validation inputs its confidence matches its accuracy (ECE 1.0%, cross-fitted), "
        "but that takes no skill: the class proportions are enough.",
        "在 1,000 条验证集样本上，置信度与准确率相符（ECE 1.0%，交叉拟合），但这不说明能力：只要知道类别比例就能做到。",
    ),
    ("over", health_of(False, (0.52, 1000, 350))): (  # random weights, all in one bin, correct on 35%
        "Overconfident on 1,000 validation inputs: the likeliest class has a mean probability of 52%, "
        "but is the true label of 35% (ECE 17.0%, cross-fitted).",
        "过度自信：在 1,000 条验证集样本上，最可能的类别平均概率为 52%，但只有 35% 确属该类（ECE 17.0%，交叉拟合）。",
    ),
    ("over", health_of(True, (0.9, 500, 400), (0.7, 500, 300))): (
        "Overconfident on 1,000 validation inputs: the likeliest class has a mean probability of 80%, "
        "but is the true label of 70% (ECE 10.0%, cross-fitted).",
        "过度自信：在 1,000 条验证集样本上，最可能的类别平均概率为 80%，但只有 70% 确属该类（ECE 10.0%，交叉拟合）。",
    ),
    ("under", health_of(True, (0.7, 1000, 900))): (
        "Underconfident on 1,000 validation inputs: the likeliest class has a mean probability of 70%, "
        "but is the true label of 90% (ECE 20.0%, cross-fitted).",
        "自信不足：在 1,000 条验证集样本上，最可能的类别平均概率为 70%，而有 90% 确属该类（ECE 20.0%，交叉拟合）。",
    ),
    ("mixed", health_of(True, (0.9, 500, 400), (0.7, 500, 400))): (
        "On 1,000 validation inputs its confidence is off by 10.0% on average (ECE, cross-fitted), "
        "in some ranges too high and in others too low.",
        "在 1,000 条验证集样本上，置信度平均偏差 10.0%（ECE，交叉拟合），有的区间偏高，有的区间偏低。",
    ),
}


@pytest.mark.parametrize(("sentence", "health"), SENTENCES, ids=lambda value: value if isinstance(value, str) else "")
def test_the_words_of_every_sentence(sentence, health):
    remark = calibration_remark(health)
    assert remark.key == f"health.calibration_{sentence}"
    assert (ENGLISH(remark), CHINESE(remark)) == SENTENCES[sentence, health]


def test_nothing_is_said_without_a_measurement_or_with_too_few_inputs():
    good = health_of(True, (0.9, 500, 450), (0.7, 500, 360))
    assert calibration_remark(replace(good, cross_fitted=None)) is None, "in a file of an earlier version"
    assert calibration_remark(replace(good, auc_interval=(0.4, 1.0))) is None, "too few inputs to tell anything"
