"""Verdicts on made-up health records: every row of the decision table, its words included, and the way to it."""

import itertools
from dataclasses import replace
from typing import get_args

import pytest

from tests.analysis.fake_health import collapsed_health, good_health, heads
from viz_core.analysis.verdicts.model import (
    CASES,
    Accuracy,
    Predicts,
    Ranking,
    accuracy,
    find_case,
    predicts,
    ranking,
    skill,
)
from viz_core.language import Translator
from viz_core.records import Health

ENGLISH, CHINESE = Translator("en"), Translator("zh")


def with_figures(health: Health, **figures) -> Health:
    return replace(health, figures=replace(health.figures, **figures))


def keys(health: Health) -> list[str]:
    verdict = skill(health)
    return [message.key.partition(".")[2] for message in (verdict.verdict, *verdict.reasons)]


# A record for each condition of the table. The majority baseline of `good_health` is 50%.
AUCS = {
    "undecided": (0.7, (0.49, 0.86)),
    "reversed": (0.28, (0.24, 0.32)),
    "chance": (0.52, (0.48, 0.56)),
    "little": (0.6, (0.58, 0.62)),
    "clear": (0.95, (0.94, 0.96)),
}
ACCURACIES = {"below": (0.4, (0.38, 0.42)), "like": (0.52, (0.49, 0.55)), "above": (0.9, (0.888, 0.911))}
SHARES = {"one label": (1.0, 0.0), "several": (0.5, 0.5)}


def health_of(rank: str, predictions: str, correct: str) -> Health:
    auc, auc_interval = AUCS[rank]
    share, interval = ACCURACIES[correct]
    health = good_health(
        auc_interval=auc_interval, accuracy_interval=interval, predicted_shares=SHARES[predictions], spread=(0.2, 0.8)
    )
    return with_figures(health, auc=auc, accuracy=share)


CONDITIONS = list(itertools.product(get_args(Ranking), get_args(Predicts), get_args(Accuracy)))


@pytest.mark.parametrize(("rank", "predictions", "correct"), CONDITIONS)
def test_every_combination_fits_exactly_one_row(rank, predictions, correct):
    health = health_of(rank, predictions, correct)
    assert (ranking(health), predicts(health), accuracy(health)) == (rank, predictions, correct)
    case = find_case(rank, predictions, correct)
    assert case in CASES and skill(health).level == case.level
    assert skill(health).verdict.key == f"health.{case.verdict}"


def test_every_row_is_reached():
    assert {find_case(*conditions) for conditions in CONDITIONS} == set(CASES)


AUC_UNDECIDED = "AUC is 0.70 (95% CI 0.49–0.86; chance: 0.50)"
AUC_REVERSED = "AUC is 0.28 (95% CI 0.24–0.32; chance: 0.50)"
SWAPPED = (
    "This is what swapped labels look like: "
    "check that the labels mean the same in the training data and in the validation data."
)
CARE = "Interpret its heads with care."
LIKE = "accuracy 52.0% (95% CI 49.0%–55.0%), baseline 50.0%."
BELOW = "accuracy 40.0% (95% CI 38.0%–42.0%), baseline 50.0%."
LITTLE = "This model has learned a little: it ranks 2,500 validation texts above chance, but not by much (AUC 0.60)"
CLEAR = "This model ranks 2,500 validation texts well above chance (AUC 0.95)"

# Level, verdict, what is added to a prediction, what stands above a heat map.
WORDS = {
    ("undecided", "several", None): (
        "unclear",
        "Too few inputs to tell whether this model has learned its task: on 2,500 validation texts its "
        f"{AUC_UNDECIDED}. Check it on more labelled inputs before you interpret its attention.",
        "from a model checked on too few inputs",
        "This model was checked on too few inputs: "
        "whether these heat maps show anything learned from the task is not known.",
    ),
    ("undecided", "one label", None): (
        "unclear",
        "This model predicts “negative” for all 2,500 validation texts, and they are too few to tell whether it has "
        f"learned more: its {AUC_UNDECIDED}. Check it on more labelled inputs before you interpret its attention.",
        "from a model checked on too few inputs",
        "This model was checked on too few inputs: "
        "whether these heat maps show anything learned from the task is not known.",
    ),
    ("reversed", "several", None): (
        "reversed",
        f"This model ranks 2,500 validation texts in reverse: its {AUC_REVERSED}. {SWAPPED}",
        "from a model that ranks in reverse",
        "This model ranks inputs in reverse, as with swapped labels: "
        "what its heads attend to supports the wrong class.",
    ),
    ("reversed", "one label", None): (
        "reversed",
        "This model predicts “negative” for all 2,500 validation texts, and it ranks them in reverse: "
        f"its {AUC_REVERSED}. {SWAPPED}",
        "as for every validation input",
        "This model predicts “negative” whatever the input, wherever its heads attend.",
    ),
    ("chance", "several", None): (
        "none",
        "This model ranks 2,500 validation texts hardly better than chance, if at all "
        "(AUC 0.52, 95% CI 0.48–0.56; chance: 0.50): do not interpret its attention.",
        "from a model at chance level",
        "This model is at chance level on its task: read nothing into these heat maps.",
    ),
    ("chance", "one label", None): (
        "none",
        "This model predicts “negative” for all 2,500 validation texts: it has learned only the class proportions. "
        "Do not interpret its attention.",
        "as for every validation input",
        "This model predicts “negative” whatever the input: what these heat maps show was not learned from the task.",
    ),
    ("little", "one label", None): (
        "none",
        "This model predicts “negative” for all 2,500 validation texts, "
        "although it ranks them better than chance (AUC 0.60).",
        "as for every validation input",
        "This model predicts “negative” whatever the input, wherever its heads attend.",
    ),
    ("clear", "one label", None): (
        "none",
        "This model predicts “negative” for all 2,500 validation texts, "
        "although it ranks them better than chance (AUC 0.95).",
        "as for every validation input",
        "This model predicts “negative” whatever the input, wherever its heads attend.",
    ),
    ("little", "several", "below"): (
        "some",
        f"{LITTLE}, and it is correct less often than the majority baseline: {BELOW} {CARE}",
        None,
        None,
    ),
    ("little", "several", "like"): (
        "some",
        f"{LITTLE}, and it is not correct significantly more often than the majority baseline: {LIKE} {CARE}",
        None,
        None,
    ),
    ("little", "several", "above"): ("some", f"{LITTLE}. {CARE}", None, None),
    ("clear", "several", "below"): (
        "some",
        f"{CLEAR}, but it is correct less often than the majority baseline: {BELOW}",
        None,
        None,
    ),
    ("clear", "several", "like"): (
        "some",
        f"{CLEAR}, but it is not correct significantly more often than the majority baseline: {LIKE}",
        None,
        None,
    ),
    ("clear", "several", "above"): (
        "good",
        "This model has learned the task: it ranks 2,500 validation texts well above chance (AUC 0.95).",
        None,
        None,
    ),
}
CHINESE_WORDS = {
    "too_few": "样本太少，无法确定这个模型是否学会了任务：它在 2,500 条验证集文本上的 AUC 为 0.70（95%",
    "too_few_one_label": "都预测为“负面”，而样本太少，无法确定它是否还学到了别的：AUC 为 0.70",
    "reversed": "本的排序是反的：AUC 为 0.28（95% 置信区间 0.24 到 0.32；随机为 0.50）。标签颠倒时就会这样",
    "reversed_one_label": "都预测为“负面”，而且排序是反的：AUC 为 0.28",
    "near_chance": "与随机猜测相差无几（AUC 0.52，95% 置信区间 0.48 到 0.56；随机为 0.50）",
    "collapsed": "这个模型把全部 2,500 条验证集文本都预测为“负面”：它只学到了类别比例",
    "one_label": "都预测为“负面”，尽管它的排序优于随机",
    "little_below": "还低于多数类基线：准确率 40.0%（95% 置信区间 38.0% 到 42.0%），基线 50.0%。解读注意力头",
    "little_like": "预测正确的比例也没有显著超过多数类基线：准确率 52.0%",
    "learned_little": "学到的信息有限：它对 2,500 条验证集文本的排序只略优于随机（AUC 0.60）",
    "clear_below": "排序明显优于随机（AUC 0.95），但预测正确的比例低于多数类基线：准确率 40.0%",
    "clear_like": "排序明显优于随机（AUC 0.95），但预测正确的比例没有显著超过多数类基线：准确率 52.0%",
    "learned": "这个模型学会了任务：它对 2,500 条验证集文本的排序明显优于随机（AUC 0.95）",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.ranking}, {case.predicts}, {case.accuracy}")
def test_the_words_of_every_row(case):
    verdict = skill(health_of(case.ranking, case.predicts, case.accuracy or "like"))
    level, sentence, prediction, attention = WORDS[case.ranking, case.predicts, case.accuracy]
    assert (verdict.level, ENGLISH(verdict.verdict)) == (level, sentence)
    assert (verdict.prediction and ENGLISH(verdict.prediction)) == prediction
    assert (verdict.attention and ENGLISH(verdict.attention)) == attention
    assert CHINESE_WORDS[case.verdict] in CHINESE(verdict.verdict)
    for message in (*verdict.reasons, verdict.prediction, verdict.attention):
        assert message is None or CHINESE(message)


@pytest.mark.parametrize(
    ("auc", "interval", "outside_majority", "expected"),
    [
        (1.0, (0.386, 1.0), 2, "undecided"),  # four rows
        (1.0, (0.93, 1.0), 9, "undecided"),
        (1.0, (0.93, 1.0), 10, "clear"),
        (0.7, (0.5, 0.84), 30, "undecided"),  # 30 rows of a good model
        (0.5, (0.34, 0.6), 30, "undecided"),  # as compatible with swapped labels
        (0.5, (0.36, 0.64), 30, "chance"),
        (0.54, (0.53, 0.55), 1250, "chance"),  # beyond doubt above chance, and still of no use
        (0.46, (0.45, 0.47), 1250, "chance"),
        (0.55, (0.52, 0.58), 1250, "little"),
        (0.44, (0.42, 0.46), 1250, "reversed"),
        (0.65, (0.63, 0.67), 1250, "clear"),
    ],
)
def test_the_ranking_follows_from_the_interval(auc, interval, outside_majority, expected):
    n = 2 * outside_majority
    assert ranking(with_figures(good_health(auc_interval=interval), auc=auc, n=n, majority_accuracy=0.5)) == expected


@pytest.mark.parametrize(
    ("interval", "expected"),
    [((0.4, 0.49), "below"), ((0.4, 0.5), "like"), ((0.5, 0.6), "like"), ((0.51, 0.6), "above")],
)
def test_the_accuracy_is_compared_within_its_interval(interval, expected):
    assert accuracy(good_health(accuracy_interval=interval)) == expected


def test_a_collapsed_model_gets_all_reasons():
    verdict = skill(collapsed_health())
    assert keys(collapsed_health()) == ["collapsed", "constant_probability", "smooth", "auc"]
    assert "“different meaning” for all 3,400 validation pairs" in ENGLISH(verdict.verdict)
    assert "31.90% and 32.10%" in ENGLISH(verdict.reasons[0])
    assert "smooth attention carries no information" in ENGLISH(verdict.reasons[1])
    assert "on average over 1,000 validation inputs" in ENGLISH(verdict.reasons[1])


def test_attention_that_is_not_uniform_is_left_over_from_initialisation():
    assert keys(health_of("chance", "several", "like")) == ["near_chance", "unlearned", "auc"]


@pytest.mark.parametrize(
    ("shares", "threshold", "english", "chinese"),
    [
        (
            (1.0, 0.0),
            0.99,
            "“positive” is predicted from a probability of 99.0% upwards, which no input reaches.",
            "达到 99.0% 才会预测为它，而没有一条样本达到",
        ),
        (
            (0.0, 1.0),
            0.1,
            "“positive” is predicted from a probability of 10.0% upwards, which every input reaches.",
            "达到 10.0% 就会预测为它，而每一条样本都达到了",
        ),
        ((0.0, 1.0), None, "“positive” has the highest probability for every input.", "都是“正面”的概率最高"),
    ],
)
def test_why_all_inputs_get_the_same_label(shares, threshold, english, chinese):
    health = with_figures(good_health(predicted_shares=shares), threshold=threshold)
    verdict = skill(health)
    label = "negative" if shares[0] else "positive"
    assert f"predicts “{label}” for all" in ENGLISH(verdict.verdict)
    assert ENGLISH(verdict.reasons[0]) == english and chinese in CHINESE(verdict.reasons[0])


@pytest.mark.parametrize(
    ("correct", "threshold", "expected"),
    [
        ("above", 0.26, ["learned", "accuracy_above", "auc"]),
        ("like", 0.26, ["clear_like", "auc"]),
        ("below", 0.5, ["clear_below", "auc"]),
        ("below", None, ["clear_below", "auc"]),
        ("below", 0.26, ["clear_below", "tuned", "auc"]),
    ],
)
def test_a_tuned_threshold_is_the_reason_of_an_accuracy_below_the_baseline(correct, threshold, expected):
    assert keys(with_figures(health_of("clear", "several", correct), threshold=threshold)) == expected


def test_nearly_uniform_heads_are_a_warning_even_for_a_good_model():
    uniform = good_health(heads=heads(2, 4, pair=False, entropy=0.97, entropy_cls=0.97))
    assert skill(uniform).level == "good" and keys(uniform) == ["learned", "accuracy_above", "nearly_uniform", "auc"]
    assert ENGLISH(skill(uniform).reasons[1]).startswith("On average over 1,000 validation inputs, 8 of 8 heads")
    assert keys(good_health(heads=None)) == ["learned", "accuracy_above", "auc"]


def test_with_more_classes_the_ranking_is_that_of_each_class_against_the_others():
    health = health_of("clear", "several", "above")
    several = replace(health, labels=("finance", "sports", "game"))
    assert ENGLISH(skill(health).reasons[-1]).startswith("Given one input of each class")
    assert "averaged over the classes" in ENGLISH(skill(several).reasons[-1])
