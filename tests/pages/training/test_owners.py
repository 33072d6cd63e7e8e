"""Who may stop and delete what: the owner; others alone on their machine, or with the teacher's key."""

import pytest
import streamlit as st

from pages.shared import ownership, teacher
from pages.shared.clients import Rate
from pages.shared.visitor_cookie import COOKIE, sign
from pages.training import run_controls
from tests.pages.app import page_text
from tests.pages.fake_runs import make_run, open_training
from tests.words import english, says
from viz_core.analysis.turns import Client
from viz_core.jobs import runs as jobs
from viz_core.jobs.request import owner_hash
from viz_core.records import Failure
from viz_core.training import saved_models

KEY, OTHER, VISITOR = "correct horse battery", owner_hash("f" * 32), ownership.visitor

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


@pytest.fixture(autouse=True)
def network(monkeypatch):
    """By default, nobody has declared anything."""
    monkeypatch.delenv(teacher.ALONE, raising=False)
    monkeypatch.delenv(teacher.TEACHER_KEY, raising=False)
    monkeypatch.setattr(teacher, "_of_address", Rate(5, 10.0, lambda: 0.0))
    monkeypatch.setattr(teacher, "_in_all", Rate(7, 1.0, lambda: 0.0))


def keys(app) -> set[str]:
    """Of the buttons, switches and boxes on the page."""
    return {element.key for kind in (app.button, app.toggle, app.text_input) for element in kind}


def test_alone_on_a_machine_the_switch_gives_everything(monkeypatch):
    monkeypatch.setenv(teacher.ALONE, "1")
    others_run, own_run = make_run("running", name="theirs", owner=OTHER), make_run("stopped", name="mine")
    app = open_training(runs=f"{others_run.id} {own_run.id}")
    assert f"stop_{others_run.id}" not in keys(app)
    assert {f"delete_{own_run.id}_now", f"resume_{own_run.id}", "others"} <= keys(app)
    app.toggle(key="others").set_value(True).run()
    assert says(page_text(app), "pages.training_others_warning")
    app.button(key=f"stop_{others_run.id}").click().run()
    assert (others_run.path / "stop").exists() and not app.exception


def test_without_runs_of_others_there_is_no_switch(monkeypatch):
    monkeypatch.setenv(teacher.ALONE, "1")
    monkeypatch.setenv(teacher.TEACHER_KEY, KEY)
    make_run()
    assert not {"others", "teacher_key"} & keys(open_training())


def test_on_a_network_nobody_has_the_switch():
    """Also with a server that is bound to localhost, as behind a proxy, and with a switch set in another way."""
    run = make_run("running", owner=OTHER)
    app = open_training()
    assert not {"others", "teacher_key"} & keys(app)
    app.session_state["others"] = True
    app.run()
    assert f"stop_{run.id}" not in keys(app)


def test_the_teachers_key_gives_the_switch(monkeypatch):
    monkeypatch.setenv(teacher.TEACHER_KEY, KEY)
    run = make_run("running", owner=OTHER)
    app = open_training()
    assert "others" not in keys(app)
    app.text_input(key="teacher_key").set_value(KEY + "x").run()
    assert "others" not in keys(app) and says(page_text(app), "pages.teacher_key_wrong")
    app.text_input(key="teacher_key").set_value(KEY).run()
    app.toggle(key="others").set_value(True).run()
    app.button(key=f"stop_{run.id}").click().run()
    assert (run.path / "stop").exists() and not app.exception


@pytest.mark.parametrize("key", ["", "short", "x" * (teacher.SHORTEST - 1)])
def test_a_key_that_can_be_guessed_is_none(monkeypatch, key):
    monkeypatch.setenv(teacher.TEACHER_KEY, key)
    assert teacher.teacher_key() is None and not teacher._is_key(key)


def test_the_box_for_the_key_says_what_it_is_for(monkeypatch):
    monkeypatch.setenv(teacher.TEACHER_KEY, KEY)
    make_run(owner="somebody else")
    assert says(page_text(open_training()), "pages.teacher_note")


@pytest.mark.parametrize("typed", [None, "", KEY.upper(), KEY[:-1], KEY + "\0", "\ud800", 1, True])
def test_only_the_key_is_the_key(monkeypatch, typed):
    monkeypatch.setenv(teacher.TEACHER_KEY, KEY)
    assert not teacher._is_key(typed) and teacher._is_key(KEY)
    monkeypatch.delenv(teacher.TEACHER_KEY)
    assert not teacher._is_key(typed) and not teacher._is_key(KEY)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_guesses_are_few_of_an_address_and_of_all_and_logged_without_the_key(monkeypatch, caplog):
    """Each in a session of its own, as of one who sends the widget with its first message, and only once in it."""
    clock = Clock()
    monkeypatch.setenv(teacher.TEACHER_KEY, KEY)
    monkeypatch.setattr(teacher, "_of_address", Rate(5, 10.0, clock))
    monkeypatch.setattr(teacher, "_in_all", Rate(7, 1.0, clock))

    def guess(typed: str, address: str) -> float | None:
        monkeypatch.setattr(teacher, "page_client", lambda: Client(None, address))
        monkeypatch.setattr(teacher.st, "session_state", {teacher._TYPED: typed})
        first = teacher._guess()
        assert teacher.may_manage_all() == (first == 0)
        return first

    assert [guess(f"guess {number}", "192.0.2.1") for number in range(6)] == [None] * 5 + [10.0]
    assert guess(KEY, "192.0.2.1") == 10.0, "else a guess that is right would be told from a wrong one"
    assert [guess("guess", f"192.0.2.{number}") for number in (2, 3, 4)] == [None, None, 1.0]  # seven in all
    clock.now = 1.0
    assert guess(KEY, "192.0.2.4") == 0 and guess(KEY, "192.0.2.1") == 9.0
    clock.now = 10.0
    assert guess(KEY, "192.0.2.1") == 0
    assert caplog.text.count("192.0.2.") == 7 and KEY not in caplog.text and "guess" not in caplog.text


def test_whoever_guesses_too_often_is_told_how_long_to_wait(monkeypatch):
    monkeypatch.setenv(teacher.TEACHER_KEY, KEY)
    monkeypatch.setattr(teacher, "_of_address", Rate(1, 10.0, lambda: 0.0))
    monkeypatch.setattr(teacher, "page_client", lambda: Client(None, "192.0.2.1"))  # AppTest has none
    make_run("running", owner=OTHER)
    app = open_training()
    app.text_input(key="teacher_key").set_value("wrong").run()
    app.text_input(key="teacher_key").set_value(KEY).run()
    assert "others" not in keys(app) and english("pages.teacher_key_later", seconds=10) in page_text(app)


def test_the_server_refuses_what_a_page_has_offered_before(monkeypatch):
    """Between the drawing of a button and the click, the switch may be off or the run somebody else's."""
    run = make_run("stopped", owner=OTHER)
    saved_models.save_model(make_run(owner=OTHER), "theirs")
    (model,) = saved_models.saved_models()
    for action in (
        lambda: ownership.stop(run.id),
        lambda: ownership.resume(run.id),
        lambda: ownership.delete(run.id),
        lambda: run_controls._delete_model(model),
    ):
        with pytest.raises(Failure) as refused:
            action()
        assert refused.value.message.key == "pages.not_yours"
    assert jobs.read(run.id).status.state == "stopped" and saved_models.saved_models()
    monkeypatch.setenv(teacher.ALONE, "1")
    monkeypatch.setitem(st.session_state, "others", True)
    run_controls._delete_model(model)
    ownership.delete(run.id)
    assert not run.path.exists() and not saved_models.saved_models()


def test_deleting_a_model_of_another_owner_needs_the_switch(monkeypatch):
    monkeypatch.setenv(teacher.ALONE, "1")
    saved_models.save_model(make_run(owner=OTHER), "theirs")
    app = open_training()
    assert "theirs" in page_text(app) and "delete_model_imdb_theirs_now" not in keys(app)
    app.toggle(key="others").set_value(True).run()
    assert "delete_model_imdb_theirs_now" in keys(app)


@pytest.mark.parametrize("id", ["", ".", "..", "../checkpoints", "/etc", "a/b", "\0", ".new-x"])
def test_no_id_reaches_another_folder(id):
    with pytest.raises((Failure, ValueError)):
        ownership.delete(id)


class Visit:
    """What Streamlit knows of a visitor."""

    def __init__(self, cookie: str | None = None, **user: object) -> None:
        self.cookies, self._user = ({COOKIE: sign(cookie)} if cookie else {}), user

    def to_dict(self) -> dict:
        return self._user


@pytest.fixture
def owner(monkeypatch):
    """The owner that a visitor is."""
    monkeypatch.setattr(ownership, "visitor", VISITOR)  # in place of the single visitor of the other tests

    def owner_of(visit: Visit) -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ownership.st, "context", visit)
            patch.setattr(ownership.st, "user", visit)
            patch.setattr(ownership.st, "session_state", {})
            return ownership.visitor()

    return owner_of


def test_an_owner_is_a_hash_of_the_cookie(owner):
    mine = owner(Visit("a" * 32))
    assert mine == owner_hash("a" * 32) == owner(Visit("a" * 32, is_logged_in=False)) != owner(Visit("b" * 32))
    assert owner(Visit()) != owner(Visit())  # two tabs without cookies


def test_with_a_login_the_owner_is_the_login(owner):
    anna = {"is_logged_in": True, "iss": "https://id.school.edu", "sub": "anna", "email": "a@school.edu"}
    mine = owner(Visit("a" * 32, **anna))
    assert mine == owner(Visit("b" * 32, **anna)) != owner(Visit("a" * 32))
    assert mine != owner(Visit("a" * 32, **anna | {"sub": "ben"}))
    assert mine != owner(Visit("a" * 32, **anna | {"iss": "https://elsewhere"}))
    assert owner(Visit(**anna | {"sub": None})) not in (mine, owner(Visit(**anna | {"sub": None, "email": "b@x.edu"})))


def test_no_file_of_a_run_contains_the_key(monkeypatch):
    """A run takes over the settings of the server, which are in its request."""
    monkeypatch.setenv(teacher.TEACHER_KEY, KEY)
    monkeypatch.setenv("VIZ_HOSTS", "viz.school.edu")
    run = make_run("queued", owner=OTHER)
    jobs.stop(run.id)
    jobs.resume(run.id)
    request = (run.path / "request.json").read_text()
    assert KEY not in request and "viz.school.edu" in request
