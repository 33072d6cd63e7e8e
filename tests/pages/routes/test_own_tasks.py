"""Requests about a task of somebody's own: for its owner, for everybody once it is shared, else there is none."""

import pytest

from pages.routes.explain import explain
from pages.routes.heads import heads
from pages.routes.inside import inside_head
from pages.routes.matrices import matrices
from pages.routes.whatif import whatif
from pages.shared.clients import THIS_MACHINE
from tests.pages.app import open_page
from tests.pages.own_data.tables import make_model, make_task
from tests.pages.routes.route_requests import Route, post, refusal_message
from tests.words import english
from viz_core.analysis.turns import Client
from viz_core.tasks import own

pytestmark = pytest.mark.usefixtures("runs_dir")
ME, ANOTHER = "0" * 32, "1" * 32  # tokens of browsers; of the first one is `OWNER`
ROUTES = {
    explain: {},
    heads: {"heads": [[0, 0]]},
    inside_head: {"layer": 0, "head": 0, "query": 1, "key": 1},
    matrices: {"kind": "self", "layer": 0, "head": 0, "step": "query"},
    whatif: {},
}


@pytest.fixture
def task(checkpoints_dir) -> str:
    """A task with a model, which nobody has shared."""
    name = make_task()
    make_model(name, checkpoints_dir / name / "small")
    return name


def status(task: str, visitor: str | None, route: Route = explain) -> int:
    fields = {"task": task, "model": "small", "texts": ["a puddle"], "language": "en", **ROUTES[route]}
    return post(route, fields, visitor=visitor).status_code


@pytest.mark.parametrize("route", ROUTES)
def test_only_its_owner_is_answered_until_it_is_shared(route, task):
    assert status(task, ME, route) == 200
    for visitor in (ANOTHER, None):
        assert status(task, visitor, route) == 404
    own.change(task, shared=True)
    assert status(task, ANOTHER, route) == status(task, None, route) == 200
    own.change(task, shared=False)
    assert status(task, ANOTHER, route) == 404


def test_the_refusal_is_that_of_a_task_that_does_not_exist(task):
    request = {"model": "small", "texts": ["a puddle"], "language": "en"}
    messages = {refusal_message(explain, request | {"task": name}, 404) for name in (task, f"own-{'0' * 24}")}
    assert messages == {english("pages.request_unknown_model")}


def test_an_expired_task_is_gone(task):
    own.change(task, shared=True, expires=1.0)
    assert status(task, ME) == 404


def test_whoever_is_alone_on_the_machine_is_answered(task, monkeypatch):
    monkeypatch.setenv("VIZ_ALONE", "1")
    assert status(task, ANOTHER) == 200


def test_a_teacher_is_answered_while_the_switch_is_on(task, as_other, monkeypatch):
    as_other()
    monkeypatch.setattr("pages.shared.closed_tasks.page_client", lambda: Client(ANOTHER, THIS_MACHINE))
    monkeypatch.setenv("VIZ_TEACHER_KEY", key := "correct horse battery")
    app = open_page("your-data")
    app.text_input(key="teacher_key").set_value(key).run()
    assert status(task, ANOTHER) == 404
    app.toggle(key="others").set_value(True).run()
    assert status(task, ANOTHER) == 200 and status(task, "2" * 32) == status(task, None) == 404
    app.toggle(key="others").set_value(False).run()
    assert status(task, ANOTHER) == 404
