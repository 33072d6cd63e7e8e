"""The pages of the two tasks on two untrained checkpoints: views, messages, and what a link restores."""

import json
import shutil

import pytest

from tests.pages.app import explorer, link_parameters, open_page, page_text, report, type_texts
from tests.tiny import save_checkpoint
from tests.words import chinese, english, says
from viz_core.explorer import packing
from viz_core.records import Message

pytestmark = pytest.mark.usefixtures("checkpoints_dir")
SECOND = Message("text.sentence", {"number": "B"})


def test_an_example_is_analysed_before_anything_is_typed():
    app = open_page("sentiment")
    header = explorer(app)
    assert header["instrument"]["texts"] == header["instrument"]["examples"][0]["texts"] != [""]
    assert header["instrument"]["boxes"] == [english("imdb.box_text")]
    assert [header.value for header in app.header] == [english("evidence.title")]
    assert header["prediction"]["verdict"] and header["prediction"]["threshold"] == 0.4


def test_texts_at_rest_are_in_the_link_the_session_and_all_that_follows():
    app = type_texts(open_page("matching"), "花呗怎么还", "借呗怎么还款", head="1.2", query="3")
    assert (app.session_state["a"], app.session_state["b"]) == ("花呗怎么还", "借呗怎么还款")
    assert link_parameters(app) == {"a": "花呗怎么还", "b": "借呗怎么还款", "head": "1.2", "query": "3"}
    header = explorer(app)
    assert header["instrument"]["texts"] == ["花呗怎么还", "借呗怎么还款"]
    assert (header["selection"]["head"], header["selection"]["query"]) == ("1.2", "3")
    assert english("pages.read", count=14) in [expander.label for expander in app.expander]


@pytest.mark.parametrize(
    "value",
    [None, 1, [], {}, {"texts": "a film"}, {"texts": ["a", "b"], "selection": {}}, {"texts": [1], "selection": {}}],
)
def test_mistyped_reports_are_ignored(value):
    app = open_page("sentiment")
    before = explorer(app)
    assert explorer(report(app, "texts", value)) == before and not app.exception and link_parameters(app) == {}


def test_half_a_character_is_refused_and_stays_out_of_the_link():
    app = type_texts(open_page("sentiment"), "a good film \ud83d")
    assert not app.exception and link_parameters(app) == {}
    header = explorer(app)["instrument"]
    assert says(header["refusal"], "text.not_unicode") and header["texts"] == ["a good film \ud83d"]


def test_the_evidence_of_a_link_can_be_deselected():
    app = open_page("sentiment", evidence="models")
    (picker,) = (group for group in app.button_group if group.key == "evidence")
    assert picker.value == "models"
    picker.set_value(None).run()
    (picker,) = (group for group in app.button_group if group.key == "evidence")
    assert picker.value is None and link_parameters(app) == {} and not app.exception


DEFAULTS = {  # of the first pair, whose selected token is 怎
    "head": "2.1",
    "query": "4",
    "key": "",
    "unit": "word",
    "special": "shown",
    "block": "all",
    "scale": "linear",
    "limit": "full",
    "direction": "from",
    "views": "12",
}
SELECTED = {
    "head": "1.2",
    "query": "all",
    "key": "4",
    "unit": "token",
    "special": "hidden",
    "block": "ab",
    "scale": "log",
    "limit": "own",
    "direction": "to",
    "views": "24",
}


def test_a_link_restores_the_explorers_selection():
    app = open_page("matching", **SELECTED)
    assert explorer(app)["selection"] == SELECTED and link_parameters(app) == SELECTED
    default_page = open_page("matching")
    assert explorer(default_page)["selection"] == DEFAULTS and link_parameters(default_page) == {}
    assert explorer(open_page("sentiment"))["selection"] == DEFAULTS | {"unit": "token", "query": "6"}


def test_mistyped_values_in_a_link_are_ignored():
    mistyped = {"head": "3.1", "query": "99", "special": "<script>", "views": "6"}
    app = open_page("matching", **SELECTED | mistyped)
    assert explorer(app)["selection"] == SELECTED | {name: DEFAULTS[name] for name in mistyped}
    assert link_parameters(app) == {name: value for name, value in SELECTED.items() if name not in mistyped}


def test_another_text_keeps_the_selection_except_tokens():
    app = open_page("matching", **SELECTED)
    app.session_state["b"] = "借呗怎么还款"  # as another page opens an input
    app.run()
    assert explorer(app)["selection"] == SELECTED | {"query": "1", "key": ""}
    assert not {"query", "key"} & set(link_parameters(app)) and link_parameters(app)["head"] == "1.2"


def test_the_explorer_gets_the_visitors_language_and_a_request_with_the_texts():
    header = explorer(open_page("matching", lang="zh", a="花呗怎么还", b="借呗如何还款"))
    assert header["language"] == "zh" and header["catalogue"]["text"] == chinese("explorer.text")
    assert header["request"]["body"] == {"task": "afqmc", "model": "tiny", "texts": ["花呗怎么还", "借呗如何还款"]}


def test_a_rerun_packs_nothing_again(monkeypatch):
    calls = []
    monkeypatch.setattr(
        packing,
        "pack",
        lambda *arguments, original=packing.pack, **fields: (calls.append(arguments), original(*arguments, **fields))[
            1
        ],
    )
    app = open_page("sentiment")
    first = explorer(app)
    before = len(calls)  # the home page, where a visit begins, packs its own example
    assert explorer(app.run()) == first and explorer(open_page("sentiment")) == first and len(calls) == before
    assert explorer(type_texts(app, "a bad film"))["id"] != first["id"] and len(calls) == before + 1


@pytest.mark.parametrize(
    ("head", "several_heads"),
    [
        ("1.2", False),
        ("2.2 1.1", True),
        *(pytest.param(heads, False, marks=pytest.mark.slow) for heads in ("2.*", "*.1", "*.*")),
    ],
)
def test_figures_are_drawn_when_their_expander_is_open(head, several_heads):
    app = open_page("matching", head=head)
    keys = {button.key for button in app.get("download_button")}
    app.session_state["figures"] = True
    app.run()
    assert not app.exception
    new_keys = {button.key for button in app.get("download_button")} - keys
    assert new_keys == {
        "save_explorer",
        "npz",
        "html_probabilities",
        "html_text",
        "csv_text",
        "html_bars",
        "csv_bars",
        "html_heatmap",
        "csv_heatmap",
        "html_heads",
    }
    assert says(page_text(app), "pages.figures_one_head", head="2.2") == several_heads


def test_figures_are_value_weighted_if_the_explorer_is():
    app = open_page("matching", head="2.1", measure="norms")
    assert (link_parameters(app)["measure"], explorer(app)["hasNorms"]) == ("norms", True)
    app.session_state["figures"] = True
    app.run()
    assert not app.exception
    figures = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    titles = [figure["layout"]["title"]["text"] for figure in figures if "title" in figure["layout"]]
    shown = Message("analysis.title_map", {"where": Message("analysis.of_head", {"layer": 2, "head": 1})})
    assert any(says(title, "analysis.title_value_weighted", title=shown) for title in titles), titles
    assert link_parameters(open_page("matching", measure="<b>")) == {}


def test_long_texts_stay_out_of_the_link():
    app = open_page("sentiment")
    type_texts(app, "good film " * 300)
    assert not app.exception and "text" not in app.query_params
    header = explorer(app)
    assert header["instrument"]["limit"] == 2000
    assert says(header["notices"][0], "text.truncated") and app.session_state["text"] == "good film " * 300


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "text.blank"),
        ("?!…", "text.no_words"),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in (("  \n ", "text.blank"), ("😀", "text.no_words"))),
    ],
)
def test_an_invalid_review_gets_a_sentence(text, key):
    app = type_texts(open_page("sentiment"), text)
    header = explorer(app)
    assert not app.exception and says(header["instrument"]["refusal"], key) and "tokens" not in header
    assert header["instrument"]["texts"] == [text] and link_parameters(app) == {"text": text}
    assert type_texts(app, "a good film") and explorer(app)["tokens"] == 5


def test_a_pair_with_one_empty_side_gets_a_sentence_that_names_the_side():
    app = type_texts(open_page("matching"), "花呗", "")
    assert not app.exception and says(explorer(app)["instrument"]["refusal"], "text.blank", where=SECOND)


def test_as_long_a_text_as_can_arrive_is_cut_before_it_is_sent_anywhere():
    """A browser cuts it, too; Streamlit refuses a megabyte (`maxWidgetStateSize`)."""
    app = type_texts(open_page("sentiment"), "<b>film</b> *good* $x$ " * 43_000)
    header = explorer(app)
    assert not app.exception and says(header["notices"][0], "text.truncated")
    assert len(header["instrument"]["texts"][0]) == header["instrument"]["most"] == 20_000


def test_a_broken_checkpoint_is_named_and_the_others_keep_working(checkpoints_dir):
    shutil.copytree(checkpoints_dir / "imdb/tiny", checkpoints_dir / "imdb/broken")
    (checkpoints_dir / "imdb/broken/config.json").write_text("{")
    app = open_page("sentiment")
    assert "imdb/broken" in page_text(app) and "tiny" in app.selectbox(key="model").options[0]
    assert app.header


def test_damaged_weights_are_named_when_the_model_is_selected(checkpoints_dir):
    (checkpoints_dir / "imdb/tiny/model.safetensors").write_bytes(b"not weights")
    app = open_page("sentiment")
    assert "imdb/tiny" in explorer(app)["instrument"]["refusal"] and not app.header


def test_without_any_checkpoint_the_page_says_how_to_get_one(checkpoints_dir):
    shutil.rmtree(checkpoints_dir / "afqmc")
    app = open_page("matching")
    assert says(app.error[0].value, "checkpoints.no_models", task="afqmc")


def test_a_model_with_a_caution_is_last_in_the_picker_and_warns(checkpoints_dir):
    save_checkpoint(checkpoints_dir, "afqmc", "a_bad_one", caution="checkpoints.collapsed")
    app = open_page("matching")
    first, last = app.selectbox(key="model").options
    assert "tiny" in first and "a_bad_one" in last
    app.selectbox(key="model").set_value("a_bad_one").run()
    caution = explorer(app)["prediction"]["caution"]
    assert all(says(text, "checkpoints.collapsed") for text in (page_text(app), caution))
