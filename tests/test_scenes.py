"""The scenes that the app must play well in class, with the models and examples that ship."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from pages.shared.tasks import PAGES
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.checkpoints import FOLDER
from viz_core.records import Explanation

REVIEWS, PAIRS = PAGES["imdb"].examples, PAGES["afqmc"].examples


@cache
def best(task: str) -> checkpoints.Checkpoint:
    """The model that a visitor sees without choosing."""
    return checkpoints.load(task, checkpoints.usable(task, FOLDER)[0].name, FOLDER)


def review(name: str) -> Explanation:
    return explain(best("imdb"), *dict(REVIEWS)[name])


def pair(name: str) -> Explanation:
    return explain(best("afqmc"), *dict(PAIRS)[name])


def answer(explanation: Explanation) -> str:
    return explanation.labels[explanation.predicted]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("praise", "positive"),
        ("negation", "negative"),
        ("contrast", "positive"),
        ("sarcasm", "negative"),
        ("mixed", "negative"),
    ],
)
def test_the_reviews_on_the_page_get_the_right_answer(name, label):
    assert answer(review(name)) == label


@pytest.mark.parametrize(
    ("name", "label"), [("paraphrase", "same"), ("one_word", "different"), ("unrelated", "different")]
)
def test_the_pairs_on_the_page_get_the_right_answer(name, label):
    assert answer(pair(name)) == label


def shown_first(explanation: Explanation) -> np.ndarray:
    """`(T, T)`: the attention of the head that the page shows first."""
    layer, head = (int(number) - 1 for number in PAGES[explanation.task].first_heads[explanation.model].split("."))
    return explanation.attention[layer, head]


def test_the_negation_flips_the_answer_and_is_what_the_head_looks_at():
    negated = review("negation")
    without = explain(best("imdb"), negated.encoding.texts[0].replace(" not", ""))
    assert (answer(negated), answer(without)) == ("negative", "positive")
    seen = shown_first(negated)[0]  # by [CLS]
    assert negated.encoding.tokens[int(seen.argmax())] == "not" and seen.max() > 0.5


def test_the_head_shown_first_finds_what_the_other_question_says_in_its_place():
    """花呗怎么还款 / 花呗如何还钱: each character looks mostly at the one in its place, except where both only mean the same."""
    explanation = pair("paraphrase")
    tokens, weights = explanation.encoding.tokens, shown_first(explanation)
    second = tokens.index("[SEP]") + 1
    looks_at = {
        token: tokens[second + int(weights[place, second:].argmax())]
        for place, token in enumerate(tokens[: second - 1])
    }
    assert {mine: looks_at[mine] for mine in "花呗还款"} == {"花": "花", "呗": "呗", "还": "还", "款": "钱"}
    how = weights[tokens.index("怎") : tokens.index("么") + 1, tokens.index("如") : tokens.index("何") + 1]
    assert (how.sum(1) > 0.5).all()  # 怎么 looks at 如何


def test_every_example_is_read_whole():
    for explanation in [*(review(name) for name, _ in REVIEWS), *(pair(name) for name, _ in PAIRS)]:
        assert not explanation.encoding.notices


def test_the_collapsed_model_answers_the_same_for_everything_and_says_so():
    (bad,) = (one for one in checkpoints.usable("afqmc", FOLDER) if one.settings.caution)
    model = checkpoints.load("afqmc", bad.name, FOLDER)
    explanations = [explain(model, *texts) for _, texts in PAIRS]
    assert {answer(explanation) for explanation in explanations} == {"different"}
    assert np.ptp([explanation.probabilities[1] for explanation in explanations]) < 0.01
    assert explanations[0].notices[0].key == "checkpoints.collapsed"
