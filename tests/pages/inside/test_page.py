"""The page about the inside of attention: what its component is opened with, the link, and bad input."""

import json

import pytest

from pages.shared.wording import escape_markdown
from tests.pages.app import link_parameters, open_page, page_text, switch, trigger
from tests.pages.app import report as explorer_report
from tests.tiny import REVIEWS
from tests.tiny_translation import save_translation
from tests.words import chinese, english, says
from viz_core.language import Translator

pytestmark = pytest.mark.usefixtures("runs_dir")
LINK = {"task": "imdb", "model": "tiny", "text": REVIEWS[0]}


def _component(app):
    (proto,) = (e.proto for e in app.get("bidi_component") if e.proto.component_name == "inside")
    return proto


def opening(app) -> dict:
    """The header of what the component is opened with."""
    data = _component(app).bytes
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


def report(app, **link: object):
    """The page after the component reported what is selected."""
    return trigger(app, _component(app).id, "link", link)


def test_a_link_is_what_the_first_drawing_shows():
    header = opening(open_page("inside", **LINK, head="1.2", query="3", key="2", step="softmax", touch="masked:4"))
    assert [header[name] for name in ("layer", "head", "query", "key")] == [0, 1, 2, 1]
    assert (header["state"]["step"], header["state"]["changes"]) == ("softmax", {"masked": [3]})
    assert header["unchanged"] and header["request"]["body"]["texts"] == [REVIEWS[0]]
    assert "title" in header["catalogue"] and header["theme"]["mode"]


@pytest.mark.parametrize("text, query", [("", 5), (REVIEWS[0], 0)])
def test_without_a_link_it_is_the_heaviest_key_of_the_query_that_teaches_most(text, query):
    """In the first example “good”, as on its page, elsewhere [CLS]."""
    header = opening(open_page("inside", task="imdb", **({"text": text} if text else {})))
    assert (header["kind"], header["query"], header["state"]["changes"]) == ("self", query, {})
    assert header["state"]["key"] == str(header["key"] + 1)


def test_an_example_is_glossed_beside_the_names_of_its_boxes():
    app, names = open_page("inside", task="afqmc"), [english(f"afqmc.box_{box}") for box in "ab"]
    glosses = english("afqmc.gloss_paraphrase").splitlines()
    glossed = [f"{name} · {escape_markdown(gloss)}" for name, gloss in zip(names, glosses, strict=True)]
    assert [box.label for box in app.text_area] == glossed
    app.text_area(key="b").set_value("花呗怎么还款").run()
    assert [box.label for box in app.text_area] == names
    app.text_area(key="b").set_value("花呗如何还钱").run()
    assert [box.label for box in app.text_area] == glossed


def test_a_remark_on_a_pair_is_the_gloss_of_neither_box():
    app = open_page("inside", task="afqmc", lang="zh")
    assert [box.label for box in app.text_area] == [chinese(f"afqmc.box_{box}") for box in "ab"]


def test_a_sentence_to_translate_is_glossed_for_those_who_read_the_translation(checkpoints_dir):
    save_translation(checkpoints_dir)
    link = {"task": "tatoeba", "model": "tiny", "source": "你会说几种语言？"}
    gloss = " · " + escape_markdown("How many languages can you speak?")
    for language, ending in (("en", gloss), ("zh", "")):
        (box,) = open_page("inside", lang=language, **link).text_area
        assert box.label == Translator(language)("inside.source") + ending


@pytest.mark.parametrize(
    "name, value", [("head", "9.9"), ("head", "*.1"), ("query", "0"), ("key", "99"), ("kind", "x")]
)
def test_what_the_input_does_not_have_is_replaced(name, value):
    app = open_page("inside", **LINK, **{name: value})
    assert opening(app)["kind"] == "self" and not app.warning


@pytest.mark.parametrize("touch", ["masked:99", "nonsense", "temperature:9999"])
def test_changes_that_are_not_possible_are_refused_in_a_sentence(touch):
    app = open_page("inside", **LINK, touch=touch)
    assert opening(app)["unchanged"] is None
    assert says(page_text(app), "whatif.link_refused")


def test_what_the_component_reports_is_in_the_link():
    app = open_page("inside", **LINK)
    data = _component(app).bytes
    report(app, step="scores", kind="self", head="2.1", query="2", key="3", changes={"temperature": 0.5})
    link = link_parameters(app)
    assert {name: link[name] for name in ("step", "head", "query", "key", "touch")} == {
        "step": "scores", "head": "2.1", "query": "2", "key": "3", "touch": "temperature:0.5"
    }  # fmt: skip
    assert len(_component(app).bytes) >= 1000 and data


def test_another_task_keeps_the_step_alone():
    app = open_page("inside", **LINK)
    report(app, step="scaling", kind="self", head="1.2", query="2", key="3", changes={"unscaled": True})
    assert opening(app)["state"]["changes"] == {"unscaled": True}
    app.segmented_control(key="task").set_value("afqmc").run()
    state, first = opening(app)["state"], opening(open_page("inside", task="afqmc"))["state"]
    assert (state["step"], state["changes"]) == ("scaling", {})
    assert [state[name] for name in ("head", "query", "key")] == [first[name] for name in ("head", "query", "key")]


def test_an_unreadable_report_changes_nothing():
    app = open_page("inside", **LINK)
    before = link_parameters(app)
    assert link_parameters(report(app, step="scores", changes={"temperature": "hot"})) == before


def test_a_text_that_cannot_be_read_is_explained():
    app = open_page("inside", **LINK | {"text": " "})
    assert says(page_text(app), "text.blank")


def test_a_translation_is_opened_with_its_cross_attention(checkpoints_dir):
    save_translation(checkpoints_dir, end=3)
    header = opening(open_page("inside", task="tatoeba", source="我们明天去学校。"))
    assert header["kind"] == "cross" and header["kinds"] == ["self", "causal", "cross"]
    assert header["prediction"]["position"] == 0


def test_a_link_opens_a_translation_that_is_not_the_greedy_one(checkpoints_dir):
    save_translation(checkpoints_dir, end=3)
    link = {"task": "tatoeba", "source": "他昨天没有来", "outputs": "5.9.3"}
    app = open_page("inside", **link)
    assert opening(app)["request"]["body"]["outputs"] == [5, 9, 3]
    assert link_parameters(app)["outputs"] == "5.9.3"
    app.text_area[0].set_value("我们明天去学校。").run()
    assert opening(app)["request"]["body"]["outputs"] == [] and "outputs" not in link_parameters(app)


def test_the_link_keeps_no_sentence_that_is_not_shown(checkpoints_dir):
    save_translation(checkpoints_dir, end=3)
    app = open_page("inside", task="tatoeba", source="他昨天没有来")
    app.text_area(key="source").set_value("他昨天没有来" * 500).run()
    assert "source" not in link_parameters(app) and says(page_text(app), "instrument.text_not_in_link")


@pytest.mark.parametrize("outputs", ["x", "1..2", "-1", "9" * 7, "²"])
def test_outputs_that_are_none_are_the_greedy_ones(checkpoints_dir, outputs):
    save_translation(checkpoints_dir, end=3)
    app = open_page("inside", task="tatoeba", source="他昨天没有来", outputs=outputs)
    assert opening(app)["request"]["body"]["outputs"] == [] and "outputs" not in link_parameters(app)


def test_the_attention_that_is_shown_first_is_not_in_the_link(checkpoints_dir):
    save_translation(checkpoints_dir, end=3)
    app = open_page("inside", **LINK)
    assert "kind" not in link_parameters(app)
    assert "kind" not in link_parameters(report(app, step="scores", kind="self"))
    app = open_page("inside", task="tatoeba", source="他昨天没有来")
    assert "kind" not in link_parameters(report(app, step="scores", kind="cross"))
    assert link_parameters(report(app, step="scores", kind="causal"))["kind"] == "causal"


class TestFromAnotherPage:
    """A click on a weight of the explorer opens this page at the same weight, whatever was selected here before."""

    def test_of_a_task(self):
        app = open_page("inside", task="afqmc", head="1.1", query="5", touch="causal")
        switch(app, "sentiment").run()
        explorer_report(app, "inside", {"texts": [REVIEWS[1]], "selection": {"head": "2.2", "query": "3", "key": "1"}})
        header = opening(switch(app, "inside").run())
        assert header["request"]["body"]["task"] == "imdb" and header["request"]["body"]["texts"] == [REVIEWS[1]]
        assert [header[name] for name in ("layer", "head", "query", "key")] == [1, 1, 2, 0]
        assert header["unchanged"] is None, "changes belong to the weight that they were made at"

    def test_of_a_translation(self, checkpoints_dir):
        save_translation(checkpoints_dir, end=3)
        app = open_page("translation")
        (translation,) = (e.proto for e in app.get("bidi_component") if e.proto.component_name == "translation")
        weight = {"kind": "causal", "head": "1.2", "query": "2", "key": "1"}
        trigger(app, translation.id, "inside", {"text": "他昨天没有来", "outputs": [5, 9, 3], **weight})
        header = opening(switch(app, "inside").run())
        assert header["request"]["body"]["outputs"] == [5, 9, 3] and header["sizes"]["Q"] == 3
        assert [header[name] for name in ("kind", "layer", "head", "query", "key")] == ["causal", 0, 1, 1, 0]
        assert link_parameters(app)["outputs"] == "5.9.3"
