"""Models that were kept from runs can be given up; all others stay."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from tests.pages.fake_runs import FIGURES, OWNER, write_checkpoint
from viz_core import checkpoints
from viz_core.jobs.runs import Request, Run
from viz_core.jobs.state import Status
from viz_core.records import Failure
from viz_core.training.saved_models import delete_model, free_name, save_model, saved_models
from viz_core.training.state import VALUES, TrainerState


@pytest.fixture
def run(tmp_path, checkpoints_dir) -> Run:
    path = tmp_path / "runs" / "some-run"
    path.mkdir(parents=True)
    write_checkpoint(path, 20)
    request = Request(name="mine", owner=OWNER, settings={"task": "imdb"})
    return Run(path, request, Status("finished", best={"step": 20}))


def test_a_kept_model_knows_its_run_and_can_be_given_up(run):
    out = save_model(run)
    (kept,) = saved_models()
    assert (kept.info.name, kept.run, kept.owner) == ("mine", run.id, OWNER) and kept.when > 1e9
    delete_model("imdb", "mine")
    assert not out.exists() and saved_models() == [] and [path.name for path in out.parent.iterdir()] == ["tiny"]


def test_the_card_has_the_time_of_the_whole_training_not_until_its_best(run):
    later = run.path / "checkpoints" / "30"
    later.mkdir()
    (later / VALUES).write_text(json.dumps(asdict(TrainerState(step=30, seconds=3600.4))))
    out = save_model(run)
    assert "in 60 minutes" in (out / "README.md").read_text(encoding="utf-8")
    assert checkpoints.read_info(out).metrics.entries["wall_seconds"] == 3600


def test_a_damaged_last_state_does_not_keep_the_best_from_being_kept(run):
    later = run.path / "checkpoints" / "30"
    later.mkdir()
    (later / VALUES).write_text("{")
    assert checkpoints.read_info(save_model(run)).metrics.entries["wall_seconds"] == FIGURES["wall_seconds"]


def test_a_free_name_counts_on_from_the_models_of_the_task(checkpoints_dir):
    assert (free_name("imdb", "mine"), free_name("imdb", "tiny")) == ("mine", "tiny-2")
    (checkpoints_dir / "imdb" / "tiny-2").mkdir()
    (checkpoints_dir / "imdb" / "tiny-4").mkdir()
    assert (free_name("imdb", "tiny"), free_name("afqmc", "tiny")) == ("tiny-3", "tiny-2")


@pytest.mark.parametrize("name", ["tiny", "nobody", "..", ""])
def test_what_was_not_kept_here_stays(run, checkpoints_dir, name):
    with pytest.raises(Failure) as failure:
        delete_model("imdb", name)
    assert (
        failure.value.message.key == "training.not_saved_here" and (checkpoints_dir / "imdb/tiny/config.json").exists()
    )


def test_a_kept_model_that_was_measured_on_the_test_stays(run):
    out = save_model(run)
    checkpoints.save_metrics(out, {**FIGURES, "split": "test"})
    assert saved_models() == []
    with pytest.raises(Failure):
        delete_model("imdb", "mine")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"run": "x"}'])
def test_a_damaged_word_of_its_origin_keeps_the_model(run, content):
    out = save_model(run)
    (out / "kept.json").write_text(content)
    assert saved_models() == [] and checkpoints.load("imdb", "mine")


def test_git_leaves_out_what_says_that_a_model_was_kept(run):
    """A model that ships can therefore never be given up."""
    ignored = (checkpoints.FOLDER.parent / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "/checkpoints/*/*/kept.json" in ignored
    assert json.loads((save_model(run) / "kept.json").read_text())["run"] == run.id
