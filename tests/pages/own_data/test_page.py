"""A person's own table on the pages: it becomes a task, is trained, compared and deleted."""

import json

import pytest

from tests.pages.app import open_page, page_text
from tests.pages.own_data.tables import ROWS, TABLE, finish, make_model, make_task, train, upload
from tests.words import says
from viz_core import checkpoints
from viz_core.jobs import runs
from viz_core.tasks import own
from viz_core.tasks.own.definition import plain_title
from viz_core.training.own_verdict import TEST

pytestmark = pytest.mark.usefixtures("runs_dir")


def test_a_table_is_understood_and_its_columns_can_be_changed():
    app = upload()
    assert app.selectbox(key="own_column_text_1").value == "text"
    assert app.selectbox(key="own_column_label_1").value == "label"
    assert app.selectbox(key="own_column_text_b_1").value == app.selectbox(key="own_column_group_1").value == ""
    assert says(page_text(app), "own_data.rows", read=len(ROWS), usable=len(ROWS))
    assert app.text_input(key="own_title_1").value == "weather 2026"
    app.selectbox(key="own_column_group_1").set_value("town").run()
    assert not app.exception and not app.error
    app.selectbox(key="own_column_label_1").set_value("town").run()
    assert says(app.error[0].value, "own.column_twice") and not [one for one in app.button if one.key == "own_train"]


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ("\n".join(TABLE.splitlines()[:21]), "own.few_rows"),
        ("text\ngood\n", "own.one_column"),
        (b"\x1f\x8bsomething", "tables.archive"),
        (b"", "tables.empty"),
    ],
)
def test_a_bad_table_gets_a_sentence_and_no_task(content, key):
    app = upload(content)
    assert says(app.error[0].value, key) and own.definitions() == []


@pytest.mark.parametrize(
    ("tests", "key"),
    [
        ("drizzle", "bad_test"),
        ("a | b | wet", "bad_test"),
        ("\ndrizzle | damp", "bad_test_label"),
        (" | wet", "bad_test"),
    ],
)
def test_a_bad_test_is_named_by_its_line(tests, key):
    app = train(upload(), tests=tests)
    assert says(app.error[0].value, f"own_data.{key}", line=tests.count("\n") + 1)
    assert own.definitions() == [] and not runs.list_runs()


def test_a_title_with_markup_is_refused():
    app = upload()
    app.text_input(key="own_title_1").set_value("*a* <b>")
    train(app)
    assert says(app.error[0].value, "own_data.bad_title") and own.definitions() == []
    assert plain_title("*a* <b>") == "a b" and plain_title("_*") == ""


def test_a_task_that_cannot_be_trained_is_deleted_again(monkeypatch):
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1000000000")
    app = train(upload())
    assert says(app.error[0].value, "jobs.no_room") and own.definitions() == [] and not runs.list_runs()


def test_one_visitor_has_so_many_tasks(monkeypatch):
    monkeypatch.setenv("VIZ_TASKS_PER_VISITOR", "1")
    make_task()
    app = train(upload())
    assert says(app.error[0].value, "own.too_many") and len(own.definitions()) == 1


@pytest.mark.parametrize(("days", "expires"), [("0", False), ("30", True)])
def test_a_task_lasts_as_long_as_the_server_says(days, expires, monkeypatch):
    monkeypatch.setenv("VIZ_TASK_DAYS", days)
    train(upload())
    assert bool(own.definitions()[0].expires) == expires


@pytest.mark.parametrize("variable", ["VIZ_TASK_DAYS", "VIZ_TASKS_PER_VISITOR"])
@pytest.mark.parametrize("value", ["many", "-1", "1e9", "²"])
def test_a_setting_that_is_no_number_is_named(variable, value, monkeypatch):
    monkeypatch.setenv(variable, value)
    app = train(upload())
    assert says(app.error[0].value, "jobs.bad_limit", variable=variable, value=value) and own.definitions() == []


@pytest.mark.parametrize(("right", "key"), [(38, "better"), (20, "alike"), (2, "worse")])
def test_the_verdict_follows_from_the_test(right, key):
    train(upload())
    for run in runs.list_runs():
        finish(run, 0.5)
        kind = {"small": "encoder"}.get(run.request.settings["preset"], run.request.settings["preset"])
        count = right if kind == "encoder" else 20
        answered = {"kind": kind, "right": [1] * count + [0] * (40 - count), "validation": 0.5, "majority": 0.2}
        (run.path / TEST).write_text(json.dumps(answered), encoding="utf-8")
    app = open_page("your-data")
    assert not app.exception and says(page_text(app), f"own.verdict_{key}")
    assert f"{right / 40:.1%}" in str(app.table[0].value)


def test_its_model_is_seen_evaluated_and_kept():
    train(upload())
    for run in runs.list_runs():
        finish(run, 0.9)
    (task,) = own.definitions()
    for button, page in (("see", task.name), ("evaluate", "evaluation")):
        app = open_page("your-data")
        app.button(key=f"own_{button}_{task.name}").click().run()
        assert not app.exception and not app.error and app.session_state["page_open"] == page
        assert app.session_state["model"].startswith("runs/")
    app = open_page("your-data")
    app.button(key=f"own_again_{task.name}").click().run()
    assert not app.exception and (app.session_state["page_open"], app.session_state["task"]) == ("training", task.name)
    app = open_page("your-data")
    app.button(key=f"own_save_{task.name}").click().run()
    assert not app.exception and "small" in {info.name for info in checkpoints.task_checkpoints(task.name)}
    app = open_page("your-data")
    assert not app.exception and f"own_download_{task.name}" in app.session_state
    app = open_page("training")
    assert not app.exception and says(page_text(app), "pages.training_saved_model", name="small", task=task.title)


def test_once_the_rows_are_gone_its_owner_reads_why(checkpoints_dir):
    task = make_task()
    make_model(task, checkpoints_dir / task / "small")
    own.forget_rows(task)
    for page, link in (
        ("evaluation", {"part": "samples"}),
        ("inside", {"inside": "plane"}),
        ("models", {}),
        ("head", {}),
    ):
        app = open_page(page, task=task, **link)
        assert not app.exception and says(page_text(app), "own.no_rows"), page
    for page in (task, "training", "your-data"):
        assert not open_page(page, task=task).exception


def test_delete_removes_rows_runs_and_models_and_only_for_its_owner(as_other, checkpoints_dir):
    train(upload())
    (task,) = own.definitions()
    make_model(task.name, checkpoints_dir / task.name / "small")
    app = open_page("your-data")
    app.button(key=f"own_delete_{task.name}").click().run()
    assert not app.exception
    assert own.definitions() == [] and not runs.list_runs() and not (checkpoints_dir / task.name).exists()
    task = make_task()
    app = open_page("your-data")
    as_other()
    app.button(key=f"own_delete_{task}").click().run()
    assert not app.exception and own.find_definition(task)


def test_whoever_has_the_computer_alone_types_a_path(monkeypatch, tmp_path):
    assert not [box for box in open_page("your-data").text_input if box.key == "own_path_0"]
    monkeypatch.setenv("VIZ_ALONE", "1")
    (tmp_path / "weather.csv").write_text(TABLE)
    app = open_page("your-data")
    app.text_input(key="own_path_0").set_value(str(tmp_path / "weather.csv")).run()
    assert not app.exception and says(page_text(app), "own_data.rows", read=len(ROWS))
    for path in (str(tmp_path / "nothing.csv"), "~nobody/x", "a\0b"):
        app.text_input(key="own_path_0").set_value(path).run()
        assert not app.exception and says(app.error[0].value, "tables.unreadable"), path


def test_a_table_that_is_larger_than_the_server_allows_is_refused(monkeypatch):
    monkeypatch.setenv("VIZ_TASK_ROWS", "20")
    app = upload()
    assert says(app.error[0].value, "tables.rows", rows=60, most=20)
    monkeypatch.setenv("VIZ_TASK_ROWS", "few")
    app = open_page("your-data")
    assert not app.exception and says(app.error[0].value, "jobs.bad_limit", variable="VIZ_TASK_ROWS", value="few")


def test_its_own_behavioural_tests_are_run(checkpoints_dir):
    task = make_task()
    make_model(task, checkpoints_dir / task / "small")
    app = open_page("evaluation", task=task, model="small", part="probes")
    assert not app.exception and not app.error
    assert "nothing but drizzle" in str([table.value.to_string() for table in app.dataframe])
