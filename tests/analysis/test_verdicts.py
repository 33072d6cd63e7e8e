"""Verdicts on made-up health records: every row of the decision table, its sentences included, and the way to it."""

import itertools
from dataclasses import replace
from typing import get_args

import pytest

from tests.analysis.fake_health import collapsed_health, good_health, heads
from viz_core.analysis.verdicts.language import beats_ngrams, language_verdict
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
from viz_core.language import has_sentence
from viz_core.records import Health, Message


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


# Level, verdict, and the doubt that is added to a prediction and stands above a heat map.
ROWS = {
    ("undecided", "several", None): ("unclear", "too_few", "too_few"),
    ("undecided", "one label", None): ("unclear", "too_few_one_label", "too_few"),
    ("reversed", "several", None): ("reversed", "reversed", "reversed"),
    ("reversed", "one label", None): ("reversed", "reversed_one_label", "one_label"),
    ("chance", "several", None): ("none", "near_chance", "near_chance"),
    ("chance", "one label", None): ("none", "collapsed", "collapsed"),
    ("little", "one label", None): ("none", "one_label", "one_label"),
    ("clear", "one label", None): ("none", "one_label", "one_label"),
    ("little", "several", "below"): ("some", "little_below", None),
    ("little", "several", "like"): ("some", "little_like", None),
    ("little", "several", "above"): ("some", "learned_little", None),
    ("clear", "several", "below"): ("some", "clear_below", None),
    ("clear", "several", "like"): ("some", "clear_like", None),
    ("clear", "several", "above"): ("good", "learned", None),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.ranking}, {case.predicts}, {case.accuracy}")
def test_every_row_has_its_level_its_sentences_and_its_values(case):
    correct = case.accuracy or "like"
    verdict = skill(health_of(case.ranking, case.predicts, correct))
    level, sentence, doubt = ROWS[case.ranking, case.predicts, case.accuracy]
    (auc, (auc_low, auc_high)), (share, (low, high)) = AUCS[case.ranking], ACCURACIES[correct]
    values = {"auc": auc, "auc_low": auc_low, "auc_high": auc_high, "accuracy": share, "low": low, "high": high}
    values |= {"majority": 0.5, "label": Message("rendering.label_negative")}
    values["what"] = Message("health.texts", {"count": 2500})
    labels = [Message(f"rendering.label_{name}") for name in ("negative", "positive")]
    values["classes"] = Message("health.the_two_classes", dict(zip(("first", "second"), labels, strict=True)))
    assert (verdict.level, verdict.verdict) == (level, Message(f"health.{sentence}", values))
    doubts = [doubt and Message(f"health.{place}_{doubt}", values) for place in ("prediction", "attention")]
    assert [verdict.prediction, verdict.attention] == doubts
    for message in filter(None, (verdict.verdict, *verdict.reasons, *doubts)):
        assert has_sentence(message)


@pytest.mark.parametrize("correct", ACCURACIES)
@pytest.mark.parametrize("rank", ("little", "clear"))
def test_beside_a_prediction_is_said_that_always_answering_the_most_frequent_class_is_about_as_right(rank, correct):
    health = health_of(rank, "several", correct)
    health = replace(health, figures=replace(health.figures, confusion=[[600, 0], [900, 1000]]))
    message = skill(health).baseline
    assert (message is None) == (correct == "above")
    if message:
        values = {"accuracy": ACCURACIES[correct][0], "majority": 0.5, "label": Message("rendering.label_positive")}
        assert message == Message(f"health.baseline_{correct}", values) and has_sentence(message)


def test_a_model_that_has_learned_nothing_has_its_doubt_in_the_verdict():
    assert skill(health_of("chance", "one label", "like")).baseline is None


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
    assert verdict.verdict.values["label"] == Message("rendering.label_different")
    assert verdict.verdict.values["what"] == Message("health.pairs", {"count": 3400})
    assert [verdict.reasons[0].values[name] for name in ("low", "high")] == pytest.approx([0.319, 0.321])
    assert verdict.reasons[1].values["rows"] == 1000


def test_attention_that_is_not_uniform_is_left_over_from_initialisation():
    assert keys(health_of("chance", "several", "like")) == ["near_chance", "unlearned", "auc"]


@pytest.mark.parametrize(
    ("shares", "threshold", "key"),
    [
        ((1.0, 0.0), 0.99, "threshold_never"),
        ((0.0, 1.0), 0.1, "threshold_always"),
        ((0.0, 1.0), None, "always_likeliest"),
    ],
)
def test_why_all_inputs_get_the_same_label(shares, threshold, key):
    verdict = skill(with_figures(good_health(predicted_shares=shares), threshold=threshold))
    positive = Message("rendering.label_positive")
    assert verdict.verdict.values["label"] == (Message("rendering.label_negative") if shares[0] else positive)
    values = {"label": positive} | ({} if threshold is None else {"threshold": threshold})
    assert verdict.reasons[0] == Message(f"health.{key}", values) and has_sentence(verdict.reasons[0])


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
    assert skill(uniform).reasons[1].values == {"count": 8, "all": 8, "rows": 1000}
    assert keys(good_health(heads=None)) == ["learned", "accuracy_above", "auc"]


def test_with_more_classes_the_ranking_is_that_of_each_class_against_the_others():
    health = health_of("clear", "several", "above")
    several = replace(health, labels=("finance", "sports", "game"))
    assert (keys(health)[-1], keys(several)[-1]) == ("auc", "auc_classes")
    assert skill(several).verdict.values["classes"] == Message("health.the_classes", {"count": 3})


@pytest.mark.parametrize("ngrams, key, better", [(80.0, "learned", True), (48.0, "not_learned", False)])
def test_a_language_model_is_compared_with_the_five_gram(ngrams, key, better):
    numbers = {"perplexity": 60.0, "kneser_ney_perplexity": ngrams}
    values = {"perplexity": 60.0, "ngrams": ngrams, "gain": pytest.approx(0.25 if better else -0.25)}
    assert beats_ngrams(numbers) is better
    assert language_verdict(numbers) == Message(f"language_figures.{key}", values)
    assert beats_ngrams({"perplexity": 60.0}) is None
    assert language_verdict({"perplexity": 60.0}).key == "language_figures.not_compared"
