"""The command `evaluate`: every reading of a test split for a figure is a line of the ledger."""

import hashlib
from datetime import UTC, datetime

import pytest

from tests.words import says
from viz_core.checkpoints import WEIGHTS
from viz_core.datasets.held_out import repeats_text
from viz_core.evidence.ledger import ledger_file, read_ledger
from viz_core.folders import current_commit
from viz_core.tasks import Task, get_task

TEST = ("evaluate", "--task", "imdb", "--model", "tiny", "--data", "sample", "--split", "test")


def test_a_reading_of_the_test_is_in_the_ledger_even_if_it_is_not_recorded_with_the_model(json_output, checkpoints_dir):
    output = json_output(*TEST)
    (reading,) = read_ledger()
    assert (reading.task, reading.model, reading.data, reading.rows) == ("imdb", "tiny", "sample", "all")
    assert reading.source == "evaluate" and reading.commit == current_commit() != "unknown"
    assert abs((datetime.now(UTC) - datetime.fromisoformat(reading.date)).total_seconds()) < 600
    weights = (checkpoints_dir / "imdb" / "tiny" / WEIGHTS).read_bytes()
    assert reading.weights_sha256 == hashlib.sha256(weights).hexdigest()
    assert reading.figures.to_dict() == {name: output[name] for name in reading.figures.to_dict()}


def test_the_same_reading_again_adds_no_line(json_output, checkpoints_dir):
    first = json_output(*TEST)
    content = ledger_file().read_bytes()
    assert json_output(*TEST) == first and ledger_file().read_bytes() == content


def test_reading_validation_adds_no_line(json_output, checkpoints_dir):
    json_output(*TEST[:-1], "validation")
    assert not ledger_file().exists()


def test_rows_with_a_text_of_train_are_left_out_on_request(json_output, checkpoints_dir, monkeypatch):
    task, read = get_task("imdb"), Task.read
    seen = task.read("train", "sample")["text"][0]

    def read_with_seen_texts(self, split, data="full"):
        frame = read(self, split, data)
        return frame.assign(text=[seen.upper(), f"{seen}!", *frame["text"][2:]]) if split == "test" else frame

    monkeypatch.setattr(Task, "read", read_with_seen_texts)
    assert repeats_text(task.read("test", "sample"), task.read("train", "sample")).sum() == 2
    assert [json_output(*TEST, *more)["n"] for more in ((), ("--unseen",))] == [48, 46]
    assert [(reading.rows, reading.figures.n) for reading in read_ledger()] == [("all", 48), ("unseen", 46)]


def test_without_its_line_no_figure_is_shown(error_sentences, checkpoints_dir):
    ledger_file().write_text("{}\n", encoding="utf-8")
    assert says(error_sentences(*TEST)[0], "evidence.ledger_damaged", line=1)


def test_figures_of_some_rows_are_not_stored_with_the_model(call, checkpoints_dir):
    with pytest.raises(SystemExit):
        call(*TEST, "--unseen", "--record")
