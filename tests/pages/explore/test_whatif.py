"""The data of what-if on the pages."""

import json

import pytest

from tests.pages.app import open_page
from tests.words import chinese

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def whatif_data(**link: str) -> dict:
    """The data of what-if on the matching page."""
    app = open_page("matching", evidence="whatif", a="花呗怎么还", b="借呗如何还款", **link)
    (proto,) = (element.proto for element in app.get("bidi_component") if element.proto.component_name == "whatif")
    return json.loads(proto.json)


def test_it_gets_the_explanation_and_the_address_of_the_route():
    data = whatif_data()
    assert data["request"] == {
        "url": "explorer/interventions",
        "body": {"task": "afqmc", "model": "tiny", "texts": ["花呗怎么还", "借呗如何还款"]},
    }
    assert data["labels"][:3] == ["[CLS]", "花", "呗"] and data["groups"][0] == -1 and data["pair"]
    assert (data["layers"], data["heads"], data["tokens"], data["threshold"]) == (2, 2, 14, 0.4)
    assert data["predicted"] == int(data["original"][1] >= 0.4) and sum(data["original"]) == pytest.approx(1)


def test_its_row_is_the_explorers_selection():
    assert whatif_data(head="1.2", query="4")["row"] == [0, 1, 3]
    assert whatif_data(head="2.*", query="all")["row"] == [1, 0, 0]


def test_it_gets_the_visitors_language():
    data = whatif_data(lang="zh")
    assert data["language"] == "zh" and data["catalogue"]["undo"] == chinese("whatif.undo")
