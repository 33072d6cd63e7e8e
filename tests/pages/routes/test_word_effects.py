"""The route of the effects on a word of a translation."""

import json
from functools import partial

import pytest

from pages.routes.word_effects import effects
from tests.pages.routes import route_requests
from tests.tiny_translation import SOURCE, save_translation
from tests.words import says
from viz_core import checkpoints
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.analysis.translation.live import translate_stepwise
from viz_core.analysis.translation.word_effects import word_effects

refusal_message = partial(route_requests.refusal_message, effects)


@pytest.fixture(autouse=True)
def translation(tmp_path, monkeypatch):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path))
    save_translation(tmp_path, end=3.0)
    checkpoint = checkpoints.load("tatoeba", "tiny")
    source = checkpoint.text_encoder.encode(SOURCE)
    return explain_translation(checkpoint, source, [step.output.id for step in translate_stepwise(checkpoint, source)])


@pytest.fixture
def request_body(translation):
    outputs = [step.output.id for step in translation.steps]
    body = {"task": "tatoeba", "model": "tiny", "text": SOURCE, "language": "en", "outputs": outputs}
    return {**body, "word": 1, "masked": [[1, 0]], "blocked": [3]}


def test_the_effects_are_those_of_the_analysis(translation, request_body):
    response = route_requests.post(effects, request_body)
    expected = word_effects(checkpoints.load("tatoeba", "tiny"), translation, 1, frozenset([(1, 0)]), frozenset([3]))
    answer = json.loads(response.body)
    assert response.status_code == 200 and len(answer["others"]) == 3
    assert answer["original"] == pytest.approx(expected.original)
    assert answer["masked"] == {
        "probability": pytest.approx(expected.masked.probability),
        "instead": expected.masked.instead,
    }
    assert answer["blocked"]["probability"] == pytest.approx(expected.blocked.probability)


@pytest.mark.parametrize(
    "wrong",
    [{"word": "1"}, {"word": None}, {"masked": [[1]]}, {"masked": 3}, {"blocked": ["3"]}, {"outputs": {}}, {"text": 3}],
)
def test_what_is_no_request_is_refused_in_a_sentence(request_body, wrong):
    assert says(refusal_message(request_body | wrong, 400), "translation.request_unreadable")


def test_a_word_that_the_translation_does_not_have_is_named(request_body):
    assert says(refusal_message(request_body | {"word": 98}, 422), "translation.unknown_word", position=99)
