"""The classroom scenes of the app, with the shipped models and examples."""

from functools import cache

import numpy as np
import pytest

from pages.shared.tasks import BEFORE_AND_AFTER, PAGES
from viz_core import checkpoints
from viz_core.analysis.control import head_control
from viz_core.analysis.explain import explain
from viz_core.analysis.patching.contrast import contrast
from viz_core.analysis.patching.patch import Cell, explain_patched, patch_all
from viz_core.analysis.whatif import Changes, predict_with_changes
from viz_core.checkpoints import FOLDER
from viz_core.records import Explanation

REVIEWS, PAIRS, TITLES = (PAGES[task].examples for task in ("imdb", "afqmc", "thucnews"))


@cache
def default_model(task: str) -> checkpoints.Checkpoint:
    """The model that is selected at first."""
    return checkpoints.load(task, checkpoints.task_checkpoints(task, FOLDER)[0].name, FOLDER)


def review(name: str) -> Explanation:
    return explain(default_model("imdb"), *dict(REVIEWS)[name])


def pair(name: str) -> Explanation:
    return explain(default_model("afqmc"), *dict(PAIRS)[name])


def title(name: str) -> Explanation:
    return explain(default_model("thucnews"), *dict(TITLES)[name])


def predicted_label(explanation: Explanation) -> str:
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
def test_example_reviews_are_predicted_correctly(name, label):
    assert predicted_label(review(name)) == label


@pytest.mark.parametrize(
    ("name", "label"), [("paraphrase", "same"), ("one_word", "different"), ("unrelated", "different")]
)
def test_example_pairs_are_predicted_correctly(name, label):
    assert predicted_label(pair(name)) == label


@pytest.mark.parametrize(
    ("name", "label"), [("team", "sports"), ("shares", "stocks"), ("between", "stocks"), ("traditional", "society")]
)
def test_example_titles_are_predicted_correctly(name, label):
    assert predicted_label(title(name)) == label


def test_a_rocket_is_taken_for_the_team_and_a_head_says_why():
    """火箭 is a team in most titles of the corpus: 箭 gets nearly all of the weight, and the launch is sports."""
    launch, team = title("launch"), title("team")
    assert predicted_label(launch) == predicted_label(team) == "sports"
    assert launch.probabilities[launch.labels.index("sports")] < team.probabilities[team.labels.index("sports")]
    for explanation in (launch, team):
        weights = explanation.attention[1, 3, 0]  # of head 2.4, by [CLS]
        assert explanation.encoding.tokens[int(weights.argmax())] == "箭" and weights.max() > 0.9


def test_the_title_between_two_sections_is_uncertain():
    first, second = np.sort(title("between").probabilities)[::-1][:2]
    assert first < 0.75 and second > 0.1


def test_traditional_characters_are_named_as_unknown():
    (notice,) = title("traditional").encoding.notices
    assert notice.key == "text.unknown" and {"網", "車"} <= set(notice.values["tokens"])


def first_head_attention(explanation: Explanation) -> np.ndarray:
    """`(T, T)`: the attention of the head shown first."""
    layer, head = (int(number) - 1 for number in PAGES[explanation.task].first_heads[explanation.model].split("."))
    return explanation.attention[layer, head]


@pytest.mark.parametrize(
    ("explain_first", "keys", "least"), [(review, "not", 0.9), (pair, "如何", 0.7), (title, "股", 0.7)]
)
def test_the_first_picture_is_true_and_telling(explain_first, keys, least):
    """The prediction is no close call, the rows of the head differ, and the selected token attends to what decides."""
    explanation = explain_first({review: "negation", pair: "paraphrase", title: "shares"}[explain_first])
    page, tokens = PAGES[explanation.task], explanation.encoding.tokens
    assert explanation.encoding.texts == page.first_texts
    threshold = explanation.threshold or 0.5
    assert (
        explanation.probabilities[explanation.predicted] - (threshold if explanation.predicted else 1 - threshold) > 0.2
    )
    weights = first_head_attention(explanation)
    assert 0.5 * np.abs(weights - weights.mean(0)).sum(1).mean() > 0.2, "mean distance of a row to the mean row"
    row = weights[tokens.index(page.first_query)]
    attended = [token for token, weight in zip(tokens, row, strict=True) if token in keys]
    assert attended and sum(weight for token, weight in zip(tokens, row, strict=True) if token in keys) > least
    changed = explain(default_model(explanation.task), *page.changed)
    assert predicted_label(changed) != predicted_label(explanation)


def test_the_word_matters_and_the_first_head_no_more_than_others():
    """What the first page shows: good attends to “not” with 0.99. Without the word the prediction flips; without the
    head it moves less than without another one."""
    negated = review("negation")
    model, token = default_model("imdb"), negated.encoding.tokens.index("not")
    control = head_control(model, negated.encoding, Changes(masked=frozenset({(1, 1)})), 0)
    assert control.verdict == "within" and abs(control.changed - control.without) < 0.1
    (without,) = predict_with_changes(model, negated.encoding, [Changes(deleted=frozenset({token}))])
    assert negated.probabilities[0] - without[0] > 0.7 and without[1] > 0.8


def test_the_negation_flips_the_prediction_and_the_first_head_attends_to_it():
    negated = review("negation")
    positive = explain(default_model("imdb"), negated.encoding.texts[0].replace(" not", ""))
    assert (predicted_label(negated), predicted_label(positive)) == ("negative", "positive")
    weights = first_head_attention(negated)[0]  # by [CLS]
    assert negated.encoding.tokens[int(weights.argmax())] == "not" and weights.max() > 0.5


def test_the_first_head_attends_to_the_counterpart_in_the_other_question():
    """花呗怎么还款 / 花呗如何还钱: each character attends mostly to its counterpart; 怎么 to 如何 as a word."""
    explanation = pair("paraphrase")
    tokens, weights = explanation.encoding.tokens, first_head_attention(explanation)
    second = tokens.index("[SEP]") + 1
    attended = {
        token: tokens[second + int(weights[query, second:].argmax())]
        for query, token in enumerate(tokens[: second - 1])
    }
    assert {character: attended[character] for character in "花呗还款"} == {
        "花": "花",
        "呗": "呗",
        "还": "还",
        "款": "钱",
    }
    block = weights[tokens.index("怎") : tokens.index("么") + 1, tokens.index("如") : tokens.index("何") + 1]
    assert (block.sum(1) > 0.5).all()  # 怎么 attends to 如何


def test_no_example_is_truncated():
    titles = [title(name) for name, _ in TITLES if name != "traditional"]
    for explanation in [*(review(name) for name, _ in REVIEWS), *(pair(name) for name, _ in PAIRS), *titles]:
        assert not explanation.encoding.notices


def test_the_collapsed_model_predicts_the_same_for_everything_and_says_so():
    (collapsed,) = (info for info in checkpoints.task_checkpoints("afqmc", FOLDER) if info.settings.caution)
    model = checkpoints.load("afqmc", collapsed.name, FOLDER)
    explanations = [explain(model, *texts) for _, texts in PAIRS]
    assert {predicted_label(explanation) for explanation in explanations} == {"different"}
    assert np.ptp([explanation.probabilities[1] for explanation in explanations]) < 0.01
    assert explanations[0].notices[0].key == "checkpoints.collapsed"


def test_what_pre_training_and_distillation_buy_on_three_negations():
    """`small` gets all three wrong. [CLS] of the distilled model attends to the negation, in the fine-tuned one the
    adjective does."""
    models = {name: checkpoints.load("imdb", name, FOLDER) for name in BEFORE_AND_AFTER.models}
    right = {
        name: [predicted_label(explain(model, text)) == label for text, label in BEFORE_AND_AFTER.inputs]
        for name, model in models.items()
    }
    assert right == {
        "small": [False, False, False],
        "small-distilled": [True, True, True],
        "minilm": [True, True, False],
    }
    for (text, _), negation in zip(BEFORE_AND_AFTER.inputs, ("not", "not", "never"), strict=True):
        explanation = explain(models["small-distilled"], text)
        weights = first_head_attention(explanation)[0]  # by [CLS]
        assert explanation.encoding.tokens[int(weights.argmax())].lower() == negation and weights.max() > 0.5
    for text, adjective in (("It is not a good film.", "good"), ("Not bad at all.", "bad")):
        explanation = explain(models["minilm"], text)
        tokens = [token.lower() for token in explanation.encoding.tokens]
        assert first_head_attention(explanation)[tokens.index(adjective), tokens.index("not")] > 0.9


@pytest.mark.parametrize(
    "text, label",
    [
        ("The film is not good.", "negative"),
        ("The film isn't good at all.", "negative"),
        ("I don't think the film is good.", "negative"),
        ("The film is not bad.", "positive"),
        ("Not bad at all.", "positive"),
        ("There is nothing bad about the film.", "positive"),
    ],
)
def test_the_distilled_model_reads_six_phrasings_of_the_negation(text, label):
    assert predicted_label(explain(checkpoints.load("imdb", "small-distilled", FOLDER), text)) == label


@pytest.mark.parametrize(
    ("task", "source", "target", "head"),
    [
        ("imdb", ("The film is not bad.",), ("The film is bad.",), (0, 2)),
        ("afqmc", PAGES["afqmc"].changed, PAGES["afqmc"].first_texts, (2, 2)),
    ],
)
def test_the_strongest_head_of_another_text_turns_the_prediction(task, source, target, head):
    model = default_model(task)
    own = explain(model, *target)
    found = contrast(model, explain(model, *source).encoding, own.encoding)
    assert patch_all(model, found, ["heads"]).strongest("heads") == head
    patched = explain_patched(model, found, Cell("heads", *head))
    assert predicted_label(patched) != predicted_label(own)
