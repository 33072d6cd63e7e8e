"""The section of the calculator: what it is opened with, its link, and that another section keeps what was typed."""

import json

from pages.inside.calculator import FIRST
from tests.pages.app import link_parameters, open_page
from tests.words import english

TYPED = {**FIRST, "example": "causal", "calc": "c122430~1_0_2", "names": "a b c d", "shown": "scores"}


def component(app):
    (proto,) = (e.proto for e in app.get("bidi_component") if e.proto.component_name == "calculator")
    return proto


def opening(app) -> dict:
    return json.loads(component(app).json)


def report(app, **link: object):
    """The page after the component reported what is set."""
    states = app._tree.get_widget_states()
    event = states.widgets.add()
    event.id = f"$$STREAMLIT_INTERNAL_KEY_{component(app).id}__events"
    event.json_trigger_value = json.dumps([{"event": "link", "value": link}])
    return app._run(states).run()


def test_it_opens_with_the_first_example_and_needs_no_model(tmp_path, monkeypatch):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "none"))
    app = open_page("inside", inside="calculator")
    data = opening(app)
    assert data["link"] == FIRST and data["language"] == "en" and data["turns"] == 0
    assert (
        data["catalogue"]["example_cross"] == english("calculator.example_cross")
        and "inside.section" not in data["catalogue"]
    )
    assert link_parameters(app) == {"inside": "calculator"}


def test_what_was_typed_is_in_the_link_and_opened_again(checkpoints_dir):
    app = report(open_page("inside", inside="calculator"), **TYPED)
    link = link_parameters(app)
    assert link == {"inside": "calculator", **{k: v for k, v in TYPED.items() if v != FIRST[k]}}
    assert opening(open_page("inside", **link))["link"] == TYPED
    app.query_params.clear()  # as another page takes the link away
    assert opening(app.run())["link"] == TYPED


def test_fields_that_are_none_are_dropped(checkpoints_dir):
    app = report(open_page("inside", inside="calculator"), example="d3", calc=7, names="x" * 3000, other="y")
    assert link_parameters(app) == {"inside": "calculator", "example": "d3"}
    app = open_page("inside", inside="calculator", calc="s" * 3000, names="a\u0000b")
    assert opening(app)["link"] == FIRST
