"""The page of news: ten classes, models that read characters or words, and titles that no newspaper would print."""

import json

import pytest

from pages.explore import whatif
from tests.pages.app import open_page, page_text
from tests.tiny import encoder
from tests.words import says
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.checkpoints import METRICS, Settings
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Failure
from viz_core.tasks import get_task

TASK = get_task("thucnews")
TITLES = ["火箭成功发射", "火箭三分绝杀", "股价上涨", "股价下跌"] * 2


@pytest.fixture
def models(checkpoints_dir):
    """An untrained model by character, `small`, and one by word, `words`."""
    for name, units in (("small", "default"), ("words", "words")):
        text = TASK.text_encoder(TASK.tokenizer_builder(units)(TITLES, 32))
        model = encoder(vocabulary=text.vocabulary, max_tokens=32, classes=10)
        metrics = {"task": "thucnews", "recipe": {"units": units}}
        checkpoints.save(checkpoints_dir / "thucnews" / name, Settings("thucnews", model.config), model, text, metrics)
    return checkpoints_dir / "thucnews"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_token_is_depends_on_the_model(models, language):
    say = Translator(language)
    pages = {
        name: page_text(open_page("news", lang=language, model=name, text=TITLES[0])) for name in ("small", "words")
    }
    assert say("thucnews.read_note") in pages["small"] and say("thucnews.read_note") not in pages["words"]
    assert say("thucnews.read_note_words") in pages["words"]


def test_a_file_of_metrics_without_units_is_that_of_a_former_model(models):
    for content in ({}, {"recipe": []}, {"recipe": {"units": 3}}):
        (models / "words" / METRICS).write_text(json.dumps(content), encoding="utf-8")
        assert checkpoints.find("thucnews", "words").units == "default"


def test_two_versions_show_the_classes_that_moved_most(models):
    was, now = TITLES[0], TITLES[2]
    app = open_page("evaluation", task="thucnews", model="small", part="compare", was_text=was, now_text=now)
    model = checkpoints.load("thucnews", "small")
    shift = explain(model, now).probabilities - explain(model, was).probabilities
    moved = sorted(range(10), key=lambda index: -abs(shift[index]))[:4]
    say = Translator("en")
    assert [metric.label for metric in app.metric] == [
        say(f"rendering.label_{TASK.labels[index]}") for index in sorted(moved)
    ]


@pytest.mark.parametrize("name", ["small", "words"])
def test_bad_titles_are_answered_in_words(models, name):
    model = checkpoints.load("thucnews", name)
    for blank in ("", " ", "\u3000\n"):
        with pytest.raises(Failure, match="text.blank"):
            explain(model, blank)
    notices = {
        title: [notice.key for notice in explain(model, title).notices]
        for title in ("火箭" * 250, "火箭發射", "Rockets win in overtime", "火箭")
    }
    assert list(notices.values()) == [["text.truncated"], ["text.unknown"], ["analysis.no_chinese", "text.unknown"], []]


def test_a_class_is_explained_against_another(models):
    values = dict(model="small", text=TITLES[0], evidence="methods", target="game")
    plain, against = (open_page("news", **values, **other) for other in ({}, {"against": "sports"}))
    titles = [json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]["title"]["text"] for app in (plain, against)]
    say = Translator("en")
    names = {name: say(f"rendering.label_{label}") for name, label in (("label", "game"), ("against", "sports"))}
    told = [says(title, "attribution.title_against", **names) for title in titles]
    assert told == [False, True]
    assert against.selectbox(key="against").value == "sports"


@pytest.mark.parametrize("label", ["", "game"])
def test_whatif_follows_the_class_that_is_chosen(models, monkeypatch, label):
    followed, pack = [], whatif.whatif_data
    monkeypatch.setattr(
        whatif, "whatif_data", lambda *values, **named: (followed.append(named["tracked"]), pack(*values, **named))[1]
    )
    app = open_page("news", model="small", text=TITLES[0], evidence="whatif", target=label)
    assert app.selectbox(key="target").value == label
    assert followed[-1] == (TASK.labels.index(label) if label else None)
