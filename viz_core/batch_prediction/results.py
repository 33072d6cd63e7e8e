"""Predictions for the rows of a CSV file, in a run folder: consistent at any moment, however the run ends.

`input.csv`: the uploaded file. `predictions.csv`: a line per predicted row, its texts as cells that
no spreadsheet evaluates (tables/csv_rows.py). `problems.jsonl`: the rows that could not be
predicted. `written.json`: the valid length of both files, replaced after they are flushed to the
disk; anything beyond it was left by a killed process or a power cut.
"""

import csv
import io
import json
import os
from array import array
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from viz_core.checkpoints import Settings
from viz_core.files import replace_file
from viz_core.jobs.files import read_object, to_json
from viz_core.language import has_sentence
from viz_core.records import Failure, Message, PredictedRows, failing, message_from_json
from viz_core.tables.csv_rows import COLUMNS, LABEL, Row, escape_formula, unescape_formula
from viz_core.tasks import Task
from viz_core.text.length import cut_text, is_cut

INPUT, PREDICTIONS, PROBLEMS = "input.csv", "predictions.csv", "problems.jsonl"
WRITTEN, FIGURES = "written.json", "figures.json"
MAX_LISTED = 1_000  # problems written to the file; all are counted
_BOM = "\ufeff"  # without it, Excel does not recognise UTF-8


@dataclass(frozen=True)
class WrittenCounts:
    """Size of the results.

    Attributes:
        rows: Finished rows of the input.
        problems: Rows among them that could not be predicted.
        bytes, problem_bytes: Valid length of the two files.
        cut: Predicted rows of which only the beginning was read.
    """

    rows: int = 0
    problems: int = 0
    bytes: int = 0
    problem_bytes: int = 0
    cut: int = 0


def read_counts(folder: Path) -> WrittenCounts:
    """Counts of a run folder; all 0 if nothing is written yet, or the file is damaged."""
    try:
        values = read_object(folder / WRITTEN)
        return WrittenCounts(*(int(values.get(name, 0)) for name in vars(WrittenCounts())))
    except (Failure, KeyError, TypeError, ValueError):
        return WrittenCounts()


class Results:
    """Appends results to those of the run folder.

    Raises:
        OSError: If they cannot be written.
    """

    def __init__(self, folder: Path, task: Task, settings: Settings) -> None:
        self.folder, self.task, self.settings = folder, task, settings
        self.counts = read_counts(folder)
        for name, size in ((PREDICTIONS, self.counts.bytes), (PROBLEMS, self.counts.problem_bytes)):
            with open(folder / name, "ab") as file:
                file.truncate(size)
                os.fsync(file.fileno())
        if not self.counts.bytes:
            self._append([_BOM + _line(columns(task))], [], 0)

    def add(self, rows: Sequence[Row], probabilities: np.ndarray) -> None:
        """Append predictions.

        Args:
            probabilities: Calibrated, `(N, C)`; ignored for rows with a problem.
        """
        lines, problems = [], []
        for row, values in zip(rows, probabilities, strict=True):
            if row.problem:
                problems.append(to_json({"line": row.line, "problem": row.problem}) + "\n")
            else:
                lines.append(_line(self._cells(row, values)))
        cut = sum(any(map(is_cut, row.texts)) for row in rows if not row.problem)
        self._append(lines, problems, len(rows), cut)

    def _cells(self, row: Row, probabilities: np.ndarray) -> list:
        predicted, labels = int(self.settings.decide(probabilities)), self.task.labels
        return [
            row.line,
            *(escape_formula(cut_text(text)) for text in row.texts),
            "" if row.label is None else labels[row.label],
            labels[predicted],
            f"{probabilities[predicted]:.6f}",
            *(f"{probabilities[number]:.6f}" for number in _probability_classes(self.task)),
            "" if row.label is None else int(predicted == row.label),
        ]

    def _append(self, lines: list[str], problems: list[str], rows: int, cut: int = 0) -> None:
        before = self.counts
        listed = problems[: max(0, MAX_LISTED - before.problems)]
        self.counts = WrittenCounts(
            before.rows + rows,
            before.problems + len(problems),
            before.bytes + _append(self.folder / PREDICTIONS, lines),
            before.problem_bytes + _append(self.folder / PROBLEMS, listed),
            before.cut + cut,
        )
        replace_file(self.folder / WRITTEN, to_json(vars(self.counts)))


def _probability_classes(task: Task) -> list[int]:
    """Indices of the classes whose probability has a column: the second of two, else all."""
    return [1] if len(task.labels) == 2 else list(range(len(task.labels)))


def columns(task: Task) -> list[str]:
    """Header of `predictions.csv`."""
    return [
        "line",
        *COLUMNS[task.pair],
        LABEL,
        "answer",
        "confidence",
        *(f"probability_{task.labels[number]}" for number in _probability_classes(task)),
        "right",
    ]


def content(folder: Path) -> bytes:
    """Valid part of `predictions.csv`."""
    try:
        with open(folder / PREDICTIONS, "rb") as file:
            return file.read(read_counts(folder).bytes)
    except OSError:
        return b""


def first_rows(folder: Path, task: Task, limit: int) -> PredictedRows:
    """The first predicted rows, at most `limit`.

    Raises:
        Failure: If they are damaged.
    """
    width = 1 + task.pair
    numbers = {label: number for number, label in enumerate(task.labels)}
    with _damage_as_failure(folder / PREDICTIONS):
        lines = list(islice(_lines(folder), limit))
        return PredictedRows(
            np.array([int(cells[0]) for cells in lines], int),
            tuple(tuple(map(unescape_formula, cells[1 : 1 + width])) for cells in lines),
            task.labels,
            np.array([numbers.get(cells[1 + width], -1) for cells in lines], int),
            np.array([numbers[cells[2 + width]] for cells in lines], int),
            np.array([float(cells[3 + width]) for cells in lines], float),
        )


def read_labelled_rows(folder: Path, task: Task) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities `(N, C)` and labels `(N,)` of the predicted rows that have a label.

    Raises:
        Failure: If they are damaged.
    """
    numbers, label_column = {label: number for number, label in enumerate(task.labels)}, 2 + task.pair
    count = len(_probability_classes(task))
    probabilities, labels = array("d"), array("q")  # 16 bytes per row of two classes
    with _damage_as_failure(folder / PREDICTIONS):
        for cells in _lines(folder):
            if cells[label_column] in numbers:
                probabilities.extend(map(float, cells[label_column + 3 : label_column + 3 + count]))
                labels.append(numbers[cells[label_column]])
        values = np.array(probabilities, float).reshape(len(labels), count)
    return np.concatenate([1 - values, values], axis=1) if count == 1 else values, np.array(labels, int)


def problems(folder: Path, limit: int) -> list[Message]:
    """Reasons why rows could not be predicted, for the first `limit` of them; skips damaged lines."""
    try:
        with open(folder / PROBLEMS, "rb") as file:
            lines = file.read(read_counts(folder).problem_bytes).splitlines()[:limit]
    except OSError:
        return []
    messages = []
    for line in lines:
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            messages.append(message_from_json(json.loads(line)["problem"]))
    return [message for message in messages if isinstance(message, Message) and has_sentence(message)]


def _damage_as_failure(file: Path) -> AbstractContextManager[None]:
    damage = ValueError, KeyError, IndexError, OverflowError, csv.Error
    return failing(damage, "jobs.unreadable", run=file.parent.name, file=file.name)


def _lines(folder: Path) -> Iterator[list[str]]:
    """Cells of each line in the valid part of `predictions.csv`, without the header."""
    counts = read_counts(folder)
    try:
        with open(folder / PREDICTIONS, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            next(reader, None)
            yield from islice(reader, counts.rows - counts.problems)
    except OSError:
        return


def _line(cells: Sequence) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()


def _append(file: Path, lines: Sequence[str]) -> int:
    """Append lines and flush them to the disk; returns the number of bytes."""
    content = "".join(lines).encode("utf-8")
    if content:
        with open(file, "ab") as output:
            output.write(content)
            output.flush()
            os.fsync(output.fileno())
    return len(content)
