"""One input through two models: from the training page to the explorer, with a run's model as the reference."""

import shutil

import pytest

from tests.pages.app import explorer, link_parameters, open_page, page_text
from tests.pages.fake_runs import make_run, open_training
from tests.tiny import save_bag
from tests.words import english, says
from viz_core import checkpoints

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


def buttons(app) -> dict:
    """The buttons that open a comparison, by the model, without the name of the task."""
    return {
        button.label.split(" *")[0]: button for button in app.button if button.key and button.key.startswith("compare_")
    }


def test_two_runs_are_compared_in_two_clicks():
    first, second = make_run(name="two"), make_run(name="six", pinned=["not a good film"])
    two, six = (english("pages.model_of_run", name=name) for name in ("two", "six"))
    app = open_training(runs=f"{first.id} {second.id}")
    choice = app.segmented_control(key="compared_with_imdb")
    assert choice.options == [two, six, "tiny"] and choice.value == two
    assert list(buttons(app)) == [six, "tiny"], "not with itself"
    choice.set_value(six).run()
    buttons(app)[two].click().run()
    opened = explorer(app)
    assert (opened["model"], opened["modelName"]) == (f"runs/{first.id}", two)
    assert opened["instrument"]["texts"] == ["not a good film"]
    assert opened["selection"]["ref_model"] == f"runs/{second.id}" and opened["selection"]["ref_a"] == "", (
        "it follows the text"
    )
    assert link_parameters(app)["model"] == f"runs/{first.id}", "the link opens the same"


def test_predictions_and_tokens_are_compared_where_a_model_has_no_attention(checkpoints_dir):
    save_bag(checkpoints_dir, "bag", 20.0)
    run = make_run(name="two")
    app = open_training(runs=run.id)
    assert list(buttons(app)) == ["tiny", "bag"]
    buttons(app)["bag"].click().run()
    assert app.selectbox(key="other").value == f"runs/{run.id}" and not app.exception
    assert link_parameters(app)["evidence"] == "models" and link_parameters(app)["model"] == "bag"
    assert "ref_model" not in link_parameters(app)


def test_a_link_opens_the_model_of_a_run_and_says_why_it_has_no_evidence():
    run = make_run(name="two")
    two = english("pages.model_of_run", name="two")
    app = open_page("sentiment", model=f"runs/{run.id}", ref_model="tiny", ref_a="a bad film")
    assert len(app.selectbox(key="model").options) == 2 and two in app.selectbox(key="model").options[1]
    assert explorer(app)["modelName"] == two and explorer(app)["selection"]["ref_model"] == "tiny"
    assert says(page_text(app), "evidence.of_run") and not [b for b in app.button if b.key == "pass_ask_health"]


@pytest.mark.parametrize("name", ["runs/nobody", "runs/", "runs/../checkpoints/imdb/tiny"])
def test_a_run_that_does_not_exist_is_no_model(name):
    assert explorer(open_page("sentiment", model=name))["model"] == "tiny"


def test_a_run_is_no_model_of_another_task():
    assert explorer(open_page("matching", model=f"runs/{make_run().id}"))["model"] == "tiny"


def test_pairs_are_compared_on_their_own_page():
    run = make_run(task="afqmc")
    shutil.rmtree(run.path / "checkpoints/20")
    shutil.copytree(checkpoints.folder() / "afqmc/tiny", run.path / "checkpoints/20")
    app = open_training()
    app.selectbox(key="compared_input_afqmc").set_value(1).run()
    buttons(app)["tiny"].click().run()
    assert explorer(app)["instrument"]["texts"] == ["花呗怎么还款", "花呗如何分期"]
    assert explorer(app)["selection"]["ref_model"] == f"runs/{run.id}"


def test_a_pinned_input_of_several_runs_is_offered_once():
    first = make_run(name="one", pinned=["a good film", "The acting is superb and I loved every minute of it."])
    second = make_run(name="other", pinned=[["a good film"], ["two", "texts"]])
    app = open_training(runs=f"{first.id} {second.id}")
    inputs = app.selectbox(key="compared_input_imdb").options
    assert inputs[0] == "a good film" and len(inputs) == len(set(inputs))


def test_a_run_with_a_damaged_checkpoint_is_not_offered():
    first, second = make_run(name="one"), make_run(name="other")
    (first.path / "checkpoints/20/config.json").write_text("{")
    assert list(buttons(open_training(runs=f"{first.id} {second.id}"))) == ["tiny"]
