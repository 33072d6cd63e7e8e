"""Who opens a task of somebody's own, and who sees its rows: its owner, others if it is shared, a teacher."""

import pytest

from pages.shared import own_tasks
from tests.pages.app import open_page, page_text, switch
from tests.pages.fake_runs import OWNER
from tests.pages.own_data.tables import ROWS, everything, make_model, make_task, train, upload
from tests.words import says
from viz_core.jobs import runs
from viz_core.records import Failure
from viz_core.tasks import get_task, own
from viz_core.training.settings import TrainingSettings

pytestmark = pytest.mark.usefixtures("runs_dir")


def own_tasks_of_nobody(name: str) -> bool:
    """Whether its rows are closed to this visitor."""
    with pytest.raises(Failure, match="own.rows_private"):
        own_tasks.check_rows(name)
    return True


def test_train_makes_a_task_and_queues_three_trainings_for_this_visitor_alone(as_other):
    train(upload())
    (task,) = own.definitions()
    assert (task.owner, task.keeps_rows, len(task.tests)) == (OWNER, True, 2) and own.has_rows(task.name)
    queued = runs.list_runs()
    assert {run.request.settings["preset"] for run in queued} == {"small", "tfidf", "bag"}
    assert {run.request.owner for run in queued} == {OWNER} and len({run.request.experiment for run in queued}) == 1
    assert {run.request.settings["task"] for run in queued} == {task.name}
    assert "nothing but drizzle" in str([run.request.settings["pinned"] for run in queued])
    app = open_page("your-data")
    assert says(page_text(app), "own_data.rows_and_classes", rows=len(ROWS), classes=2)
    assert task.title in everything(open_page("training")) and task.name in open_page().session_state["pages"]
    as_other()
    for page in ("your-data", "training", "models", "evaluation"):
        app = open_page(page)
        assert task.title not in everything(app) and task.name not in everything(app), page
    assert task.name not in app.session_state["pages"] and own_tasks_of_nobody(task.name)


def test_the_link_opens_the_page_for_another_visitor_without_a_row(as_other, monkeypatch, checkpoints_dir):
    task = make_task(shared=True)
    make_model(task, checkpoints_dir / task / "small")
    frame = get_task(task).read("validation", "sample")
    assert (frame["text"][0],) in own_tasks.first_examples(task, 3), "the owner sees rows after the tests"
    as_other()
    assert own_tasks.first_examples(task, 3) == [("nothing but drizzle",)]
    for link in ({"task": task}, {}):
        if not link:
            monkeypatch.setattr("pages.shared.own_tasks.addressed", lambda: [task])
        app = open_page(task, **link)
        assert not app.exception and not app.error and app.session_state["page_open"] == task
        assert not any(text in everything(app) for text in frame["text"])
    for page, link in (
        ("evaluation", {"part": "samples"}),
        ("evaluation", {"part": "errors"}),
        ("inside", {"inside": "plane"}),
        ("models", {}),
        ("head", {}),
    ):
        app = open_page(page, task=task, **link)
        assert not app.exception and not any(text in everything(app) for text in frame["text"]), page
        assert says(page_text(app), "own.rows_private"), page
    app = open_page("training", task=task)
    assert task not in everything(app)


def test_what_the_owner_has_opened_is_not_shown_to_others_from_a_cache(as_other, checkpoints_dir):
    task = make_task(shared=True)
    make_model(task, checkpoints_dir / task / "small")
    texts = list(get_task(task).read("validation", "sample")["text"])
    for page, link in (("evaluation", {"part": "samples"}), ("inside", {"inside": "plane"})):
        app = open_page(page, task=task, **link)
        assert not app.exception and not says(page_text(app), "own.rows_private")
    as_other()
    for page, link in (("evaluation", {"part": "samples"}), ("inside", {"inside": "plane"})):
        app = open_page(page, task=task, **link)
        assert says(page_text(app), "own.rows_private") and not any(text in everything(app) for text in texts)


@pytest.mark.parametrize("page", ["evaluation", "models", "inside", "training", "head"])
def test_a_link_to_a_task_that_is_gone_says_so(page):
    name = "own-films-" + "0" * 24
    app = open_page(page, task=name)
    assert not app.exception and (page == "training" or says(page_text(app), "own.gone"))
    assert says(open_page(name, task=name).info[0].value, "own.gone")


PAGES = ("own", "evaluation", "inside", "models", "head")


def opens(task: str, page: str) -> bool:
    """Whether a page shows the task to this visitor; else it says what it says of a task that does not exist."""
    app = open_page(task if page == "own" else page, task=task)
    assert not app.exception
    gone = says(page_text(app) + "".join(info.value for info in app.info), "own.gone")
    assert gone != (get_task(task).words["en"]["title"] in everything(app)), page
    return not gone


@pytest.mark.parametrize("page", PAGES)
def test_a_task_opens_for_its_owner_alone_until_it_is_shared(page, as_other, checkpoints_dir):
    task = make_task()
    make_model(task, checkpoints_dir / task / "small")
    assert opens(task, page)
    as_other()
    assert not opens(task, page) and task not in open_page().session_state["pages"]
    own.change(task, shared=True)
    assert opens(task, page)
    own.change(task, shared=False)
    assert not opens(task, page)


def test_its_owner_turns_the_link_on_and_off(checkpoints_dir):
    task = make_task()
    make_model(task, checkpoints_dir / task / "small")
    app, links = open_page("your-data"), set()
    for shared in (True, False):
        app.toggle(key=f"own_shared_{task}").set_value(shared).run()
        assert not app.exception and not app.error and own.require_definition(task).shared is shared
        assert says(page_text(app), "own_data.link_note" if shared else "own_data.link_closed")
        links.add(app.code[0].value)
    assert len(links) == 1 and links.pop().endswith(task)
    own.change(task, shared=True)
    assert app.run().toggle(key=f"own_shared_{task}").value is True, "as another page has left it"


def test_nobody_else_turns_it_on(as_other, checkpoints_dir):
    task = make_task()
    make_model(task, checkpoints_dir / task / "small")
    app = open_page("your-data")
    as_other()
    app.toggle(key=f"own_shared_{task}").set_value(True).run()
    assert not app.exception and not own.require_definition(task).shared


@pytest.mark.parametrize("page", PAGES)
def test_an_open_page_is_closed_with_the_task(page, as_other, checkpoints_dir):
    task = make_task(shared=True)
    make_model(task, checkpoints_dir / task / "small")
    as_other()
    app = open_page(task if page == "own" else page, task=task)
    own.change(task, shared=False)
    app.query_params["task"] = task  # the address of the browser, which each run has
    app.run()
    assert not app.exception and says(page_text(app) + "".join(info.value for info in app.info), "own.gone")
    assert get_task(task).words["en"]["title"] not in everything(app)


def test_a_teacher_opens_it_with_the_switch(as_other, monkeypatch, checkpoints_dir):
    task = make_task()
    make_model(task, checkpoints_dir / task / "small")
    as_other()
    monkeypatch.setenv("VIZ_TEACHER_KEY", key := "correct horse battery")
    app = open_page("your-data")
    app.text_input(key="teacher_key").set_value(key).run()
    assert task not in app.session_state["pages"]
    app.toggle(key="others").set_value(True).run()
    assert not app.exception and task in app.session_state["pages"]


def test_whoever_is_alone_on_the_machine_opens_all(as_other, monkeypatch, checkpoints_dir):
    task = make_task()
    make_model(task, checkpoints_dir / task / "small")
    as_other()
    monkeypatch.setenv("VIZ_ALONE", "1")
    assert opens(task, "own")


def test_a_task_that_only_a_model_has_brought_opens_by_its_address(as_other, checkpoints_dir):
    task = make_task()
    model = checkpoints_dir / task / "small"
    make_model(task, model)
    own.write_definition(model, own.require_definition(task))
    as_other()
    assert not opens(task, "own")
    (own.folder() / task / "definition.json").write_text("{")
    assert not own.find_definition(task), "what its owner has closed, no model opens"
    own.delete(task)
    assert opens(task, "own")


def test_the_link_to_share_says_that_it_opens_for_the_owner_alone(checkpoints_dir):
    task = make_task()
    make_model(task, checkpoints_dir / task / "small")
    for shared in (False, True):
        own.change(task, shared=shared)
        app = open_page("evaluation", task=task)
        app.session_state["share"] = True
        app.run()
        assert not app.exception and says(page_text(app), "pages.share_closed") is not shared


def test_an_expired_task_is_gone():
    task = make_task(expires=1.0)
    app = open_page(task, task=task)
    assert not app.exception and says(app.info[0].value, "own.gone")
    title = own.require_definition(task).title
    assert title not in page_text(open_page("your-data")), "its files go within the hour"


def test_the_teacher_manages_the_tasks_of_others_with_the_switch(as_other, monkeypatch):
    task = make_task()
    as_other()
    monkeypatch.setenv("VIZ_ALONE", "1")
    app = open_page("your-data")
    assert not own_tasks.owns(task) and not [one for one in app.button if one.key == f"own_delete_{task}"]
    app.toggle(key="others").set_value(True).run()
    assert any(button.key == f"own_delete_{task}" for button in app.button)


def test_others_train_on_no_task_of_this_visitor(as_other):
    task = make_task()
    settings = TrainingSettings(task, "bag", "bag", "sample")
    from pages.training import runs as page_runs

    as_other()
    with pytest.raises(Failure, match="own.rows_private"):
        page_runs.start(settings)
    switch(open_page("training"), "training")
    assert not runs.list_runs()
