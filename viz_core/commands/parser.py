"""The flags of every command."""

import argparse
import os
from collections.abc import Callable
from typing import get_args

from viz_core.commands.changing import HEAD_OPTIONS, TOKEN_OPTIONS
from viz_core.commands.comparing import compare
from viz_core.commands.corpora import data
from viz_core.commands.doctor import PORT, doctor
from viz_core.commands.evidence import evidence
from viz_core.commands.fetching import fetch
from viz_core.commands.generating import generate
from viz_core.commands.heads import heads
from viz_core.commands.kinds import command_kind, tasks_with, views
from viz_core.commands.lessons import ACTIONS as LESSON_ACTIONS
from viz_core.commands.lessons import lesson
from viz_core.commands.measuring import evaluate, probe
from viz_core.commands.models import explain, figure, models, patch, predict, translate, whatif
from viz_core.commands.own import ACTIONS as TASK_ACTIONS
from viz_core.commands.own import COLUMNS, own_names, task
from viz_core.commands.training import ACTIONS, ENCODER_OPTIONS, RECIPE_OPTIONS, runs, train
from viz_core.datasets.own.understanding import TOKENS
from viz_core.evidence.kinds import all_evidence
from viz_core.language import LANGUAGES, closest_language
from viz_core.records import Measure
from viz_core.records.translation import Kind
from viz_core.rendering.scales import Limit, Scale
from viz_core.tasks import LANGUAGE_MODEL, all_tasks, own

DESCRIPTION = "Attention Microscope on the command line. `COMMAND --help` explains a command; `--json` is for machines."


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of all commands; each command is a function, and its docstring is the help."""
    root = argparse.ArgumentParser(prog="python -m viz_core", description=DESCRIPTION)
    commands = root.add_subparsers(dest="command", required=True)
    tasks = [*all_tasks(), *own_names()]

    def command(run: Callable, of: argparse._SubParsersAction | None = None) -> argparse.ArgumentParser:
        """Add a command, or one of another: then what stands before its name holds, too."""
        subparser = (of or commands).add_parser(run.__name__, help=run.__doc__, description=run.__doc__)
        defaults = (argparse.SUPPRESS,) * 2 if of else (False, closest_language(os.environ.get("LANG")))
        subparser.add_argument("--json", action="store_true", default=defaults[0], help="print one JSON object")
        subparser.add_argument(
            "--lang",
            choices=list(LANGUAGES),
            default=defaults[1],
            help="language of the messages; default: that of the system",
        )
        subparser.set_defaults(run=run)
        return subparser

    def add_model(subparser: argparse.ArgumentParser) -> None:
        subparser.add_argument(
            "--model",
            help="name of a checkpoint, path:FOLDER or hf:ID of a model from elsewhere; default: the first of the task",
        )
        subparser.add_argument(
            "--accept-large", action="store_true", help="open a model from elsewhere that takes much memory"
        )

    doctor_parser = command(doctor)
    doctor_parser.add_argument(
        "--verify", action="store_true", help="also check the content of the corpora; takes minutes"
    )
    doctor_parser.add_argument("--port", type=int, default=PORT, help="the port you want the app to use")

    fetch_parser = command(fetch, command(models).add_subparsers(metavar="fetch"))
    fetch_parser.add_argument("names", nargs="*", metavar="NAME", help="TASK/NAME; without one, all are listed")
    fetch_parser.add_argument("--all", action="store_true", help="all models that are not here")
    fetch_parser.add_argument(
        "--from", dest="source", metavar="SOURCE", help="an address, a folder or a zip; default: VIZ_MODELS_URL"
    )
    for run in (predict, explain, figure, whatif, patch):
        subparser = command(run)
        able = [name for name in tasks if run.__name__ in command_kind(name).verbs]
        subparser.add_argument("--task", type=own.resolve, choices=able, help="leave it out for a model from elsewhere")
        add_model(subparser)
        source = subparser.add_mutually_exclusive_group(required=True)
        source.add_argument(
            "--text", help="the review, the title, the first sentence of a pair, or the sentence to translate"
        )
        translated = "" if run in (predict, whatif, patch) else "; or a translation to use instead of the model's own"
        subparser.add_argument("--text-b", help=f"the second sentence of a pair{translated}")
        if run is predict:
            source.add_argument("--csv", help="file with columns text, or sentence1 and sentence2")
        elif run is patch:
            subparser.add_argument(
                "--source", required=True, help="the text whose numbers are put into the run of --text"
            )
            subparser.add_argument("--source-b", help="the second sentence of its pair")
            subparser.add_argument("--sender", help="a head whose paths are followed, as layer.head from 1: 1.3")
            subparser.add_argument("--top", type=int, default=5, help="how many parts of each kind are listed")
        elif run is whatif:
            for options, kind in ((HEAD_OPTIONS, str), (TOKEN_OPTIONS, int)):
                for field, (flag, meaning) in options.items():
                    subparser.add_argument(flag, dest=field, type=kind, nargs="+", default=[], help=meaning)
        else:
            subparser.add_argument("--out", required=True, help="the file to write")
        if run is figure:
            subparser.add_argument("--view", choices=views(), required=True)
            subparser.add_argument(
                "--kind", choices=get_args(Kind), default="cross", help="the attention of a translation"
            )
            subparser.add_argument("--layer", type=int, help="from 1; default: the mean (view plane: the first)")
            subparser.add_argument("--head", type=int, help="from 1; default: the mean")
            subparser.add_argument("--scale", choices=get_args(Scale), default="linear", help="colour scale")
            limits = "darkest colour: full: weight 1, in long texts 16 times a uniform head's; own: the largest weight"
            subparser.add_argument("--limit", choices=get_args(Limit), default="full", help=limits)
            measures = "attention weights, or norms: value-weighted attention (Kobayashi et al. 2020)"
            subparser.add_argument("--measure", choices=get_args(Measure), default="weights", help=measures)
            subparser.add_argument("--dark", action="store_true", help="the dark theme")

    translate_parser = command(translate)
    translating = tasks_with(lambda kind: "translate" in kind.verbs)
    translate_parser.add_argument("--task", choices=translating, default=translating[0])
    add_model(translate_parser)
    translate_parser.add_argument("--text", required=True, help="the sentence to translate")
    decoding = translate_parser.add_mutually_exclusive_group()
    decoding.add_argument("--beam", type=int, metavar="WIDTH", help="beam search; default: greedy")
    decoding.add_argument("--temperature", type=float, help="sample every token; above 0, the higher the more varied")
    translate_parser.add_argument("--seed", type=int, default=0, help="seed of the sampling")

    generate_parser = command(generate)
    generate_parser.add_argument(
        "--task", choices=list(all_tasks(LANGUAGE_MODEL)), help="leave it out for a model from elsewhere"
    )
    add_model(generate_parser)
    generate_parser.add_argument("--text", required=True, help="the beginning of the text; with --chat the message")
    generate_parser.add_argument("--chat", action="store_true", help="read the text as a message, by the chat template")
    generate_parser.add_argument("--system", default="", help="a line before the message of a chat, if it takes one")
    generate_parser.add_argument("--tokens", type=int, default=40, help="the most tokens it may write")
    generate_parser.add_argument("--temperature", type=float, help="sample every token; the higher the more varied")
    generate_parser.add_argument("--top-k", type=int, default=0, help="sample from so many of the likeliest tokens")
    generate_parser.add_argument(
        "--top-p", type=float, default=1.0, help="sample from the likeliest tokens that together have this probability"
    )
    generate_parser.add_argument("--seed", type=int, default=0, help="seed of the sampling")

    evaluate_parser = command(evaluate)
    evaluate_parser.add_argument("--task", type=own.resolve, choices=tasks, required=True)
    evaluate_parser.add_argument("--model", required=True)
    evaluate_parser.add_argument("--split", choices=("validation", "test"), default="validation")
    evaluate_parser.add_argument("--data", choices=("full", "sample"))
    purpose = evaluate_parser.add_mutually_exclusive_group()
    purpose.add_argument("--record", action="store_true", help="store the metrics with the model")
    purpose.add_argument("--unseen", action="store_true", help="leave out the rows that repeat a text of train")

    probe_parser = command(probe)
    predicting = [name for name in tasks if "predict" in command_kind(name).verbs]
    probe_parser.add_argument("--task", type=own.resolve, choices=predicting, required=True)
    probe_parser.add_argument("--model", required=True)
    probe_parser.add_argument("--record", action="store_true", help="store the scores with the model")

    compare_parser, compared = command(compare), tasks_with(lambda kind: kind.compares)
    compare_parser.add_argument("--task", choices=compared, help="default: all of these")
    compare_parser.add_argument("--answers", action="store_true", help="also predict the test, to compare row by row")
    compare_parser.add_argument("--measure", action="store_true", help="also time the predictions of each model")
    compare_parser.add_argument("--seeds", metavar="FOLDER", help="checkpoints of the same trainings with other seeds")
    compare_parser.add_argument(
        "--curves",
        metavar="FOLDER",
        help="checkpoints with --train-rows, from a language model and from scratch: accuracy by number of labels",
    )
    compare_parser.add_argument("--write", metavar="FILE", help="a document whose tables are replaced")

    evidence_parser = command(evidence)
    kinds = all_evidence()
    evidence_parser.add_argument("pass_", metavar="analysis", choices=kinds, help=", ".join(kinds))
    evidence_parser.add_argument("--task", type=own.resolve, choices=tasks, required=True)
    evidence_parser.add_argument("--model", required=True)
    evidence_parser.add_argument("--rows", type=int, help="read a sample of so many rows: large models take long")

    heads_parser = command(heads)
    heads_parser.add_argument("--task", type=own.resolve, choices=tasks, help="leave it out for a model from elsewhere")
    add_model(heads_parser)
    heads_parser.add_argument("--kind", choices=get_args(Kind), help="the attention of a translation; default: cross")
    heads_parser.add_argument("--by", help="a statistic, such as previous, same, induction or entropy")
    heads_parser.add_argument("--top", type=int, default=5, help="so many heads")

    lesson_parser = command(lesson)
    lesson_parser.add_argument("action", choices=LESSON_ACTIONS)
    lesson_parser.add_argument("what", nargs="?", help="check: a file; notebook: the name of a lesson")
    lesson_parser.add_argument("--out", help="notebook: the file to write; default: the name with .ipynb")

    data_parser = command(data)
    data_parser.add_argument("action", choices=("status", "download", "verify", "batch"))
    data_parser.add_argument("--task", type=own.resolve, choices=tasks)
    data_parser.add_argument("--data", choices=("full", "sample"))
    data_parser.add_argument("--size", type=int, default=4, help="number of rows")

    task_parser = command(task)
    task_parser.add_argument("action", choices=TASK_ACTIONS)
    task_parser.add_argument(
        "what", nargs="?", help="add, check: CSV, TSV, JSONL, Excel, or a data-set folder; import: a zip; else a task"
    )
    task_parser.add_argument("--name", help="what you call the task; default: the name of the file")
    for column in COLUMNS:
        option = f"--{column.replace('_', '-')}"
        task_parser.add_argument(option, dest=f"column_{column}", metavar="COLUMN", help="default: guessed")
    task_parser.add_argument("--tokens", choices=TOKENS, help="default: what suits the texts")
    task_parser.add_argument("--max-tokens", type=int, help="length of an input; default: 95 %% of the rows fit")
    task_parser.add_argument("--days", type=int, default=0, help="delete the task after so many days; default: never")
    task_parser.add_argument("--model", default="small", help="export: which of its models")
    task_parser.add_argument(
        "--format", choices=("zip", "bert"), default="zip", help="export: bert is a folder that transformers opens"
    )
    task_parser.add_argument("--out", help="export: the file or folder to write; default: named after task and model")
    task_parser.add_argument("--forget", action="store_true", help="delete the rows once a model is trained")

    train_parser = command(train)
    train_parser.add_argument("--task", type=own.resolve, choices=tasks, required=True)
    train_parser.add_argument("--preset", default="small", help="a named recipe; further options change its settings")
    train_parser.add_argument("--name", help="folder of the checkpoint; default: the preset's name, numbered if taken")
    train_parser.add_argument(
        "--data", choices=["full", "sample"], help="default: full if the corpus is installed, else sample"
    )
    train_parser.add_argument("--device", help="cpu, cuda, cuda:1 …; default: the best there is")
    train_parser.add_argument("--overwrite", action="store_true", help="replace a model of that name")
    train_parser.add_argument(
        "--estimate",
        action="store_true",
        help="do not train: print the parameters, bytes of memory and seconds it would take",
    )
    train_parser.add_argument("--detach", action="store_true", help="do not wait: print the id of the run")
    task_kinds = {task.kind.name: task.kind for task in all_tasks().values()}.values()
    best = [measure.name for task_kind in task_kinds for measure in task_kind.measures if measure.selects]
    for name, kind in {**ENCODER_OPTIONS, **RECIPE_OPTIONS}.items():
        flag, choices = "--" + name.replace("_", "-"), best if name == "best" else get_args(kind)
        train_parser.add_argument(
            flag,
            **(
                dict(action=argparse.BooleanOptionalAction)
                if kind is bool
                else dict(choices=choices)
                if choices
                else dict(type=kind)
            ),
        )

    runs_parser = command(runs)
    runs_parser.add_argument("action", nargs="?", choices=ACTIONS, default="list")
    runs_parser.add_argument("run_id", nargs="?", metavar="ID", help="id of the run, as `runs` lists it")
    runs_parser.add_argument("--name", help="keep: folder of the checkpoint; default: the run's name")
    runs_parser.add_argument("--overwrite", action="store_true", help="keep: replace a model of that name")
    return root
