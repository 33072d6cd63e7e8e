"""Commands that train, and look after the runs that the page and the command line have in common."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import get_type_hints

from viz_core import checkpoints
from viz_core.commands.corpora import chosen_data
from viz_core.evidence.requests import request_health
from viz_core.jobs import runs as jobs
from viz_core.jobs.limits import MINUTES, PER_VISITOR, Limits, limits
from viz_core.jobs.runs import Run
from viz_core.language import Translator
from viz_core.models.config import EncoderConfig
from viz_core.recipes import Recipe
from viz_core.records import Failure
from viz_core.tasks import task_named
from viz_core.training import door

_OF_THE_TASK = ("vocabulary", "max_tokens", "segments", "classes")  # what the task and its corpus say of an encoder
ENCODER_OPTIONS = {name: kind for name, kind in get_type_hints(EncoderConfig).items() if name not in _OF_THE_TASK}
RECIPE_OPTIONS = get_type_hints(Recipe)
ACTIONS = ("list", "show", "stop", "resume", "delete", "keep")
_OF_THE_BEST = ("epoch", "accuracy", "auc", "mcc")
_OWNER, _LOOK = "command line", 0.3  # seconds between two looks at a run
_NO_LIMIT = 10**6


def train(args: argparse.Namespace, say: Translator) -> dict:
    """trains an encoder into checkpoints/TASK/NAME, a line per evaluation; Ctrl-C stops it, --detach does not wait"""
    data, name = chosen_data(args, task_named(args.task)), _name(args)
    # What cannot be is refused before a run of it stands in the list.
    settings = door.TrainingSettings(
        args.task, args.preset, name, data, encoder=given(args, ENCODER_OPTIONS), recipe=given(args, RECIPE_OPTIONS)
    )
    if args.estimate:
        return asdict(door.estimate(settings, args.device))
    out = door.model_folder(args.task, name, args.overwrite)
    if int(os.environ.get("WORLD_SIZE", 1)) > 1:
        return _train_together(replace(settings, device=args.device), out)
    run = door.submit(settings, args.device, _OWNER, _limits())
    if args.detach:
        return {"run": run.id, "model": name, "data": data, "state": run.status.state}
    run = _follow(run, say)
    state, message = run.status.state, run.status.message
    if state == "failed" and message:
        raise Failure(message.key, **message.values)
    if state != "finished":
        if message:
            print(say(message), file=sys.stderr)
        raise Failure("cli.not_finished", run=run.id)
    out = door.keep(run, _name(args), args.overwrite)  # meanwhile another training may have taken a free name
    request_health(out, _OWNER)
    figures = json.loads((out / checkpoints.METRICS).read_text(encoding="utf-8"))["validation"]
    return {"model": out.name, "data": data, **figures, "run": run.id}


def runs(args: argparse.Namespace, say: Translator) -> dict | list[dict]:
    """lists the runs, or does something with one: show, stop, resume, delete, keep its best checkpoint as a model"""
    if args.action == "list":
        return [_row(run, say) for run in jobs.listing()]
    if not args.run_id:
        raise Failure("cli.run_needed", action=args.action)
    if args.action == "delete":
        jobs.delete(args.run_id)
        return {"deleted": args.run_id}
    if args.action == "keep":
        run = jobs.read(args.run_id)
        out = door.keep(run, args.name or "", args.overwrite)
        request_health(out, _OWNER)
        return {"run": run.id, "task": out.parent.name, "model": out.name, "folder": str(out)}
    if args.action == "show":
        run = jobs.read(args.run_id)
        return {
            **_row(run, say),
            "folder": str(run.path),
            "settings": run.request.settings,
            "best": run.status.best,
            "last": run.status.last,
        }
    return _row(jobs.stop(args.run_id) if args.action == "stop" else jobs.resume(args.run_id, _limits()), say)


def given(args: argparse.Namespace, options: Mapping) -> dict:
    """Those of the options that the command line names."""
    return {name: getattr(args, name) for name in options if getattr(args, name) is not None}


def _name(args: argparse.Namespace) -> str:
    """The one that was given; else the preset's, or the next that is free unless that one may be replaced."""
    if args.name or args.overwrite:
        return args.name or args.preset
    return door.free_name(args.task, args.preset)


def _train_together(settings: door.TrainingSettings, out: Path) -> dict:
    """One of several processes that `torchrun` has started: they are the training, so there is no run to ask for."""
    from viz_core.training.train import train

    training = replace(settings.training(), command=shlex.join(["python", "-m", "viz_core", *sys.argv[1:]]))
    figures = train(training, out, lambda figures: print(json.dumps(figures), file=sys.stderr, flush=True))
    return {"model": training.name, "data": training.data, **figures}


def _limits() -> Limits:
    """Those of the environment. Unless set there, who sits at the machine is not limited like a visitor of the page."""
    usual = limits()
    return replace(
        usual,
        **({} if os.environ.get(MINUTES) else {"longest_minutes": _NO_LIMIT}),
        **({} if os.environ.get(PER_VISITOR) else {"most_queued_per_owner": _NO_LIMIT}),
    )


def _follow(run: Run, say: Translator) -> Run:
    """The run once it is over; each evaluation becomes a line on stderr. Ctrl-C asks the run to stop, and waits for
    that; a second one leaves it."""
    read, position, asked = 0, 0, False
    while True:
        try:
            run = jobs.read(run.id)
            rows, read = jobs.metrics(run, read)
            for row in rows:
                print(json.dumps(row), file=sys.stderr, flush=True)
            if run.over:
                return run
            if run.position > 1 and run.position != position:
                position = run.position
                print(say("cli.waiting", run=run.id, position=position), file=sys.stderr, flush=True)
            time.sleep(_LOOK)
        except KeyboardInterrupt:
            if asked:
                raise Failure("cli.detached", run=run.id) from None
            asked = True
            jobs.stop(run.id)
            print(say("cli.stopping"), file=sys.stderr, flush=True)


def _row(run: Run, say: Translator) -> dict:
    """What a list says of a run."""
    request, status = run.request, run.status
    best = status.best and {name: status.best.get(name) for name in _OF_THE_BEST}
    return {
        "run": run.id,
        "name": run.name,
        "kind": request.kind,
        "task": request.settings.get("task"),
        "state": status.state,
        "place": run.position,
        "step": status.step,
        "total": status.total,
        "eta": status.eta,
        "device": status.device,
        "best": best,
        "message": say(status.message) if status.message else None,
    }
