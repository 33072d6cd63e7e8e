"""Writes the parts of docs/ that come from the code and from the files of lessons: `make docs` does."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from benchmarks import tables
from pages.shared.controls import CONTROLS
from tests.documents import lessons
from viz_core.commands.parser import build_parser
from viz_core.variables import VARIABLES

DOCS = Path(__file__).parents[2] / "docs"


def main() -> None:
    """Writes each part between its markers, and the pages of lessons, of which no others stay."""
    for name, text in parts().items():
        tables.write(DOCS / name, "generated", text)
    for file in (DOCS / "lessons").glob("*.md"):
        file.unlink()
    for name, text in lessons.pages().items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text, "utf-8")


def parts() -> dict[str, str]:
    """Markdown by the name of its document."""
    return {
        "settings.md": settings(),
        "command-line.md": commands(),
        "lessons.md": controls(),
        "teaching.md": lessons.table("en"),
        "teaching.zh.md": lessons.table("zh"),
    }


def settings() -> str:
    """A table of the environment variables for each of their groups."""
    lines: list[str] = []
    for group in dict.fromkeys(variable.group for variable in VARIABLES.values()):
        lines += [f"## {group}", "", "| variable | what it does | default |", "|---|---|---|"]
        lines += [
            f"| `{variable.name}` | {variable.meaning} | {variable.default} |"
            for variable in VARIABLES.values()
            if variable.group == group
        ]
        lines.append("")
    return "\n".join(lines).strip()


def controls() -> str:
    """A table of what a card of a lesson can point at."""
    rows = [f"| `{name}` | {', '.join(f'`{part}`' for part in found)} |" for name, found in CONTROLS.items()]
    return "\n".join(["| `point` | gets the ring: the first of these on the page |", "|---|---|", *rows])


def commands() -> str:
    """A section for each command, with its options in a table."""
    return "\n\n".join(_command(name, parser) for name, parser in _subparsers(build_parser()))


def _subparsers(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The commands, each before its own."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, subparser in action.choices.items():
                yield name, subparser
                yield from ((f"{name} {inner}", innermost) for inner, innermost in _subparsers(subparser))


def _command(name: str, parser: argparse.ArgumentParser) -> str:
    sentence = (parser.description or "").strip()
    actions = [
        action
        for action in parser._actions
        if action.dest not in ("help", "json", "lang") and not isinstance(action, argparse._SubParsersAction)
    ]
    rows = [f"| {_spelling(action)} | {_values(action)} | {_cell(action.help)} |" for action in actions]
    table = ["| option | values | what it does |", "|---|---|---|", *rows] if rows else []
    return "\n".join([f"### {name}", "", f"{sentence[:1].upper()}{sentence[1:]}", *([""] if table else []), *table])


def _spelling(action: argparse.Action) -> str:
    """The flag, or the place of a positional argument; a required flag in bold."""
    words = ", ".join(f"`{flag}`" for flag in action.option_strings) or f"`{(action.metavar or action.dest).upper()}`"
    return f"**{words}**" if action.required and action.option_strings else words


def _values(action: argparse.Action) -> str:
    """What may follow it, and the default."""
    if action.nargs == 0:
        return ""
    values = ", ".join(f"`{choice}`" for choice in action.choices or ())
    if not values and action.type is not None:
        values = {int: "integer", float: "number"}.get(action.type, "text")
    default = f"default `{action.default}`" if action.default not in (None, argparse.SUPPRESS) else ""
    return "; ".join(filter(None, (values, default)))


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


if __name__ == "__main__":
    main()
