"""The reference in the link: what the explorer compares with when a page is opened."""

import pytest

from pages.shared.selection import MOSTLY_ABSENT, for_link, reference, valid_choices
from tests.pages.app import explorer, link_parameters, open_page, report
from viz_core import checkpoints
from viz_core.analysis.explain import explain

pytestmark = pytest.mark.usefixtures("checkpoints_dir")
PAIR = reference("tiny", ["花呗怎么还款", "花呗如何还钱"], "2.1")
TEXT = {"ref_model": "tiny", "ref_a": "a bad film"}


def references(app) -> dict[str, str]:
    return {name: value for name, value in explorer(app)["selection"].items() if name.startswith("ref_")}


def test_a_link_restores_the_reference():
    app = open_page("matching", **PAIR)
    assert references(app) == PAIR and link_parameters(app) == {name: value for name, value in PAIR.items() if value}
    app = open_page("sentiment", **TEXT)
    assert references(app) == reference("tiny", ["a bad film"]) and link_parameters(app) == TEXT


@pytest.mark.parametrize("mode", ["difference", "side"])
def test_a_link_restores_how_a_reference_is_compared(mode):
    app = open_page("sentiment", **TEXT, ref_mode=mode)
    assert references(app)["ref_mode"] == mode and link_parameters(app) == TEXT | {"ref_mode": mode}
    assert references(open_page("sentiment", **TEXT, ref_mode="upside down"))["ref_mode"] == ""


def test_a_reference_without_texts_follows_those_that_are_shown():
    app = open_page("matching", ref_model="tiny")
    assert references(app) == reference("tiny") and link_parameters(app) == {"ref_model": "tiny"}


def test_a_model_that_does_not_exist_is_left_to_the_browser_which_says_so():
    assert references(open_page("sentiment", **TEXT | {"ref_model": "runs/gone"}))["ref_model"] == "runs/gone"


NONE = [None, -1, [], {}, "9" * 5000, "<b>"]  # of no name
HEADS = ["", "3.1", "1.3", "0.1", "1", "9.9", "1.1 9.9", "1.1  1.2", "²․1", "9" * 5000 + ".1"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("head", value) for value in [*NONE, *HEADS]),
        *(("query", value) for value in [*NONE, "0", "99", "１"]),
        *(("key", value) for value in [*NONE, "all"]),
        *(("unit", value) for value in [*NONE, "line"]),
        *(("special", value) for value in [*NONE, "<script>"]),
        *(("block", value) for value in [*NONE, "ac"]),
        *(("scale", value) for value in [*NONE, "cubic"]),
        *(("direction", value) for value in [*NONE, ""]),
        *(("views", value) for value in [*NONE, "", "6"]),
        *(("present", value) for value in [*NONE, "1", "text", ""]),
        *(("order", value) for value in [*NONE, "number"]),
        *(("measure", value) for value in [*NONE, "weights"]),
    ],
)
def test_what_an_input_does_not_have_is_no_choice(name, value):
    assert valid_choices({name: value}, explain(checkpoints.load("afqmc", "tiny"), "花", "呗")) == {}


@pytest.mark.parametrize("changed", [{"ref_model": ""}, {"ref_model": 1}, {"ref_a": 1}, {"ref_b": "a second text"}])
def test_an_impossible_reference_is_ignored(changed):
    assert valid_choices(TEXT | changed, explain(checkpoints.load("imdb", "tiny"), "a film")) == {}


@pytest.mark.parametrize("head", HEADS)
def test_a_head_that_the_model_of_the_reference_does_not_have_is_ignored(head):
    review = explain(checkpoints.load("imdb", "tiny"), "a film")
    assert valid_choices(TEXT | {"ref_head": head}, review) == reference("tiny", ["a bad film"])


def test_without_a_reference_the_selection_names_none():
    assert references(open_page("sentiment")) == {}


def test_a_reference_that_is_pinned_or_dropped_is_written_into_the_link():
    app = open_page("sentiment")
    selection = explorer(app)["selection"]
    pinned = reference("tiny", ["a bad film"], "1.1")
    app = report(app, "selection", {**selection, **pinned})
    assert link_parameters(app) == {name: value for name, value in pinned.items() if value}
    assert link_parameters(report(app, "selection", selection)) == {}


def test_a_long_reference_stays_out_of_the_link():
    selection = {"head": "1.1", **reference("tiny", ["long " * 500])}
    assert for_link(selection, lambda text: len(text) < 2000) == {"head": "1.1", **MOSTLY_ABSENT}
    assert for_link(selection, lambda text: True) == MOSTLY_ABSENT | selection
    assert for_link({"head": "1.1"}, lambda text: True) == {"head": "1.1", **MOSTLY_ABSENT}


@pytest.mark.parametrize("present", ["heatmap", "links"])
def test_a_link_opens_a_presentation(present):
    app = open_page("matching", present=present)
    assert explorer(app)["selection"]["present"] == present and link_parameters(app) == {"present": present}
    without = {name: value for name, value in explorer(app)["selection"].items() if name != "present"}
    assert link_parameters(report(app, "selection", without)) == {}, "the presentation has ended"


def test_a_link_restores_the_order_of_the_heads():
    app = open_page("matching", order="same")
    assert explorer(app)["selection"]["order"] == "same" and link_parameters(app) == {"order": "same"}
    without = {name: value for name, value in explorer(app)["selection"].items() if name != "order"}
    assert link_parameters(report(app, "selection", without)) == {}, "by number again"
