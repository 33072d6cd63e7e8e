"""A CSV file answered as a job: what is written, what is kept however it ends, and how it goes on."""

from __future__ import annotations

import csv
import io
import json

import pytest

from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.batch_prediction import job
from viz_core.batch_prediction import rows as analysis
from viz_core.batch_prediction.results import (
    PREDICTIONS,
    PROBLEMS,
    WRITTEN,
    content,
    first_rows,
    labelled,
    problems,
    written,
)
from viz_core.jobs import runs
from viz_core.jobs.state import STOP
from viz_core.records import Failure
from viz_core.tasks import TASKS

GOOD = [
    ("花呗怎么还款", "花呗如何还钱", "1"),
    ("借呗怎么还款", "花呗怎么还款", "0"),
    ("花呗", "借呗", ""),
    ('还"钱', "a,b\n呗", "same"),
]


def asked(rows, header=("sentence1", "sentence2", "label"), tail: str = "") -> runs.Run:
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return job.ask(io.BytesIO((text.getvalue() + tail).encode()), "mine.csv", "afqmc", "tiny", "anna")


def downloaded(run: runs.Run) -> list[dict]:
    return list(csv.DictReader(io.StringIO(content(run.path).decode("utf-8-sig"), newline="")))


def test_every_row_gets_its_answer_and_the_file_its_figures(root):
    run = asked(GOOD)
    job.main(run.path)
    run = runs.read(run.id)
    assert (run.status.state, run.status.step, run.status.total, run.name) == ("finished", 4, 4, "mine.csv")
    found = downloaded(run)
    assert list(found[0]) == [
        "line",
        "sentence1",
        "sentence2",
        "label",
        "answer",
        "confidence",
        "probability_same",
        "right",
    ]
    assert [one["line"] for one in found] == ["2", "3", "4", "5"]
    assert [one["label"] for one in found] == ["same", "different", "", "same"]
    model = checkpoints.load("afqmc", "tiny")
    for texts, one in zip(GOOD, found, strict=True):
        alone = explain(model, *texts[:2])
        assert (one["sentence1"], one["sentence2"]) == texts[:2]
        assert float(one["probability_same"]) == pytest.approx(alone.probabilities[1], abs=1e-4)
        assert one["answer"] == alone.labels[alone.predicted]
        assert float(one["confidence"]) == pytest.approx(alone.probabilities[alone.predicted], abs=1e-4)
        assert one["right"] == ("" if not one["label"] else str(int(one["answer"] == one["label"])))
    figures = job.kept_figures(run.path)
    right = sum(one["right"] == "1" for one in found)
    assert (figures["n"], figures["accuracy"]) == (3, right / 3) and figures["majority_accuracy"] == 2 / 3
    rows = first_rows(run.path, TASKS["afqmc"], 3)
    assert rows.labels.tolist() == [1, 0, -1] and rows.texts == tuple(one[:2] for one in GOOD[:3])


def test_rows_that_cannot_be_answered_are_named_and_the_others_are_answered(root):
    run = asked([GOOD[0], ("花呗", " ", "1"), ("花", "呗", "maybe"), GOOD[1]], tail="花,呗,0,more\r\n")
    job.main(run.path)
    run = runs.read(run.id)
    assert run.status.state == "finished" and run.status.last == {"problems": 3}
    assert [one["line"] for one in downloaded(run)] == ["2", "5"]
    found = problems(run.path, 10)
    assert [(one.key, one.values["row"], one.values.get("column")) for one in found] == [
        ("analysis.csv_empty", 3, "sentence2"),
        ("analysis.csv_label", 4, "label"),
        ("analysis.csv_cells", 6, None),
    ]
    assert all(one.values["file"] == "mine.csv" for one in found)  # and no path of this machine
    assert problems(run.path, 1) == found[:1]


def test_where_a_file_cannot_be_read_on_what_was_answered_stays(root):
    run = asked(GOOD[:2], tail='"open,呗,1\r\n')
    with pytest.raises(Failure):
        job.main(run.path)
    now = runs.read(run.id).status
    assert (now.state, now.message.key, now.message.values["row"]) == ("failed", "analysis.csv_quotes", 4)
    assert len(downloaded(run)) == 2 and job.kept_figures(run.path)["n"] == 2


def test_without_labels_there_are_answers_and_no_figures(root):
    run = asked([one[:2] for one in GOOD], header=("sentence1", "sentence2"))
    job.main(run.path)
    assert len(downloaded(run)) == 4 and job.kept_figures(run.path) is None


def test_stopped_it_keeps_what_it_has_and_goes_on_there(root, monkeypatch):
    monkeypatch.setattr(analysis, "ROWS", 2)
    real, calls = job.answer_rows, []

    def answer(checkpoint, part):
        calls.append([row.line for row in part])
        if len(calls) == 2:
            (run.path / STOP).touch()
        return real(checkpoint, part)

    monkeypatch.setattr(job, "answer_rows", answer)
    rows = [(f"花呗{number}", "借呗", str(number % 2)) for number in range(7)]
    run = asked(rows)
    job.main(run.path)
    assert runs.read(run.id).status.state == "stopped"
    assert [row["line"] for row in downloaded(run)] == ["2", "3", "4", "5"]
    assert job.kept_figures(run.path)["n"] == 4
    runs.resume(run.id)
    job.main(run.path)
    assert runs.read(run.id).status.state == "finished" and calls == [[2, 3], [4, 5], [6, 7], [8]]
    assert [one["sentence1"] for one in downloaded(run)] == [one[0] for one in rows]
    assert job.kept_figures(run.path)["n"] == 7


def test_half_a_line_of_a_killed_process_is_neither_shown_nor_kept(root):
    run = asked(GOOD)
    job.main(run.path)
    whole = content(run.path)
    for name in (PREDICTIONS, PROBLEMS):
        with open(run.path / name, "ab") as file:
            file.write('9,花呗,"half'.encode())
    assert content(run.path) == whole and len(labelled(run.path, TASKS["afqmc"])[0]) == 3
    job.main(run.path)  # there is nothing left to do
    assert (run.path / PREDICTIONS).read_bytes() == whole


def test_a_damaged_count_starts_again(root):
    run = asked(GOOD)
    job.main(run.path)
    (run.path / WRITTEN).write_text("{")
    assert written(run.path).rows == 0 and content(run.path) == b"" and problems(run.path, 9) == []
    job.main(run.path)
    assert len(downloaded(run)) == 4


@pytest.mark.parametrize(
    "content, key",
    [
        (b"text\ngood\n", "analysis.csv_columns"),
        (b"PK\x03\x04", "analysis.csv_workbook"),
        (b"\xff\xff", "analysis.csv_encoding"),
    ],
)
def test_what_is_no_such_file_is_no_run(root, content, key):
    with pytest.raises(Failure, match=key):
        job.ask(io.BytesIO(content), "mine.csv", "afqmc", "tiny", "anna")
    assert runs.listing() == [] and [one.name for one in root.iterdir() if one.is_dir()] == []


def test_everybody_sees_only_files_of_their_own(root):
    mine = asked(GOOD)
    job.ask(io.BytesIO(b"text\ngood\n"), "other.csv", "imdb", "tiny", "anna")
    assert [run.id for run in job.asked_by("anna", "afqmc")] == [mine.id] and job.asked_by("berta", "afqmc") == []


def test_more_problems_than_anybody_reads_are_counted(root, monkeypatch):
    from viz_core.batch_prediction import results

    monkeypatch.setattr(results, "LISTED", 3)
    run = asked([("", "呗", "1")] * 5)
    job.main(run.path)
    assert written(run.path).problems == 5 and len(problems(run.path, 99)) == 3
    assert len((run.path / PROBLEMS).read_text().splitlines()) == 3 and json.loads((run.path / WRITTEN).read_text())
    assert len(first_rows(run.path, TASKS["afqmc"], 5)) == 0
