"""Why this word of the translation, not that one, below the translation."""

from base64 import b64decode

import numpy as np
import pytest
from plotly.io import from_json

from tests.pages.app import link_parameters, open_page, trigger
from tests.tiny_translation import SOURCE, save_translation
from tests.words import says
from viz_core import checkpoints
from viz_core.analysis.attribution.methods import METHODS, attributions
from viz_core.analysis.attribution.next_word import choices, explain_word
from viz_core.analysis.translation.live import translate_text


@pytest.fixture(autouse=True)
def folder(checkpoints_dir):
    return save_translation(checkpoints_dir)


def open_section(**parameters):
    return open_page("translation", text=SOURCE, evidence="methods", **parameters)


def click_word(app, word, **link):
    (proto,) = (e.proto for e in app.get("bidi_component") if e.proto.component_name == "translation")
    return trigger(app, proto.id, "link", {"text": SOURCE, "word": str(word), **link})


def test_the_bars_are_those_of_the_word_against_the_candidate():
    model = checkpoints.load("tatoeba", "tiny")
    view, explanation = explain_word(model, translate_text(model, SOURCE), 3)
    word, _, other = explanation.labels[:3]
    app = open_section(target="4", against=other)
    figure = from_json(app.get("plotly_chart")[0].proto.spec)
    assert says(figure.layout.title.text, "attribution.title_against", label=word, against=other)
    bars = [trace for trace in figure.data if trace.type == "bar"]
    for bar, expected in zip(bars, attributions(view, explanation, 0, 2), strict=True):
        drawn = np.frombuffer(b64decode(bar.x["bdata"]), bar.x["dtype"])
        np.testing.assert_allclose(drawn, expected.values[expected.groups >= 0], atol=1e-5)
    assert len(bars) == len(METHODS) and link_parameters(app)["target"] == "4"
    assert "csv_attributions" in {button.key for button in app.get("download_button")}


def test_at_first_the_least_certain_word_is_explained_then_the_one_that_is_clicked():
    steps = translate_text(checkpoints.load("tatoeba", "tiny"), SOURCE).steps
    first = 1 + int(np.argmin([step.output.probability for step in steps]))
    app = open_section()
    assert app.selectbox(key="target").value == first and "target" not in link_parameters(app)
    app = click_word(app, 2)
    assert app.selectbox(key="target").value == 2
    app.selectbox(key="target").set_value(5).run()
    assert app.selectbox(key="target").value == 5 and not app.exception, "what is chosen here holds until a click"


def test_a_word_that_was_put_there_is_compared_with_what_the_model_expected():
    model = checkpoints.load("tatoeba", "tiny")
    expected = choices(translate_text(model, SOURCE).steps[0])[0].token
    app = open_section(fed="1:yesterday", target="1", against=expected)
    title = from_json(app.get("plotly_chart")[0].proto.spec).layout.title.text
    assert says(title, "attribution.title_against", label="yesterday", against=expected)


def test_of_a_sentence_that_cannot_be_translated_nothing_is_explained():
    app = open_page("translation", text=" ", evidence="methods")
    assert app.warning and not app.get("plotly_chart") and not app.exception
