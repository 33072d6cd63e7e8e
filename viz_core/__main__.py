"""The command line: `python -m viz_core COMMAND`, with `--json` on each for machines."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import fields, replace

from viz_core import checkpoints
from viz_core.language import LANGUAGES, Translator, closest
from viz_core.records import Failure
from viz_core.tasks import TASKS, task_named

ENCODER_OPTIONS = {"layers": int, "heads": int, "width": int, "feedforward": int, "dropout": float}
RECIPE_OPTIONS = {"lr": float, "epochs": int, "batch": int, "seed": int, "pretrain_epochs": int}


def train(args: argparse.Namespace, say: Translator) -> dict:
    """Trains an encoder into `checkpoints/<task>/<name>`, with a line per epoch."""
    from viz_core.training.presets import PRESETS  # torch's training half is not needed by any other command
    from viz_core.training.train import train as run

    task, preset = task_named(args.task), PRESETS[args.task][args.preset]
    data = args.data or ("full" if task.corpus.find() else "sample")

    def chosen(options: dict) -> dict:
        return {name: getattr(args, name) for name in options if getattr(args, name) is not None}

    def report(figures: dict) -> None:
        print(json.dumps(figures), file=sys.stderr, flush=True)

    out = checkpoints.folder() / args.task / (args.name or args.preset)
    try:
        recipe = replace(preset.recipe, **chosen(RECIPE_OPTIONS))
        figures = run(task, {**preset.encoder, **chosen(ENCODER_OPTIONS)}, recipe, out, data, args.device, report,
                      preset.caution)
    except ValueError as error:
        raise Failure("cli.bad_setting", reason=str(error)) from error
    return {"model": out.name, "data": data, **figures}


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="python -m viz_core", description=__doc__)
    commands = root.add_subparsers(dest="command", required=True)

    def command(run, **options) -> argparse.ArgumentParser:
        added = commands.add_parser(run.__name__, help=run.__doc__, **options)
        added.add_argument("--json", action="store_true", help="print one JSON object")
        added.add_argument("--lang", choices=list(LANGUAGES), default=closest(os.environ.get("LANG")))
        added.set_defaults(run=run)
        return added

    training = command(train)
    training.add_argument("--task", choices=list(TASKS), required=True)
    training.add_argument("--preset", default="small")
    training.add_argument("--name", help="folder of the checkpoint; the preset's name unless given")
    training.add_argument("--data", choices=["full", "sample"], help="full where the corpus is at hand, else sample")
    training.add_argument("--device")
    for name, kind in {**ENCODER_OPTIONS, **RECIPE_OPTIONS}.items():
        training.add_argument("--" + name.replace("_", "-"), type=kind)
    return root


def main() -> int:
    args = parser().parse_args()
    say = Translator(args.lang)
    try:
        answer = args.run(args, say)
    except Failure as failure:
        print(json.dumps({"error": say(failure.message)}, ensure_ascii=False) if args.json else say(failure.message),
              file=sys.stderr)
        return 1
    print(json.dumps(answer, ensure_ascii=False, indent=None if args.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
