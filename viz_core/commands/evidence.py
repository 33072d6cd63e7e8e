"""The command `evidence`: computes evidence of the requested kind, in this process."""

import argparse
import sys

from tqdm import tqdm

from viz_core import checkpoints
from viz_core.analysis.verdicts.heads import head_verdicts
from viz_core.analysis.verdicts.model import calibration_remark, skill
from viz_core.analysis.verdicts.translation import alignment_verdict
from viz_core.evidence import alignment, health
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.kinds import evidence_kind
from viz_core.evidence.results import result_file
from viz_core.language import Translator
from viz_core.records import Failure, Health


def evidence(args: argparse.Namespace, say: Translator) -> dict:
    """Analyses a model on validation, or on texts aligned by hand; stores the results and prints what they mean."""
    if args.rows is not None and args.rows < 1:
        raise Failure("evidence.no_rows", rows=args.rows)
    sampled = evidence_kind(args.task).sampled
    if args.rows and args.pass_ not in sampled:
        raise Failure("evidence.not_sampled", name=args.pass_, sampled=list(sampled) or "–")
    with tqdm(file=sys.stderr, leave=False, disable=None) as bar:  # no bar unless stderr is a terminal

        def update_bar(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        result = compute_evidence(args.pass_, args.task, args.model, update_bar, args.rows)
    folder = checkpoints.require_folder(args.task, args.model)
    return {
        "task": args.task,
        "model": args.model,
        "pass": args.pass_,
        **{name: result[name] for name in ("split", "data", "n", "seconds") if name in result},
        "file": str(result_file(folder, args.pass_)),
        **_verdicts(args.pass_, result, say),
    }


def _verdicts(name: str, result: dict, say: Translator) -> dict:
    """What the results of `health` and `alignment` mean; empty for other kinds of evidence."""
    if name == health.NAME and (statistics := health.read(result)):
        return _health(statistics, say)
    if name == alignment.NAME and (measured := alignment.read(result)):
        verdict = alignment_verdict(measured)
        return {
            "aligns": verdict.level,
            "verdict": say(verdict.verdict),
            "reasons": [say(reason) for reason in verdict.reasons],
            "scores": result["scores"],
        }
    return {}


def _health(statistics: Health, say: Translator) -> dict:
    model_skill, heads = skill(statistics), statistics.heads
    return {
        "skill": model_skill.level,
        "verdict": say(model_skill.verdict),
        "reasons": [say(reason) for reason in model_skill.reasons],
        "calibration": say(remark) if (remark := calibration_remark(statistics)) else None,
        "heads_note": heads and say("health.heads_rows", rows=heads.rows, pairs=heads.pair_rows),
        "heads": [say(verdict.message) for verdict in head_verdicts(heads)],
    }
