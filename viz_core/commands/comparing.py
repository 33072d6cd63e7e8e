"""The command `compare`: all models in one table per task, made of recorded figures."""

import argparse
import re
from dataclasses import asdict
from pathlib import Path

from viz_core.analysis.verdicts.comparison import comparison_verdict, curves_verdict
from viz_core.commands.kinds import tasks_with
from viz_core.commands.output import Report, write_file
from viz_core.evidence.comparison import (
    compare_models,
    readings,
    right_answers,
    store_answers,
    store_latencies,
    store_seeds,
)
from viz_core.evidence.learning_curves import read_curves, store_curves
from viz_core.language import Translator
from viz_core.records import Failure, failing
from viz_core.records.comparison import ComparedModel
from viz_core.rendering.comparison import figures_table, markdown, measure, slices_table
from viz_core.tasks import get_task

# The tables are between these lines of a document.
BEGIN, END = "<!-- python -m viz_core compare: begin -->", "<!-- python -m viz_core compare: end -->"


def compare(args: argparse.Namespace, say: Translator) -> Report:
    """Compares the models of a task, or of all tasks, in one table, with what it shows; --measure also times them."""
    tasks = [args.task] if args.task else tasks_with(lambda kind: kind.compares)
    for task in tasks:
        if args.seeds:
            store_seeds(task, Path(args.seeds))
        if args.curves:
            store_curves(task, Path(args.curves))
        if args.answers:
            store_answers(task)
        if args.measure:
            store_latencies(task, get_task(task).behavioural_tests())
    compared = {task: rows for task in tasks if (rows := compare_models(task))}
    text = "\n\n".join(describe(task, rows, say) for task, rows in compared.items())
    if args.write:
        _replace_part(args.write, text)
    return Report([asdict(row) for rows in compared.values() for row in rows], text, failed=False)


def describe(task: str, rows: tuple[ComparedModel, ...], say: Translator) -> str:
    """Both tables of a task in Markdown, with the sentences below them."""
    notes = say("comparison.note", measure=say(f"comparison.measure_{measure(rows[0])}"), first=f"`{rows[0].model}`")
    parts = [
        f"### {say(f'{task}.name')}",
        markdown(figures_table(rows, say)),
        notes,
        *(say(message) for message in comparison_verdict(rows, right_answers(task))),
        *(say(message) for message in curves_verdict(read_curves(task))),
        markdown(slices_table(rows, say)),
        say("comparison.slices_note"),
        *([say(counted)] if (counted := readings(task)) else []),
    ]
    return "\n\n".join(parts)


def _replace_part(file: str, text: str) -> None:
    """Put the tables into a document.

    Raises:
        Failure: If it cannot be written or has no place for them.
    """
    with failing((OSError, ValueError), "cli.not_readable", file=file):
        document = Path(file).read_text(encoding="utf-8")
    changed, count = re.subn(
        f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: f"{BEGIN}\n\n{text}\n\n{END}", document, flags=re.DOTALL
    )
    if not count:
        raise Failure("cli.no_place", file=file, begin=BEGIN, end=END)
    write_file(file, lambda path: path.write_text(changed, encoding="utf-8"))
