"""The ledger of the test: appended to, never rewritten; nothing in it is skipped."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.jobs.programs import failure_of
from viz_core.evidence import ledger
from viz_core.evidence.ledger import ledger_file, read_ledger, readings_of, record_reading
from viz_core.jobs.files import acquire_lock
from viz_core.records import Figures, Reading

FIGURES = Figures(
    n=8,
    accuracy=0.75,
    auc=0.875,
    mcc=0.5,
    f1=(0.75, 0.75),
    confusion=((3, 1), (1, 3)),
    majority_accuracy=0.5,
    threshold=0.4,
    ece=0.125,
    ece_uncalibrated=0.25,
)
READING = Reading("2026-11-20T19:35:15+00:00", "0" * 40, "imdb", "small", "full", "all", "f" * 64, FIGURES)
pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def test_without_a_file_nothing_was_read():
    assert not ledger_file().exists() and read_ledger() == ()


def test_readings_are_lines_in_their_order():
    second = replace(READING, model="wide", figures=replace(FIGURES, threshold=None))
    assert record_reading(READING) and record_reading(second)
    assert read_ledger() == (READING, second)
    assert readings_of("imdb", "wide") == (second,) and readings_of("afqmc", "wide") == ()
    lines = ledger_file().read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["figures"]["accuracy"] for line in lines] == [0.75, 0.75]
    assert set(json.loads(lines[0])) == {
        *("date", "commit", "task", "model", "data", "rows", "weights_sha256", "figures", "source")
    }


@pytest.mark.parametrize(
    "later",
    [
        READING,
        replace(READING, date="2026-11-22T00:00:00+00:00", commit="1" * 40, source="history"),
        replace(READING, figures=replace(FIGURES, auc=0.875 + 5e-5, ece=0.125 - 5e-5)),
    ],
    ids=["the same", "at another time", "rounded otherwise"],
)
def test_figures_that_are_recorded_are_not_recorded_again(later):
    assert record_reading(READING)
    before = ledger_file().read_bytes()
    assert not record_reading(later)
    assert ledger_file().read_bytes() == before


@pytest.mark.parametrize(
    "later",
    [
        replace(READING, weights_sha256="e" * 64),
        replace(READING, rows="unseen"),
        replace(READING, data="sample"),
        replace(READING, model="wide"),
        replace(READING, task="afqmc"),
        replace(READING, figures=replace(FIGURES, confusion=((3, 1), (0, 4)))),
        replace(READING, figures=replace(FIGURES, auc=0.8752)),
        replace(READING, figures=replace(FIGURES, mcc=0.51)),
        replace(READING, figures=replace(FIGURES, ece=0.126)),
        replace(READING, figures=replace(FIGURES, ece_uncalibrated=None)),
        replace(READING, figures=replace(FIGURES, threshold=0.41)),
        replace(READING, figures=replace(FIGURES, n=9)),
    ],
    ids=lambda later: str(sorted(set(map(str, vars(later).items())) - set(map(str, vars(READING).items())))[0])[:20],
)
def test_anything_else_is_another_reading_and_the_lines_before_stay(later):
    record_reading(READING)
    before = ledger_file().read_bytes()
    assert record_reading(later) and read_ledger() == (READING, later)
    assert ledger_file().read_bytes().startswith(before)


def test_two_that_read_at_once_leave_one_line_each_and_none_twice():
    readings = [replace(READING, model=f"model {number % 5}") for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        appended = list(pool.map(record_reading, readings))
    assert sum(appended) == 5 and sorted(reading.model for reading in read_ledger()) == [f"model {n}" for n in range(5)]


LINE = json.dumps(READING.to_dict())


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"{",
        b"[]",
        b"7",
        b"[" * 200_000,
        b"\xff",
        json.dumps({**READING.to_dict(), "more": 1}).encode(),
        json.dumps({name: value for name, value in READING.to_dict().items() if name != "commit"}).encode(),
        LINE.replace("2026-11-20", "yesterday").encode(),
        LINE.replace('"all"', '"some"').encode(),
        LINE.replace('"evaluate"', '"memory"').encode(),
        LINE.replace('"accuracy"', '"acuracy"').encode(),
        LINE.replace("0.75,", '"good",', 1).encode(),
        json.dumps({**READING.to_dict(), "figures": None}).encode(),
    ],
)
def test_a_damaged_line_is_named_and_nothing_is_appended(damaged):
    content = LINE.encode() + b"\n" + damaged + b"\n" + LINE.encode() + b"\n"
    ledger_file().write_bytes(content)
    for call in (read_ledger, lambda: readings_of("imdb", "small"), lambda: record_reading(READING)):
        message = failure_of(call)
        assert (message.key, message.values["line"]) == ("evidence.ledger_damaged", 2)
    assert ledger_file().read_bytes() == content


@pytest.mark.parametrize("end", [LINE, LINE[:40]], ids=["without its end", "cut short"])
def test_a_last_line_that_does_not_end_is_damaged(end):
    ledger_file().write_text(f"{LINE}\n{end}", encoding="utf-8")
    message = failure_of(lambda: record_reading(replace(READING, model="wide")))
    assert (message.key, message.values["line"]) == ("evidence.ledger_damaged", 2)


def test_a_ledger_that_cannot_be_read_is_a_failure():
    ledger_file().mkdir()
    for call in (lambda: record_reading(READING), read_ledger):
        message = failure_of(call)
        assert (message.key, message.values["file"]) == ("evidence.ledger_unreadable", str(ledger_file()))
        assert message.values["reason"]


def test_while_another_process_holds_the_ledger_nothing_is_appended(monkeypatch):
    file_lock = ledger.file_lock
    monkeypatch.setattr(ledger, "file_lock", lambda file: file_lock(file, seconds=0.05))
    lock = acquire_lock(ledger_file().with_name(ledger.LOCK))
    try:
        assert failure_of(lambda: record_reading(READING)).key == "jobs.busy"
    finally:
        lock.release()
    assert read_ledger() == ()
