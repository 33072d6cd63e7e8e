"""Prediction for a CSV file as a job: its results, also after a stop or a failure, and resuming."""

import csv
import io
import json
import os

import numpy as np
import pytest

from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.batch_prediction import job
from viz_core.batch_prediction import rows as row_module
from viz_core.batch_prediction.results import (
    PREDICTIONS,
    PROBLEMS,
    WRITTEN,
    Results,
    content,
    first_rows,
    problems,
    read_counts,
    read_labelled_rows,
)
from viz_core.jobs import runs
from viz_core.jobs.main import carry_out
from viz_core.jobs.stop_requests import STOP
from viz_core.records import Failure, Message
from viz_core.tables.csv_rows import Row
from viz_core.tasks import get_task
from viz_core.text.length import MAX_CHARACTERS

GOOD = [
    ("花呗怎么还款", "花呗如何还钱", "1"),
    ("借呗怎么还款", "花呗怎么还款", "0"),
    ("花呗", "借呗", ""),
    ('还"钱', "a,b\n呗", "same"),
]


def submit(rows, header=("sentence1", "sentence2", "label"), tail: str = "") -> runs.Run:
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return job.submit(io.BytesIO((text.getvalue() + tail).encode()), "mine.csv", "afqmc", "tiny", "anna")


def predictions_of(run: runs.Run) -> list[dict]:
    return list(csv.DictReader(io.StringIO(content(run.path).decode("utf-8-sig"), newline="")))


def test_every_row_has_a_prediction_and_the_file_has_metrics(root):
    run = submit(GOOD)
    carry_out(run.path)
    run = runs.read(run.id)
    assert (run.status.state, run.status.step, run.status.total, run.name) == ("finished", 4, 4, "mine.csv")
    predictions = predictions_of(run)
    assert list(predictions[0]) == [
        "line",
        "sentence1",
        "sentence2",
        "label",
        "answer",
        "confidence",
        "probability_same",
        "right",
    ]
    assert [row["line"] for row in predictions] == ["2", "3", "4", "5"]
    assert [row["label"] for row in predictions] == ["same", "different", "", "same"]
    model = checkpoints.load("afqmc", "tiny")
    for texts, row in zip(GOOD, predictions, strict=True):
        explanation = explain(model, *texts[:2])
        assert (row["sentence1"], row["sentence2"]) == texts[:2]
        assert float(row["probability_same"]) == pytest.approx(explanation.probabilities[1], abs=1e-4)
        assert row["answer"] == explanation.labels[explanation.predicted]
        assert float(row["confidence"]) == pytest.approx(explanation.probabilities[explanation.predicted], abs=1e-4)
        assert row["right"] == ("" if not row["label"] else str(int(row["answer"] == row["label"])))
    figures = job.read_figures(run.path)
    correct = sum(row["right"] == "1" for row in predictions)
    assert (figures["n"], figures["accuracy"]) == (3, correct / 3) and figures["majority_accuracy"] == 2 / 3
    rows = first_rows(run.path, get_task("afqmc"), 3)
    assert rows.labels.tolist() == [1, 0, -1] and rows.texts == tuple(row[:2] for row in GOOD[:3])


def test_formulas_of_an_upload_are_no_formulas_in_the_results(root):
    texts = ["=cmd|' /C calc'!A0 花呗", "@SUM(A1) 借呗", "'=1 还款", "-花呗"]
    run = submit([(text, "花呗", "") for text in texts])
    carry_out(run.path)
    assert [row["sentence1"] for row in predictions_of(run)] == [f"'{text}" for text in texts]
    assert [row[0] for row in first_rows(run.path, get_task("afqmc"), 9).texts] == texts  # as they are shown and opened
    assert b"=cmd" not in content(run.path).replace(b"'=cmd", b"")


def test_long_texts_are_cut_and_counted(root):
    run = submit([("花呗" * MAX_CHARACTERS, "借呗", "1"), ("花呗", "借呗", "0")])
    carry_out(run.path)
    assert read_counts(run.path).cut == 1
    assert [len(row["sentence1"]) for row in predictions_of(run)] == [MAX_CHARACTERS, 2]


def test_results_of_an_earlier_version_have_no_count_of_cut_texts(root):
    run = submit(GOOD)
    carry_out(run.path)
    counts = json.loads((run.path / WRITTEN).read_text("utf-8"))
    assert counts.pop("cut") == 0
    (run.path / WRITTEN).write_text(json.dumps(counts), "utf-8")
    assert len(first_rows(run.path, get_task("afqmc"), 9)) == len(GOOD)


def test_invalid_rows_are_reported_and_the_others_predicted(root):
    run = submit([GOOD[0], ("花呗", " ", "1"), ("花", "呗", "maybe"), GOOD[1]], tail="花,呗,0,more\r\n")
    carry_out(run.path)
    run = runs.read(run.id)
    assert run.status.state == "finished" and run.status.last == {"problems": 3}
    assert [row["line"] for row in predictions_of(run)] == ["2", "5"]
    messages = problems(run.path, 10)
    assert [(message.key, message.values["row"], message.values.get("column")) for message in messages] == [
        ("analysis.csv_empty", 3, "sentence2"),
        ("analysis.csv_label", 4, "label"),
        ("analysis.csv_cells", 6, None),
    ]
    assert all(message.values["file"] == "mine.csv" for message in messages)  # no path of the server
    assert problems(run.path, 1) == messages[:1]


def test_predictions_before_an_unreadable_part_are_preserved(root):
    run = submit(GOOD[:2], tail='"open,呗,1\r\n')
    with pytest.raises(Failure):
        carry_out(run.path)
    status = runs.read(run.id).status
    assert (status.state, status.message.key, status.message.values["row"]) == ("failed", "analysis.csv_quotes", 4)
    assert len(predictions_of(run)) == 2 and job.read_figures(run.path)["n"] == 2


def test_without_labels_there_are_predictions_and_no_metrics(root):
    run = submit([row[:2] for row in GOOD], header=("sentence1", "sentence2"))
    carry_out(run.path)
    assert len(predictions_of(run)) == 4 and job.read_figures(run.path) is None


def test_a_stopped_run_preserves_its_results_and_resumes(root, monkeypatch):
    monkeypatch.setattr(row_module, "ROWS", 2)
    classify_rows, calls = job.classify_rows, []

    def classify_and_stop(checkpoint, chunk):
        calls.append([row.line for row in chunk])
        if len(calls) == 2:
            (run.path / STOP).touch()
        return classify_rows(checkpoint, chunk)

    monkeypatch.setattr(job, "classify_rows", classify_and_stop)
    rows = [(f"花呗{number}", "借呗", str(number % 2)) for number in range(7)]
    run = submit(rows)
    carry_out(run.path)
    assert runs.read(run.id).status.state == "stopped"
    assert [row["line"] for row in predictions_of(run)] == ["2", "3", "4", "5"]
    assert job.read_figures(run.path)["n"] == 4
    runs.resume(run.id)
    carry_out(run.path)
    assert runs.read(run.id).status.state == "finished" and calls == [[2, 3], [4, 5], [6, 7], [8]]
    assert [row["sentence1"] for row in predictions_of(run)] == [row[0] for row in rows]
    assert job.read_figures(run.path)["n"] == 7


def test_a_partial_line_of_a_killed_process_is_discarded(root):
    run = submit(GOOD)
    carry_out(run.path)
    complete = content(run.path)
    for name in (PREDICTIONS, PROBLEMS):
        with open(run.path / name, "ab") as file:
            file.write('9,花呗,"half'.encode())
    assert content(run.path) == complete and len(read_labelled_rows(run.path, get_task("afqmc"))[0]) == 3
    carry_out(run.path)  # no rows are left
    assert (run.path / PREDICTIONS).read_bytes() == complete


def test_a_damaged_count_restarts_the_prediction(root):
    run = submit(GOOD)
    carry_out(run.path)
    (run.path / WRITTEN).write_text("{")
    assert read_counts(run.path).rows == 0 and content(run.path) == b"" and problems(run.path, 9) == []
    carry_out(run.path)
    assert len(predictions_of(run)) == 4


@pytest.mark.parametrize(
    "content, key",
    [
        (b"text\ngood\n", "analysis.csv_columns"),
        (b"PK\x03\x04", "analysis.csv_workbook"),
        (b"\xff\xff", "analysis.csv_encoding"),
    ],
)
def test_an_invalid_file_creates_no_run(root, content, key):
    with pytest.raises(Failure, match=key):
        job.submit(io.BytesIO(content), "mine.csv", "afqmc", "tiny", "anna")
    assert runs.list_runs() == [] and [path.name for path in root.iterdir() if path.is_dir()] == []


def test_visitors_see_only_their_own_files(root):
    mine = submit(GOOD)
    job.submit(io.BytesIO(b"text\ngood\n"), "other.csv", "imdb", "tiny", "anna")
    assert [run.id for run in job.list_runs("anna", "afqmc")] == [mine.id] and job.list_runs("berta", "afqmc") == []


def test_problems_beyond_a_limit_are_only_counted(root, monkeypatch):
    from viz_core.batch_prediction import results

    monkeypatch.setattr(results, "MAX_LISTED", 3)
    run = submit([("", "呗", "1")] * 5)
    carry_out(run.path)
    assert read_counts(run.path).problems == 5 and len(problems(run.path, 99)) == 3
    assert len((run.path / PROBLEMS).read_text().splitlines()) == 3 and json.loads((run.path / WRITTEN).read_text())
    assert len(first_rows(run.path, get_task("afqmc"), 5)) == 0


def test_results_are_flushed_to_the_disk_before_their_length_is_written(tmp_path, checkpoints_dir, monkeypatch):
    """Else a power cut may leave a length that is longer than the file."""
    order, fsync, replace = [], os.fsync, os.replace

    def record_fsync(descriptor: int) -> None:
        order.append(("flush", os.path.realpath(f"/proc/self/fd/{descriptor}").rpartition("/")[2]))
        fsync(descriptor)

    def record_replace(source, target) -> None:
        order.append(("replace", target.name))
        replace(source, target)

    results = Results(tmp_path, get_task("afqmc"), checkpoints.load("afqmc", "tiny").settings)
    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(os, "replace", record_replace)
    row, problem = Row(2, ("花呗", "借呗")), Row(3, problem=Message("text.blank", {}))
    results.add([row, problem], np.array([[0.5, 0.5], [np.nan, np.nan]]))
    at = order.index(("replace", WRITTEN))
    assert {("flush", PREDICTIONS), ("flush", PROBLEMS)} <= set(order[:at])
    assert ("flush", tmp_path.name) in order[at:]  # and the name of the length itself
