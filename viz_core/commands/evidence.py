"""The command `evidence`: one kind of it gathered over the validation split, here and now, and what it means."""

from __future__ import annotations

import argparse
import sys

from tqdm import tqdm

from viz_core import checkpoints
from viz_core.analysis.verdicts import calibration_remark, head_verdicts, skill
from viz_core.evidence import health
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.results import result_file
from viz_core.language import Translator


def evidence(args: argparse.Namespace, say: Translator) -> dict:
    """goes over the validation split with a model, keeps what it finds in the model's folder, and says what it means"""
    with tqdm(file=sys.stderr, leave=False, disable=None) as bar:  # no bar where nobody watches

        def tell(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        found = compute_evidence(args.pass_, args.task, args.model, tell)
    folder = checkpoints.folder() / args.task / args.model
    return {
        "task": args.task,
        "model": args.model,
        "pass": args.pass_,
        **{name: found[name] for name in ("split", "data", "n", "seconds")},
        "file": str(result_file(folder, args.pass_)),
        **_meaning(args.pass_, found, say),
    }


def _meaning(name: str, found: dict, say: Translator) -> dict:
    """The verdicts of `health`; of the others the figures speak, which are in their file."""
    if name != health.NAME or (examined := health.read(found)) is None:
        return {}
    judged = skill(examined)
    return {
        "skill": judged.level,
        "verdict": say(judged.verdict),
        "reasons": [say(reason) for reason in judged.reasons],
        "calibration": say(calibration_remark(examined)),
        "heads": [say(one.message) for one in head_verdicts(examined)],
    }
