"""The commands for the models of each kind of task."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from viz_core.checkpoints import Checkpoint
from viz_core.commands import classification, language, translation
from viz_core.commands.output import load_checkpoint
from viz_core.language import Translator
from viz_core.records import Failure, MeasuredFigures
from viz_core.tasks import CLASSIFICATION, LANGUAGE_MODEL, TRANSLATION, OfKind, all_tasks

Verb = Callable[[Checkpoint, argparse.Namespace, Translator], Any]


@dataclass(frozen=True)
class CommandKind:
    """The commands for a kind of task.

    Attributes:
        verbs: The functions of its models for `predict`, `translate`, `explain` and `figure`, as
            far as they have them.
        views: The views that `figure` draws.
        measure: Computes the figures of `evaluate` from a model, the rows, and `full` or `sample`.
        chosen_on_validation: Key of the sentence about figures on validation.
        compares: Whether `compare` has a table of its models.
    """

    verbs: Mapping[str, Verb]
    views: tuple[str, ...]
    measure: Callable[[Checkpoint, pd.DataFrame, str], MeasuredFigures]
    chosen_on_validation: str
    compares: bool = False


_KINDS: OfKind[CommandKind] = OfKind()
command_kind, register_command_kind = _KINDS.of, _KINDS.register


def run_verb(verb: str, args: argparse.Namespace, say: Translator) -> Any:
    """Run a verb on the model that the flags name.

    Raises:
        Failure: If the model has no such verb, naming those that it has.
    """
    checkpoint = load_checkpoint(args.task, args.model, args.accept_large)
    verbs = command_kind(checkpoint.task.name).verbs
    if verb not in verbs:
        raise Failure("cli.no_such_verb", verb=verb, model=checkpoint.name, verbs=list(verbs))
    return verbs[verb](checkpoint, args, say)


def tasks_with(has: Callable[[CommandKind], bool]) -> list[str]:
    """The names of the tasks whose kind meets a condition."""
    return [name for name, task in all_tasks().items() if has(command_kind(task.kind))]


def views() -> list[str]:
    """The views that `figure` draws, for all kinds of tasks."""
    return list(dict.fromkeys(view for task in all_tasks().values() for view in command_kind(task.kind).views))


register_command_kind(
    CLASSIFICATION,
    CommandKind(
        classification.VERBS, classification.VIEWS, classification.measure, "cli.chosen_on_validation", compares=True
    ),
)
register_command_kind(
    TRANSLATION,
    CommandKind(translation.VERBS, translation.VIEWS, translation.measure, "cli.checkpoint_chosen_on_validation"),
)
register_command_kind(
    LANGUAGE_MODEL,
    CommandKind(classification.VERBS, classification.VIEWS, language.measure, "cli.checkpoint_chosen_on_validation"),
)
