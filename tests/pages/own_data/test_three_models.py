"""The encoder and the models beside it: the names and the order of their runs, their verdict, how they are kept."""

import json

import pytest

from pages.own_data import starting
from tests.pages.app import open_page, page_text
from tests.pages.fake_runs import FIGURES, OWNER
from tests.tasks.own import ROWS, add_task
from tests.words import chinese, english, says
from viz_core import checkpoints
from viz_core.checkpoints import Settings
from viz_core.jobs import runs
from viz_core.models.bag import Bag
from viz_core.models.baseline_configs import BagConfig
from viz_core.models.encoder import Encoder
from viz_core.names import check_name
from viz_core.tasks import get_task
from viz_core.tasks.own import Definition
from viz_core.tasks.own.definition import MOST_TITLE
from viz_core.training.own_verdict import TEST
from viz_core.training.settings import model_config

pytestmark = pytest.mark.usefixtures("runs_dir")
KINDS = {"small": "encoder", "tfidf": "tfidf", "bag": "bag"}  # by preset


@pytest.fixture
def task(runs_dir, monkeypatch) -> Definition:
    """A task whose three trainings are queued."""
    monkeypatch.setattr(starting, "translator", lambda: english)
    definition = add_task(owner=OWNER)
    starting.door.submit_together(starting._trainings(definition, "small"), "cpu", OWNER)
    return definition


def make_model(task: str, folder, kind: str = "encoder") -> None:
    """An untrained model of the task: an encoder, or one without attention."""
    record = get_task(task)
    text = record.text_encoder(record.build_tokenizer([text for text, _ in ROWS], record.max_tokens))
    if kind == "encoder":
        sizes = dict(layers=2, heads=2, width=8, feedforward=16, dropout=0.0)
        config = model_config(record, "encoder", sizes, text.vocabulary)
        model = Encoder(config)
    else:
        config, kind = BagConfig(text.vocabulary, record.max_tokens, width=4), "bag"
        model = Bag(config)
    checkpoints.save(folder, Settings(task, config, kind=kind), model.eval(), text, FIGURES | {"task": task})
    (folder / checkpoints.CARD).write_text("# Fruit\n")


def finish(run: runs.Run) -> None:
    """As if the training had ended and the test had been read."""
    kind, best = KINDS[run.request.settings["preset"]], {"step": 10, "accuracy": 0.5, "majority_accuracy": 0.5}
    status = json.loads((run.path / "status.json").read_text()) | {"state": "finished", "best": best, "last": best}
    (run.path / "status.json").write_text(json.dumps(status))
    make_model(run.request.settings["task"], run.path / "checkpoints/10", kind)
    right = [1] * (18 if kind == "encoder" else 10) + [0] * (2 if kind == "encoder" else 10)
    answered = {"kind": kind, "right": right, "validation": 0.5, "majority": 0.5}
    (run.path / TEST).write_text(json.dumps(answered))


def button(app, name: str, task: Definition) -> list:
    return [one for one in app.button if one.key == f"own_{name}_{task.name}"]


def offers_download(app, task: Definition) -> bool:
    return f"own_download_{task.name}" in app.session_state


@pytest.mark.parametrize("say", [english, chinese])
def test_runs_are_called_what_the_verdict_calls_their_models(say, monkeypatch):
    monkeypatch.setattr(starting, "translator", lambda: say)
    task = add_task("F" * MOST_TITLE, owner=OWNER)
    for training in starting._trainings(task, "finetune"):
        check_name(training.name)
        assert training.name.endswith(f"F {say(f'own_data.model_{starting.kind_of(training.preset)}')}")


def test_the_page_of_trainings_opens_with_the_encoder(task):
    app = open_page("training")
    (selected,) = app.session_state["runs"]
    assert runs.read(selected).request.settings["preset"] == "small"
    shown = [text for bar in open_page("your-data").get("progress") for text in [bar.proto.text]]
    models = [english(f"own_data.model_{kind}") for kind in starting.SHOWN]
    assert [next(model for model in models if model in text) for text in shown] == models


def test_the_models_are_kept_together_once_all_are_trained(task):
    last, *baselines = runs.list_runs()
    for run in baselines:
        finish(run)
    app = open_page("your-data")
    assert not button(app, "save", task), "one is still to come"
    assert button(app, "evaluate", task) and not button(app, "see", task), "the baselines have no attention to see"
    finish(last)
    app = open_page("your-data")
    button(app, "save", task)[0].click().run()
    assert not app.exception and not app.error
    assert [info.name for info in checkpoints.task_checkpoints(task.name)] == ["small", "bag", "tfidf"]
    assert not button(app, "save", task)
    assert offers_download(app, task)
    for page, link in ((task.name, {}), ("evaluation", {}), ("models", {})):
        picker = open_page(page, task=task.name, **link).selectbox(key="model")
        assert [option.split(":")[0] for option in picker.options][:3] == ["small", "bag", "tfidf"], page
    for run in runs.list_runs():
        if run.request.kind == "train":
            runs.delete(run.id)
    assert offers_download(open_page("your-data"), task), "the models stay without the runs"


def test_a_model_that_was_kept_before_is_not_kept_twice(task):
    for run in runs.list_runs():
        finish(run)
    (encoder,) = (run for run in runs.list_runs() if run.request.settings["preset"] == "small")
    starting.door.save_model(encoder, "best", owner=OWNER)
    app = open_page("your-data")
    assert button(app, "save", task) and offers_download(app, task)
    button(app, "save", task)[0].click().run()
    names = [info.name for info in checkpoints.task_checkpoints(task.name)]
    assert sorted(names) == ["bag", "best", "tfidf"] and names[0] == "best"


def test_the_verdict_is_the_same_wherever_it_stands(task, checkpoints_dir):
    make_model(task.name, checkpoints_dir / task.name / "small")
    for page in ("evaluation", "models"):
        app = open_page(page, task=task.name)
        assert says(page_text(app), "own.no_verdict") and not says(page_text(app), "own_data.verdict_note"), page
    for run in runs.list_runs():
        finish(run)
    for page in ("your-data", "evaluation", "models"):
        app = open_page(page, **({} if page == "your-data" else {"task": task.name}))
        assert not app.exception and says(page_text(app), "own.verdict_better", points=40), page
        assert any("90.0%" in str(table.value) for table in app.table), page
    assert says(page_text(open_page(task.name, task=task.name)), "own.verdict_better", points=40)
