"""Commands that use models: list them, predict, translate, explain, change, draw a figure."""

import argparse
import sys
from dataclasses import asdict

from viz_core import checkpoints
from viz_core.commands.kinds import run_verb
from viz_core.language import Translator


def models(args: argparse.Namespace, say: Translator) -> list[dict]:
    """Lists the checkpoints with their metrics."""
    infos, failures = checkpoints.list_checkpoints()
    for failure in failures:
        print(say(failure.message), file=sys.stderr)
    return [
        {"task": info.task, "model": info.name, **asdict(info.settings.config), **info.metrics.entries}
        for info in infos
    ]


def predict(args: argparse.Namespace, say: Translator) -> dict | list[dict]:
    """Predicts the label of one text or pair, or of every row of a CSV file."""
    return run_verb("predict", args, say)


def explain(args: argparse.Namespace, say: Translator) -> dict:
    """Writes the attention of all layers and heads to an .npz file."""
    return run_verb("explain", args, say)


def figure(args: argparse.Namespace, say: Translator) -> dict:
    """Draws one view into a .png, .svg or .html file; the explorer into .html."""
    return run_verb("figure", args, say)


def whatif(args: argparse.Namespace, say: Translator) -> dict:
    """Predicts a text before and after changes: heads masked, tokens removed or blocked, all counted from 1."""
    return run_verb("whatif", args, say)


def patch(args: argparse.Namespace, say: Translator) -> dict:
    """Shows which layers, tokens and heads carry the difference between two texts (activation patching)."""
    return run_verb("patch", args, say)


def translate(args: argparse.Namespace, say: Translator) -> dict:
    """Translates a sentence: greedy, with --beam the likeliest sentence of several, with --temperature at random."""
    return run_verb("translate", args, say)
