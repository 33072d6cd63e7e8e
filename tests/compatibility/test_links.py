"""Links made by an earlier version open the same page state."""

import json
from collections import Counter

import pytest

from tests.compatibility.conftest import HERE, OWNER
from tests.compatibility.page_state import page_state

LINKS = json.loads((HERE / "links.json").read_text(encoding="utf-8"))
PARAMETERS = {
    "lang",
    "projector",
    "text",
    "a",
    "b",
    "model",
    "task",
    "head",
    "query",
    "key",
    "unit",
    "special",
    "block",
    "scale",
    "direction",
    "views",
    "order",
    "evidence",
    "masked",
    "uniform",
    "removed",
    "deleted",
    "unknown",
    "blocked",
    "rows",
    "row",
    "part",
    "seed",
    "outcome",
    "truth",
    "sure",
    "length",
    "common",
    "was_text",
    "now_text",
    "was_a",
    "was_b",
    "now_a",
    "now_b",
    "moved",
    "probe_category",
    "probe_wrong",
    "measure",
    "ablated",
    "runs",
}
# One input through two models had boxes and pickers on the training page, which no link set. The explorer compares now.
REMOVED = {
    ("training", "text_area"): ['"花呗怎么还款"', '"花呗如何还钱"'],
    ("training", "selectbox"): [
        '"run finished"',
        '"model kept"',
        '"训练 finished"',
        '"训练 stopped"',
        *("0", "2", "2"),
    ],
}


@pytest.fixture(autouse=True)
def single_visitor(earlier_files, monkeypatch):
    import streamlit as st

    from pages.training.estimates import Measurement

    st.cache_resource.clear()
    st.cache_data.clear()
    monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
    monkeypatch.setattr("pages.shared.ownership.visitor", lambda: OWNER)
    monkeypatch.setattr("pages.training.estimates._measure", lambda arguments: Measurement(75.0))


@pytest.mark.parametrize("before", LINKS, ids=lambda entry: f"{entry['page']}-{'-'.join(entry['link'])}")
def test_a_link_opens_the_same_state_as_before(before):
    now = page_state(before["page"], before["link"])
    assert {name: now[name] for name in ("address", "language", "selection")} == {
        name: before[name] for name in ("address", "language", "selection")
    }
    for kind, values in before["widgets"].items():  # new widgets are allowed
        removed = Counter(REMOVED.get((before["page"], kind), []))
        assert not Counter(values) - Counter(now["widgets"].get(kind, [])) - removed, kind


def test_every_parameter_occurs_in_a_link():
    assert {name for entry in LINKS for name in entry["link"]} == PARAMETERS and len(LINKS) >= 30
