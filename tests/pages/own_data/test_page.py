"""A person's own table on the pages: it becomes a task, is trained, compared, shared and deleted; others see no row."""

import json
import time

import pytest

from pages.shared import own_tasks
from tests.pages.app import open_page, page_text, switch
from tests.pages.fake_runs import FIGURES, OWNER
from tests.words import says
from viz_core import checkpoints
from viz_core.checkpoints import Settings
from viz_core.datasets.own import Columns, understand
from viz_core.jobs import runs
from viz_core.models.encoder import Encoder
from viz_core.records import Failure
from viz_core.tables.reading import read_table
from viz_core.tasks import get_task, own
from viz_core.tasks.own.definition import define, plain_title
from viz_core.training.own_verdict import TEST
from viz_core.training.settings import TrainingSettings, model_config

pytestmark = pytest.mark.usefixtures("runs_dir")

PLACES = ("harbour", "garden", "station", "market", "museum", "valley", "bridge", "island", "library", "forest")
WORDS = {"wet": ("puddle", "umbrella", "drizzle"), "dry": ("dust", "sunshine", "drought")}
ROWS = [(f"the {place} saw {thing}", label) for place in PLACES for label in WORDS for thing in WORDS[label]]
TABLE = "text,label,town\n" + "".join(f"{text},{label},{number % 7}\n" for number, (text, label) in enumerate(ROWS))
TESTS = "nothing but drizzle | wet\nnothing but dust | dry"
OTHER = "the other visitor"


def upload(content: str | bytes = TABLE, name: str = "weather_2026.csv"):
    app = open_page("your-data")
    content = content if isinstance(content, bytes) else content.encode()
    app.file_uploader(key="own_file_0").set_value((name, content, "text/csv")).run()
    assert not app.exception
    return app


def train(app, keeps: bool = True, tests: str = TESTS):
    app.text_area(key="own_tests_1").set_value(tests)
    app.toggle(key="own_keep_1").set_value(keeps)
    app.button(key="own_train").click().run()
    assert not app.exception
    return app


def make_task(owner: str = OWNER, tests: tuple = (("nothing but drizzle", "wet"),), **values) -> str:
    """A task of this owner, as the page makes it."""
    table = read_table(TABLE.encode(), "weather.csv")
    understood = understand(table.frame, Columns("text", "label"), table.lines)
    definition = define(understood, "Weather", owner=owner, tests=tests, created=time.time(), **values)
    own.create(definition, understood.rows)
    return definition.name


def make_model(task: str, folder) -> None:
    """An untrained encoder of the task."""
    record = get_task(task)
    tokenizer = record.build_tokenizer([text for text, _ in ROWS], record.max_tokens)
    text = record.text_encoder(tokenizer)
    sizes = dict(layers=2, heads=2, width=8, feedforward=16, dropout=0.0)
    config = model_config(record, "encoder", sizes, text.vocabulary)
    metrics = FIGURES | {"task": task}
    checkpoints.save(folder, Settings(task, config), Encoder(config).eval(), text, metrics)


def finish(run: runs.Run, accuracy: float) -> None:
    """As if the training had ended, with a checkpoint."""
    best = {"step": 10, "accuracy": accuracy, "majority_accuracy": 0.5}
    status = json.loads((run.path / "status.json").read_text()) | {"state": "finished", "best": best, "last": best}
    (run.path / "status.json").write_text(json.dumps(status))
    make_model(run.request.settings["task"], run.path / "checkpoints/10")
    (run.path / "checkpoints/10" / checkpoints.CARD).write_text("# Weather\n")


@pytest.fixture
def as_other(monkeypatch):
    """Makes whoever opens pages from now on another visitor."""
    return lambda: monkeypatch.setattr("pages.shared.ownership.visitor", lambda: OTHER)


def everything(app) -> str:
    """All that a page sends to the browser."""
    return "\n".join(str(getattr(node, "proto", "")) for node in app._tree)


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


def own_tasks_of_nobody(name: str) -> bool:
    """Whether its rows are closed to this visitor."""
    with pytest.raises(Failure, match="own.rows_private"):
        own_tasks.check_rows(name)
    return True


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
    assert not app.exception and f"own_download_{task.name}" in str(app)
    app = open_page("training")
    assert not app.exception and says(page_text(app), "pages.training_saved_model", name="small", task=task.title)


def test_the_link_opens_the_page_for_another_visitor_without_a_row(as_other, monkeypatch, checkpoints_dir):
    task = make_task()
    make_model(task, checkpoints_dir / task / "small")
    frame = get_task(task).read("validation", "sample")
    as_other()
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
    task = make_task()
    make_model(task, checkpoints_dir / task / "small")
    texts = list(get_task(task).read("validation", "sample")["text"])
    for page, link in (("evaluation", {"part": "samples"}), ("inside", {"inside": "plane"})):
        app = open_page(page, task=task, **link)
        assert not app.exception and not says(page_text(app), "own.rows_private")
    as_other()
    for page, link in (("evaluation", {"part": "samples"}), ("inside", {"inside": "plane"})):
        app = open_page(page, task=task, **link)
        assert says(page_text(app), "own.rows_private") and not any(text in everything(app) for text in texts)


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


@pytest.mark.parametrize("page", ["evaluation", "models", "inside", "training", "head"])
def test_a_link_to_a_task_that_is_gone_says_so(page):
    name = "own-films-" + "0" * 24
    app = open_page(page, task=name)
    assert not app.exception and (page == "training" or says(page_text(app), "own.gone"))
    assert says(open_page(name, task=name).info[0].value, "own.gone")


def test_an_expired_task_is_gone():
    task = make_task(expires=1.0)
    app = open_page(task, task=task)
    assert not app.exception and says(app.info[0].value, "own.gone")
    title = own.require_definition(task).title
    assert title not in page_text(open_page("your-data")), "its files go within the hour"


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


def test_the_teacher_manages_the_tasks_of_others_with_the_switch(as_other, monkeypatch):
    task = make_task()
    as_other()
    monkeypatch.setenv("VIZ_ALONE", "1")
    app = open_page("your-data")
    assert not own_tasks.owns(task) and not [one for one in app.button if one.key == f"own_delete_{task}"]
    app.toggle(key="others").set_value(True).run()
    assert any(button.key == f"own_delete_{task}" for button in app.button)


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


def test_others_train_on_no_task_of_this_visitor(as_other):
    task = make_task()
    settings = TrainingSettings(task, "bag", "bag", "sample")
    from pages.training import runs as page_runs

    as_other()
    with pytest.raises(Failure, match="own.rows_private"):
        page_runs.start(settings)
    switch(open_page("training"), "training")
    assert not runs.list_runs()


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
