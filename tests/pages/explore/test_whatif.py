"""What-if on the pages: what it is given."""

from __future__ import annotations

import json

import pytest

from tests.pages.app import open_page

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def given(**link: str) -> dict:
    """The data of what-if on the page of pairs."""
    app = open_page("matching", evidence="whatif", a="花呗怎么还", b="借呗如何还款", **link)
    (found,) = (one.proto for one in app.get("bidi_component") if one.proto.component_name == "whatif")
    return json.loads(found.json)


def test_it_is_given_what_the_explanation_holds_and_where_to_ask():
    data = given()
    assert data["request"] == {
        "url": "explorer/interventions",
        "body": {"task": "afqmc", "model": "tiny", "texts": ["花呗怎么还", "借呗如何还款"]},
    }
    assert data["labels"][:3] == ["[CLS]", "花", "呗"] and data["groups"][0] == -1 and data["pair"]
    assert (data["layers"], data["heads"], data["tokens"], data["threshold"]) == (2, 2, 14, 0.4)
    assert data["predicted"] == int(data["original"][1] >= 0.4) and sum(data["original"]) == pytest.approx(1)


def test_its_row_is_the_one_that_is_selected_in_the_explorer():
    assert given(head="1.2", query="4")["row"] == [0, 1, 3]
    assert given(head="2.*", query="all")["row"] == [1, 0, 0]


def test_it_speaks_the_visitors_language():
    data = given(lang="zh")
    assert data["language"] == "zh" and data["catalogue"]["undo"] == "↶ 撤销"
