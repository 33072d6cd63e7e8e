"""Screen readers read the label of a button without its row: no two buttons of a page have the same."""

import io
import json
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from streamlit.testing.v1.element_tree import Block, Node

from tests.pages.app import open_page
from tests.pages.fake_runs import OWNER, make_run, open_training
from viz_core.batch_prediction import job
from viz_core.evidence import importance
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.requests import request_evidence
from viz_core.jobs.main import carry_out
from viz_core.tasks import get_task
from viz_core.training import saved_models

pytestmark = [pytest.mark.usefixtures("checkpoints_dir", "runs_dir"), pytest.mark.process]


def labels(node: Node) -> Iterator[str]:
    """The labels of the buttons on a page; what a closed menu contains is not on it."""
    if node.type in ("button", "download_button"):
        yield node.label
    if getattr(node.proto, "component_name", "") == "prediction_table":
        html = json.loads(node.proto.json)["html"]
        yield from re.findall('<button[^>]*aria-label="([^"]*)"', html) or re.findall("<button[^>]*>([^<]*)", html)
    if isinstance(node, Block):
        if node.type == "popover":
            yield node.proto.popover.label
        else:
            for child in node.children.values():
                yield from labels(child)


def assert_names_differ(app, least: int) -> None:
    names = [re.sub(r"[\\*]", "", label).strip() for label in labels(app.main)]
    assert len(names) >= least and all(names)
    assert [name for name, count in Counter(names).items() if count > 1] == []


def predicted_file(name: str, state: str = "finished") -> None:
    run = job.submit(io.BytesIO(b"text\ngood\nbad\n"), name, "imdb", "tiny", OWNER)
    carry_out(run.path)
    status = run.path / "status.json"
    status.write_text(json.dumps(json.loads(status.read_text()) | {"state": state}))


def test_of_the_training_page():
    states = ("running", "queued", "stopped", "failed", "finished", "finished")
    made = [make_run(state, name=f"run-{number}") for number, state in enumerate(states)]
    saved_models.save_model(made[4], "saved")
    saved_models.save_model(made[5], "_other_")
    app = open_training(runs=" ".join(run.id for run in made))
    assert_names_differ(app, 25)


def test_of_files():
    for number, state in enumerate(("finished", "stopped", "stopped")):
        predicted_file(f"file {number}.csv", state)
    assert_names_differ(open_page("evaluation", part="file"), 15)


def test_of_predicted_rows():
    assert_names_differ(open_page("evaluation", part="samples"), 90)


def test_of_the_inputs_on_which_a_head_matters(checkpoints_dir):
    (checkpoints_dir / "afqmc/tiny/metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
    compute_evidence(importance.NAME, "afqmc", "tiny", lambda *step: None)
    assert_names_differ(open_page("models", task="afqmc"), 6)


def test_of_evidence_that_is_being_computed(monkeypatch, tmp_path):
    monkeypatch.setattr(type(get_task("afqmc").corpus), "find", lambda corpus: tmp_path)
    for name in ("health", importance.NAME):
        request_evidence(name, "afqmc", "tiny", OWNER)
    assert_names_differ(open_page("models", task="afqmc"), 2)


@pytest.mark.parametrize("evidence", ["methods", "pairs"])
def test_of_the_figures_of_an_input(evidence):
    assert_names_differ(open_page("matching", evidence=evidence), 3)


def test_of_the_figures_of_two_models():
    assert_names_differ(open_page("sentiment", evidence="models", other=f"runs/{make_run().id}"), 6)
