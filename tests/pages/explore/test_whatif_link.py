"""The changes of what-if in the link: read again as they were written, and refused in words."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from pages.explore.whatif_link import LEVELS, NO_CHANGES, from_link, to_link
from tests.pages.app import link_parameters, open_page, page_text
from tests.words import says
from viz_core.analysis.whatif import Changes
from viz_core.records import Failure

HEADS, TOKENS = 4, 9
WHATIF = {"evidence": "whatif", "a": "花呗怎么还", "b": "借呗如何还款", "model": "tiny"}

heads = some.frozensets(some.tuples(some.integers(0, 11), some.integers(0, HEADS - 1)))
tokens = some.frozensets(some.integers(0, 511))
weights = some.lists(some.integers(0, LEVELS), min_size=1, max_size=TOKENS).map(lambda row: np.array(row) / LEVELS)
rows = some.dictionaries(
    some.tuples(some.integers(0, 11), some.integers(0, 3), some.integers(0, 511)), weights, max_size=3
)
changes = some.builds(
    Changes, masked=heads, uniform=heads, removed=tokens, deleted=tokens, unknown=tokens, blocked=tokens, rows=rows
)


@given(changes)
def test_what_is_written_is_read_again(before):
    link = to_link(before, HEADS)
    after = from_link(link, HEADS)
    for name in ("masked", "uniform", "removed", "deleted", "unknown", "blocked"):
        assert getattr(after, name) == getattr(before, name)
    assert after.rows.keys() == before.rows.keys()
    for row, values in before.rows.items():
        np.testing.assert_array_equal(after.rows[row], values)
    assert to_link(after, HEADS) == link and set(link) == set(NO_CHANGES)


def test_the_form_of_a_link():
    changed = Changes(
        masked=frozenset([(0, 1), (3, 0), (3, 1)]), blocked=frozenset([0, 6]), rows={(1, 0, 2): np.array([0.0, 1.0])}
    )
    assert {name: value for name, value in to_link(changed, 2).items() if value} == {
        "masked": "1.2 4.*",
        "blocked": "1 7",
        "rows": "2.1.3:AAD__w",
    }
    assert to_link(Changes(), 2) == NO_CHANGES


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("masked", value)
            for value in ("1", "0.1", "1.0", "*.1", "1.2.3", "１.1", "1.1,2.1", "-1.1", "9" * 99 + ".1", "<b>")
        ),
        *(("removed", value) for value in ("0", "x", "1.1", "²", "3 4 five")),
        *(("rows", value) for value in ("1.1.1", "1.1.1:A", "1.1.1:AAAA", "1.1:AAAA", "1.1.1:é", ":", "x:AAD__w")),
    ],
)
def test_what_cannot_be_read_is_named(name, value):
    with pytest.raises(Failure) as refusal:
        from_link({name: value}, HEADS)
    message = refusal.value.message
    assert message.key == "whatif.link_unreadable" and message.values["name"] == name


def whatif(app) -> dict:
    """The data of what-if on the page."""
    (proto,) = (element.proto for element in app.get("bidi_component") if element.proto.component_name == "whatif")
    return json.loads(proto.json)


def report(app, **fields: object):
    """The page after what-if reported these changes."""
    (proto,) = (element.proto for element in app.get("bidi_component") if element.proto.component_name == "whatif")
    states = app._tree.get_widget_states()
    event = states.widgets.add()
    event.id = f"$$STREAMLIT_INTERNAL_KEY_{proto.id}__events"
    event.json_trigger_value = json.dumps([{"event": "changes", "value": {"row": whatif(app)["row"], **fields}}])
    return app._run(states).run()


def link_changes(app) -> dict[str, str]:
    """The part of the link that describes the changes."""
    return {name: value for name, value in link_parameters(app).items() if name in (*NO_CHANGES, "row")}


@pytest.mark.usefixtures("checkpoints_dir")
class TestPage:
    def test_changes_at_rest_are_in_the_link_and_a_link_makes_them_again(self):
        row = [0.5, 0.5] + [0.0] * 12
        fields = {"masked": [[0, 1]], "removed": [2], "rows": [[1, 0, 3, row]], "row": [1, 0, 3]}
        app = report(open_page("matching", **WHATIF), **fields)
        link = link_changes(app)
        assert {**link, "rows": ""} == {"masked": "1.2", "removed": "3", "rows": "", "row": "2.1.4"}
        opened = whatif(open_page("matching", **WHATIF, **link))
        assert opened["changes"].items() >= {"masked": [[0, 1]], "removed": [2]}.items() and opened["row"] == [1, 0, 3]
        (read,) = opened["changes"]["rows"]
        assert (
            read[:3] == [1, 0, 3]
            and read[3] == pytest.approx(row, abs=1e-5)
            and sum(read[3]) == pytest.approx(1, abs=2e-5)
        )
        assert link_changes(report(app)) == {"row": "2.1.4"}, "everything is put back"

    def test_changes_belong_to_one_input_and_to_what_if(self):
        app = report(open_page("matching", **WHATIF), masked=[[0, 1]])
        app.session_state["b"] = "借呗怎么还款"  # as another page opens an input
        app.run()
        assert link_changes(app) == {} and whatif(app)["changes"]["masked"] == []
        app = report(app, uniform=[[1, 1]])
        assert link_changes(app) == {"uniform": "2.2"}
        app.session_state["evidence"] = "methods"
        assert link_changes(app.run()) == {}

    @pytest.mark.parametrize(
        ("link", "key", "values"),
        [
            ({"masked": "9.9"}, "analysis.whatif_unknown_head", {"layer": 9, "head": 9}),
            ({"removed": "1"}, "analysis.whatif_special_token", {"position": 1}),
            ({"blocked": "99"}, "analysis.whatif_unknown_token", {"position": 99}),
            ({"rows": "1.1.1:AAD__w"}, "analysis.whatif_row_length", {"weights": 2, "tokens": 14}),
            ({"rows": "1.1.1:" + "_" * 38}, "analysis.whatif_row_weights", {}),
            ({"row": "9.9.9"}, "analysis.whatif_unknown_head", {"layer": 9, "head": 9}),
            ({"row": "1"}, "whatif.link_unreadable", {"name": "row"}),
            ({"uniform": "<b>bold</b>"}, "whatif.link_unreadable", {"name": "uniform"}),
            ({"masked": "1.1 " * 5000 + "x"}, "whatif.link_unreadable", {"name": "masked"}),
        ],
    )
    def test_what_does_not_fit_the_input_is_refused_in_words(self, link, key, values):
        app = open_page("matching", **WHATIF, **link)
        assert not app.exception and says(page_text(app), key, **values)
        assert link_changes(app) == {} and whatif(app)["changes"]["masked"] == []

    @pytest.mark.parametrize(
        "fields", [{"masked": [[9, 9]]}, {"masked": "x"}, {"rows": [[0, 0, 0, [1]]]}, {"row": None}, {"row": [1]}]
    )
    def test_mistyped_reports_are_ignored(self, fields):
        app = report(open_page("matching", **WHATIF), **fields)
        assert not app.exception and link_changes(app) == {}

    def test_changes_that_are_too_long_for_a_link_are_left_out_and_the_page_says_so(self):
        row = [1 / 14] * 14
        rows = [[layer, head, query, row] for layer in range(2) for head in range(2) for query in range(14)]
        app = report(open_page("matching", **WHATIF), rows=rows)
        assert link_changes(app) == {} and says(page_text(app), "whatif.not_in_link")
