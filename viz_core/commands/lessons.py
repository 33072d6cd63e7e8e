"""The command `lesson`: the lessons, a teacher's file checked, a lesson as a notebook."""

import argparse
from pathlib import Path

from viz_core import checkpoints
from viz_core.commands.output import write_file
from viz_core.language import Translator
from viz_core.lessons import Lesson, find_lesson, read_lessons
from viz_core.lessons.notebook import lesson_notebook
from viz_core.lessons.reading import read_lesson
from viz_core.lessons.source import excerpt
from viz_core.records import Failure

ACTIONS = ("list", "check", "notebook")


def lesson(args: argparse.Namespace, say: Translator) -> dict | list[dict]:
    """Lists the lessons, checks the file of one, or writes one as a notebook in the language of --lang."""
    if args.action == "list":
        return [_row(found, say) for found in read_lessons()[0]]
    if not args.what:
        raise Failure(f"cli.lesson_{args.action}_needed")
    if args.action == "check":
        found = read_lesson(Path(args.what))
        for card in found.cards:
            if card.code:
                excerpt(card.code)  # raises a Failure if there is no such code
        return _row(found, say)
    named = find_lesson(args.what)
    if named is None:
        raise Failure("cli.no_lesson", name=args.what, known=[known.name for known in read_lessons()[0]] or "–")
    out = args.out or f"{named.name}.ipynb"
    text = lesson_notebook(named, say, _first_model)
    write_file(out, lambda path: path.write_text(text, encoding="utf-8"))
    return {**_row(named, say), "file": out}


def _row(lesson: Lesson, say: Translator) -> dict:
    title = lesson.about[say.language].title
    return {"lesson": lesson.name, "title": title, "minutes": lesson.minutes, "cards": len(lesson.cards)}


def _first_model(task: str) -> str:
    """The model that the page of a task shows first; empty if there is none."""
    return next((info.name for info in checkpoints.task_checkpoints(task)), "")
