"""The answers to the rows of a CSV file, in a run folder: whole at any moment, however the run ends.

`input.csv`: as it was sent. `predictions.csv`: one line for each row that was answered. `problems.jsonl`: the rows that could
not be. `written.json`: how far both files count, replaced once they are on disk; what stands behind was left by a process
that was killed.
"""

from __future__ import annotations

import csv
import io
import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from viz_core.checkpoints import Settings
from viz_core.jobs.files import read_object, replace_file, to_json
from viz_core.jobs.state import message_of
from viz_core.records import PredictedRows, Failure, Message
from viz_core.tables.csv_rows import COLUMNS, LABEL, Row
from viz_core.tasks import Task

INPUT, PREDICTIONS, PROBLEMS, WRITTEN, FIGURES = (
    "input.csv",
    "predictions.csv",
    "problems.jsonl",
    "written.json",
    "figures.json",
)
LISTED = 1_000  # problems that are kept in words; all are counted
_MARK = "\ufeff"  # Excel takes a file without one for another encoding than UTF-8


@dataclass(frozen=True)
class Written:
    """How far the results reach. rows: of the input that are done. problems: of these, the rows that could not be answered.
    bytes, problem_bytes: of the two files."""

    rows: int = 0
    problems: int = 0
    bytes: int = 0
    problem_bytes: int = 0


def written(folder: Path) -> Written:
    """Nothing where nothing was written yet, or what says so is damaged."""
    try:
        found = read_object(folder / WRITTEN)
        return Written(*(int(found[name]) for name in vars(Written())))
    except (Failure, KeyError, TypeError, ValueError):
        return Written()


class Results:
    """Writes results, behind those that are there. Raises OSError."""

    def __init__(self, folder: Path, task: Task, settings: Settings) -> None:
        self.folder, self.task, self.settings = folder, task, settings
        self.written = written(folder)
        for name, size in ((PREDICTIONS, self.written.bytes), (PROBLEMS, self.written.problem_bytes)):
            with open(folder / name, "ab") as file:
                file.truncate(size)
        if not self.written.bytes:
            self._append([_MARK + _line(columns(task))], [], 0)

    def add(self, rows: Sequence[Row], probabilities: np.ndarray) -> None:
        """probabilities: calibrated `(N, C)`, of no matter what where a row has a problem."""
        lines, problems = [], []
        for row, values in zip(rows, probabilities, strict=True):
            if row.problem:
                problems.append(to_json({"line": row.line, "problem": row.problem}) + "\n")
            else:
                lines.append(_line(self._cells(row, values)))
        self._append(lines, problems, len(rows))

    def _cells(self, row: Row, probabilities: np.ndarray) -> list:
        answer, labels = int(self.settings.decide(probabilities)), self.task.labels
        return [
            row.line,
            *row.texts,
            "" if row.label is None else labels[row.label],
            labels[answer],
            f"{probabilities[answer]:.6f}",
            *(f"{probabilities[number]:.6f}" for number in _written_classes(self.task)),
            "" if row.label is None else int(answer == row.label),
        ]

    def _append(self, lines: list[str], problems: list[str], rows: int) -> None:
        before = self.written
        listed = problems[: max(0, LISTED - before.problems)]
        self.written = Written(
            before.rows + rows,
            before.problems + len(problems),
            before.bytes + _append(self.folder / PREDICTIONS, lines),
            before.problem_bytes + _append(self.folder / PROBLEMS, listed),
        )
        replace_file(self.folder / WRITTEN, to_json(vars(self.written)))


def _written_classes(task: Task) -> list[int]:
    """Numbers of the classes whose probability is written: of two classes the last, which tells of both; else all."""
    return [1] if len(task.labels) == 2 else list(range(len(task.labels)))


def columns(task: Task) -> list[str]:
    return [
        "line",
        *COLUMNS[task.pair],
        LABEL,
        "answer",
        "confidence",
        *(f"probability_{task.labels[number]}" for number in _written_classes(task)),
        "right",
    ]


def content(folder: Path) -> bytes:
    """`predictions.csv` as far as it counts."""
    try:
        with open(folder / PREDICTIONS, "rb") as file:
            return file.read(written(folder).bytes)
    except OSError:
        return b""


def first_rows(folder: Path, task: Task, most: int) -> PredictedRows:
    """The first of the answered rows."""
    lines = list(islice(_lines(folder), most))
    width = 1 + task.pair
    numbers = {label: number for number, label in enumerate(task.labels)}
    return PredictedRows(
        np.array([int(cells[0]) for cells in lines], int),
        tuple(tuple(cells[1 : 1 + width]) for cells in lines),
        task.labels,
        np.array([numbers.get(cells[1 + width], -1) for cells in lines], int),
        np.array([numbers[cells[2 + width]] for cells in lines], int),
        np.array([float(cells[3 + width]) for cells in lines], float),
    )


def labelled(folder: Path, task: Task) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities `(N, C)` and labels `(N,)` of the answered rows that have a label."""
    numbers, place = {label: number for number, label in enumerate(task.labels)}, 2 + task.pair
    count = len(_written_classes(task))
    probabilities, labels = array("d"), array("q")  # of a million rows and two classes, 16 bytes each
    for cells in _lines(folder):
        if cells[place] in numbers:
            probabilities.extend(map(float, cells[place + 3 : place + 3 + count]))
            labels.append(numbers[cells[place]])
    values = np.array(probabilities, float).reshape(-1, count)
    return np.concatenate([1 - values, values], axis=1) if count == 1 else values, np.array(labels, int)


def problems(folder: Path, most: int) -> list[Message]:
    """The first of the rows that could not be answered, each with its reason."""
    try:
        with open(folder / PROBLEMS, "rb") as file:
            lines = file.read(written(folder).problem_bytes).splitlines()[:most]
    except OSError:
        return []
    return [message_of(json.loads(line)["problem"]) for line in lines]


def _lines(folder: Path) -> Iterator[list[str]]:
    """The cells of each line but the first, as far as the file counts."""
    rows = written(folder)
    try:
        with open(folder / PREDICTIONS, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            next(reader, None)
            yield from islice(reader, rows.rows - rows.problems)
    except OSError:
        return


def _line(cells: Sequence) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()


def _append(file: Path, lines: Sequence[str]) -> int:
    """How many bytes were added, once they are there for every reader."""
    content = "".join(lines).encode("utf-8")
    if content:
        with open(file, "ab") as opened:
            opened.write(content)
    return len(content)
