"""The command `heads`: which heads of a model to look at."""

import argparse
import sys

import numpy as np
from tqdm import tqdm

from viz_core import checkpoints
from viz_core.adapters.references import is_reference
from viz_core.analysis.verdicts.survey import head_name, standouts
from viz_core.commands.output import load_checkpoint
from viz_core.evidence.surveyed import Surveyed, read_importance, read_surveys, survey_own_texts
from viz_core.language import Translator
from viz_core.records import Failure, HeadImportance, HeadSurvey


def heads(args: argparse.Namespace, say: Translator) -> dict:
    """Says which heads of a model stand out; with --by, ranks them by a statistic. Reads the stored survey."""
    surveyed, importance, name = _surveyed(args)
    survey = surveyed.of(args.kind)
    about = {"model": name, "kind": survey.kind, "data": surveyed.source, "n": surveyed.n}
    if args.by is None:
        found = standouts(survey, importance)
        return {**about, "stand_out": [say(standout.message) for standout in found] or [say("heads.nothing")]}
    return {**about, **_ranked(survey, args.by, args.top)}


def _surveyed(args: argparse.Namespace) -> tuple[Surveyed, HeadImportance | None, str]:
    """Surveys of a model, what is known of its importance, and its name.

    Raises:
        Failure: If there is no such model, or its heads have not been surveyed.
    """
    if args.model and is_reference(args.model):
        checkpoint = load_checkpoint(None, args.model, args.accept_large)
        with tqdm(file=sys.stderr, leave=False, disable=None) as bar:

            def update(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            return survey_own_texts(checkpoint, update), None, checkpoint.name
    if args.task is None:
        raise Failure("cli.no_task", known=sorted({info.task for info in checkpoints.list_checkpoints()[0]}))
    name = args.model or next((info.name for info in checkpoints.task_checkpoints(args.task)), "")
    folder = checkpoints.require_folder(args.task, name)
    surveyed = read_surveys(folder)
    if surveyed is None:
        raise Failure("heads.not_surveyed", task=args.task, model=name)
    return surveyed, read_importance(folder), f"{args.task}/{name}"


def _ranked(survey: HeadSurvey, by: str, top: int) -> dict:
    """The heads with the largest means of a statistic.

    Raises:
        Failure: If it is not measured of this attention.
    """
    if by not in survey.statistics:
        raise Failure("heads.not_measured", name=by, kind=survey.kind, known=list(survey.statistics))
    statistic = survey.statistics[by]
    order = np.argsort(-statistic.mean, axis=None, kind="stable")[:top]
    places = [divmod(int(place), survey.shape[1]) for place in order]
    ranked = [
        {
            "head": head_name(*place),
            "mean": float(statistic.mean[place]),
            "low": float(statistic.interval[place][0]),
            "high": float(statistic.interval[place][1]),
            "control": statistic.control(*place),
        }
        for place in places
    ]
    return {"by": by, "uniform": statistic.uniform, "heads": ranked}
