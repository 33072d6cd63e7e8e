"""The command line: `python -m viz_core COMMAND`, with `--json` on each for machines."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pprint import pformat
from typing import get_args

from viz_core.commands.corpora import data
from viz_core.commands.evidence import evidence
from viz_core.commands.models import VIEWS, evaluate, explain, figure, models, predict, probe
from viz_core.commands.training import ACTIONS, ENCODER_OPTIONS, RECIPE_OPTIONS, runs, train
from viz_core.evidence.job import KINDS
from viz_core.language import LANGUAGES, Translator, closest
from viz_core.records import Failure
from viz_core.tasks import TASKS


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="python -m viz_core", description=__doc__)
    commands = root.add_subparsers(dest="command", required=True)

    def command(run: Callable) -> argparse.ArgumentParser:
        added = commands.add_parser(run.__name__, help=run.__doc__, description=run.__doc__)
        added.add_argument("--json", action="store_true", help="print one JSON object")
        added.add_argument("--lang", choices=list(LANGUAGES), default=closest(os.environ.get("LANG")))
        added.set_defaults(run=run)
        return added

    command(models)
    for run in (predict, explain, figure):
        one = command(run)
        one.add_argument("--task", choices=list(TASKS), required=True)
        one.add_argument("--model", help="name of a checkpoint; the first of the task unless given")
        given = one.add_mutually_exclusive_group(required=True)
        given.add_argument("--text", help="the review, or the first sentence of a pair")
        one.add_argument("--text-b", help="the second sentence of a pair")
        if run is predict:
            given.add_argument("--csv", help="file with columns text, or sentence1 and sentence2")
        else:
            one.add_argument("--out", required=True)
        if run is figure:
            one.add_argument("--view", choices=VIEWS, required=True)
            one.add_argument("--layer", type=int, help="from 1; the mean unless given")
            one.add_argument("--head", type=int, help="from 1; the mean unless given")
            one.add_argument("--scale", choices=("linear", "sqrt", "log"), default="sqrt")
            one.add_argument("--dark", action="store_true")

    evaluation = command(evaluate)
    evaluation.add_argument("--task", choices=list(TASKS), required=True)
    evaluation.add_argument("--model", required=True)
    evaluation.add_argument("--split", choices=("validation", "test"), default="validation")
    evaluation.add_argument("--data", choices=("full", "sample"))
    evaluation.add_argument("--record", action="store_true")

    probing = command(probe)
    probing.add_argument("--task", choices=list(TASKS), required=True)
    probing.add_argument("--model", required=True)
    probing.add_argument("--record", action="store_true")

    examined = command(evidence)
    examined.add_argument("pass_", metavar="pass", choices=sorted(KINDS), help=", ".join(sorted(KINDS)))
    examined.add_argument("--task", choices=list(TASKS), required=True)
    examined.add_argument("--model", required=True)

    corpora = command(data)
    corpora.add_argument("action", choices=("status", "download", "verify", "batch"))
    corpora.add_argument("--task", choices=list(TASKS))
    corpora.add_argument("--data", choices=("full", "sample"))
    corpora.add_argument("--size", type=int, default=4, help="rows of the mini-batch")

    training = command(train)
    training.add_argument("--task", choices=list(TASKS), required=True)
    training.add_argument("--preset", default="small")
    training.add_argument(
        "--name", help="folder of the checkpoint; the preset's name, or the next that is free, unless given"
    )
    training.add_argument("--data", choices=["full", "sample"], help="full where the corpus is at hand, else sample")
    training.add_argument("--device")
    training.add_argument("--overwrite", action="store_true", help="replace a model of this name")
    training.add_argument(
        "--estimate",
        action="store_true",
        help="do not train: answer with parameters, bytes of memory and seconds that it would take",
    )
    training.add_argument("--detach", action="store_true", help="do not wait: answer with the id of the run")
    for name, kind in {**ENCODER_OPTIONS, **RECIPE_OPTIONS}.items():
        flag, choices = "--" + name.replace("_", "-"), get_args(kind)
        training.add_argument(
            flag,
            **(
                dict(action=argparse.BooleanOptionalAction)
                if kind is bool
                else dict(choices=choices)
                if choices
                else dict(type=kind)
            ),
        )

    trainings = command(runs)
    trainings.add_argument("action", nargs="?", choices=ACTIONS, default="list")
    trainings.add_argument("run_id", nargs="?", metavar="ID")
    trainings.add_argument("--name", help="keep: folder of the checkpoint; the run's name unless given")
    trainings.add_argument("--overwrite", action="store_true", help="keep: replace a model of this name")
    return root


def main() -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # a pipe on Windows has no place for most Chinese or for emoji
    args = parser().parse_args()
    say = Translator(args.lang)
    try:
        answer = args.run(args, say)
    except Failure as failure:
        print(json.dumps({"error": say(failure.message)}) if args.json else say(failure.message), file=sys.stderr)
        return 1
    # For people: the same answer, with as many ids and tokens on a line as it holds.
    print(json.dumps(answer) if args.json else pformat(answer, width=120, compact=True, sort_dicts=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
