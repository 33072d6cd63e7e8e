"""The command `task`: tasks of one's own, made of a table."""

import argparse
import time
from pathlib import Path
from typing import Any

from viz_core import checkpoints
from viz_core.adapters.export import export_folder
from viz_core.checkpoints.archive import pack
from viz_core.datasets.own import Columns, Understanding, guess_columns, understand
from viz_core.language import Translator
from viz_core.names import folder_name
from viz_core.records import Failure, failing
from viz_core.tables.reading import read_table
from viz_core.tasks import own
from viz_core.tasks.own.definition import Definition, define, plain_title
from viz_core.training.importing import COMMAND_LINE, import_model
from viz_core.training.own_tasks import delete_expired, delete_task

ACTIONS = ("add", "check", "list", "show", "delete", "export", "import")
COLUMNS = ("text", "text_b", "label", "split", "group")
_DAY = 86_400  # seconds


def task(args: argparse.Namespace, say: Translator) -> dict | list[dict]:
    """Makes a task of your own table, or lists, shows or deletes tasks; takes a model along as one file."""
    delete_expired()
    if args.action == "list":
        return [_row(definition) for definition in own.definitions()]
    if not args.what:
        raise Failure("own.what_needed", action=args.action)
    if args.action in ("add", "check"):
        return _add(args, say)
    if args.action == "import":
        return _import(Path(args.what))
    definition = own.require_definition(own.resolve(args.what))
    if args.action == "export":
        return _export(definition, args)
    if args.action == "delete":
        delete_task(definition.name)
        return {"deleted": definition.name}
    models = [info.name for info in checkpoints.task_checkpoints(definition.name)]
    return {**_row(definition), "labels": list(definition.labels), "models": models, "settings": definition.to_dict()}


def own_names() -> list[str]:
    """The names of all tasks of one's own."""
    return [definition.name for definition in own.definitions()]


def _add(args: argparse.Namespace, say: Translator) -> dict:
    file = Path(args.what)
    table = read_table(file, file.name)
    guessed = guess_columns(table.frame)
    chosen = {name: getattr(args, f"column_{name}") for name in COLUMNS}
    columns = Columns(**{**vars(guessed), **{name: value for name, value in chosen.items() if value is not None}})
    understood = understand(table.frame, columns, table.lines)
    report = {
        "file": file.name,
        "encoding": table.encoding,
        "columns": {name: value for name, value in vars(columns).items() if value},
        **_report(understood),
        "notes": [say(note) for note in (*table.notices, *understood.notes)],
    }
    if args.action == "check":
        return report
    values: dict[str, Any] = {
        "owner": COMMAND_LINE,
        "created": time.time(),
        "expires": time.time() + args.days * _DAY if args.days else None,
        "keeps_rows": not args.forget,
    }
    if args.max_tokens:
        values["max_tokens"] = args.max_tokens
    title = args.name or plain_title(file.stem) or file.suffix.lstrip(".")
    definition = define(understood, title, args.tokens, **values)
    own.create(definition, understood.rows)
    return {"task": definition.name, "title": definition.title, **report}


def _export(definition: Definition, args: argparse.Namespace) -> dict:
    model = checkpoints.require_folder(definition.name, args.model)
    name = f"{folder_name(definition.title)}-{args.model}"
    if args.format == "bert":
        out = Path(args.out or name)
        export_folder(checkpoints.load_folder(model, definition.name), out)
    else:
        out = Path(args.out or f"{name}.zip")
        pack(model, out)
    return {"task": definition.name, "model": args.model, "file": str(out)}


def _import(file: Path) -> dict:
    with failing(OSError, "checkpoints.unreadable_archive", file=str(file)), file.open("rb") as content:
        info = import_model(content, file.name, COMMAND_LINE)
    return {"task": info.task, "model": info.name}


def _report(understood: Understanding) -> dict:
    median, most, longest = understood.lengths
    return {
        "rows": understood.read,
        "usable": len(understood.rows),
        "labels": understood.label_counts,
        "splits": understood.split_counts,
        "characters": {"median": median, "95%": most, "longest": longest},
        "languages": {code: round(share, 3) for code, share in understood.languages.items()},
        "tokens": understood.tokens,
        "max_tokens": understood.max_tokens(),
    }


def _row(definition: Definition) -> dict:
    day = "%Y-%m-%d"
    return {
        "task": definition.name,
        "title": definition.title,
        "rows": sum(definition.counts.values()),
        "classes": len(definition.labels),
        "created": time.strftime(day, time.localtime(definition.created)),
        "expires": definition.expires and time.strftime(day, time.localtime(definition.expires)),
        "has_rows": own.has_rows(definition.name),
    }
