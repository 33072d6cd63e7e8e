"""The command `evidence`: computes evidence of the requested kind over the validation split, in this process."""

from __future__ import annotations

import argparse
import sys

from tqdm import tqdm

from viz_core import checkpoints
from viz_core.analysis.calibration_verdict import calibration_remark
from viz_core.analysis.head_verdicts import head_verdicts
from viz_core.analysis.verdicts import skill
from viz_core.evidence import health
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.results import result_file
from viz_core.language import Translator


def evidence(args: argparse.Namespace, say: Translator) -> dict:
    """analyses a model on the validation split, stores the results in its folder and prints what they mean"""
    with tqdm(file=sys.stderr, leave=False, disable=None) as bar:  # no bar unless stderr is a terminal

        def update_bar(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        result = compute_evidence(args.pass_, args.task, args.model, update_bar)
    folder = checkpoints.folder() / args.task / args.model
    return {
        "task": args.task,
        "model": args.model,
        "pass": args.pass_,
        **{name: result[name] for name in ("split", "data", "n", "seconds")},
        "file": str(result_file(folder, args.pass_)),
        **_verdicts(args.pass_, result, say),
    }


def _verdicts(name: str, result: dict, say: Translator) -> dict:
    """The verdicts of `health`; other kinds of evidence have none."""
    if name != health.NAME or (statistics := health.read(result)) is None:
        return {}
    model_skill, heads = skill(statistics), statistics.heads
    return {
        "skill": model_skill.level,
        "verdict": say(model_skill.verdict),
        "reasons": [say(reason) for reason in model_skill.reasons],
        "calibration": say(remark) if (remark := calibration_remark(statistics)) else None,
        "heads_note": heads and say("health.heads_rows", rows=heads.rows, pairs=heads.pair_rows),
        "heads": [say(verdict.message) for verdict in head_verdicts(statistics)],
    }
