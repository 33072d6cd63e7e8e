"""The commands `train` and `runs`; runs are shared with the page."""

import argparse
import json
import os
import shlex
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

from viz_core import checkpoints
from viz_core.commands.corpora import select_data
from viz_core.evidence.requests import request_first_evidence
from viz_core.jobs import runs as jobs
from viz_core.jobs.limits import Limits, read_limits
from viz_core.jobs.runs import Run
from viz_core.language import Translator
from viz_core.models.baseline_configs import BagConfig, RecurrentConfig, TfidfConfig
from viz_core.models.config import EncoderConfig
from viz_core.models.decoder_config import DecoderConfig
from viz_core.recipes import Recipe
from viz_core.records import Failure
from viz_core.tasks import all_tasks, get_task
from viz_core.training import door
from viz_core.variables import RUN_MINUTES, RUNS_PER_VISITOR

_TASK_OPTIONS = ("vocabulary", "segments", "classes")  # set by the task and its corpus
_CONFIGS = (EncoderConfig, DecoderConfig, RecurrentConfig, BagConfig, TfidfConfig)


def _model_options() -> dict[str, Any]:
    """The type of each setting that some kind of model has; of choices, those of all kinds."""
    options: dict[str, Any] = {}
    for config in _CONFIGS:
        hints = get_type_hints(config)
        for name in (entry.name for entry in fields(config) if entry.name not in _TASK_OPTIONS):
            choices = dict.fromkeys((*get_args(options.get(name)), *get_args(hints[name])))
            options[name] = Literal[tuple(choices)] if choices else hints[name]
    return options


ENCODER_OPTIONS = _model_options()
RECIPE_OPTIONS = get_type_hints(Recipe)
ACTIONS = ("list", "show", "stop", "resume", "delete", "keep")
_OWNER = "command line"
_POLL_INTERVAL = 0.3  # seconds
_NO_LIMIT = 10**6


def train(args: argparse.Namespace, say: Translator) -> dict:
    """Trains a model into checkpoints/TASK/NAME, one line per evaluation; Ctrl-C stops it, --detach does not wait."""
    data, name = select_data(args, get_task(args.task)), _model_name(args)
    # Impossible settings raise a Failure here, before a run is submitted.
    settings = door.TrainingSettings(
        args.task,
        args.preset,
        name,
        data,
        overrides=explicit_options(args, ENCODER_OPTIONS),
        recipe=explicit_options(args, RECIPE_OPTIONS),
    )
    if args.estimate:
        return asdict(door.estimate(settings, _device(args, say)))
    out = door.model_folder(args.task, name, args.overwrite)
    if int(os.environ.get("WORLD_SIZE", 1)) > 1:
        return _train_distributed(replace(settings, device=args.device), out)
    run = door.submit(settings, _device(args, say), _OWNER, _limits())
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
    # Another training may have taken the name meanwhile.
    out = door.save_model(run, _model_name(args), args.overwrite, _OWNER)
    request_first_evidence(out, _OWNER)
    figures = json.loads((out / checkpoints.METRICS).read_text(encoding="utf-8"))["validation"]
    return {"model": out.name, "data": data, **figures, "run": run.id}


def runs(args: argparse.Namespace, say: Translator) -> dict | list[dict]:
    """Lists the runs, or acts on one of them: show, stop, resume, delete; keep saves its best checkpoint as a model."""
    if args.action == "list":
        return [_row(run, say) for run in jobs.list_runs()]
    if not args.run_id:
        raise Failure("cli.run_needed", action=args.action)
    if args.action == "delete":
        jobs.delete(args.run_id)
        return {"deleted": args.run_id}
    if args.action == "keep":
        run = jobs.read(args.run_id)
        out = door.save_model(run, args.name or "", args.overwrite, _OWNER)
        request_first_evidence(out, _OWNER)
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


def explicit_options(args: argparse.Namespace, options: Mapping) -> dict:
    """The options that the command line sets, by name."""
    return {name: getattr(args, name) for name in options if getattr(args, name) is not None}


def _model_name(args: argparse.Namespace) -> str:
    """`--name`, else the preset's name; numbered if that is taken and may not be overwritten."""
    if args.name or args.overwrite:
        return args.name or args.preset
    return door.free_name(args.task, args.preset)


def _device(args: argparse.Namespace, say: Translator) -> str:
    """The device of `--device`, by default the best one; says on stderr which devices cannot be used."""
    if args.device:
        return args.device
    device = door.best_device()
    for message in door.skipped_devices(device):
        print(say(message), file=sys.stderr, flush=True)
    return device


def _train_distributed(settings: door.TrainingSettings, out: Path) -> dict:
    """Train in this process, one of several that `torchrun` has started, instead of submitting a run."""
    from viz_core.training.train import train

    training = replace(settings.training(), command=shlex.join(["python", "-m", "viz_core", *sys.argv[1:]]))
    figures = train(training, out, lambda figures: print(json.dumps(figures), file=sys.stderr, flush=True))
    return {"model": training.name, "data": training.data, **figures}


def _limits() -> Limits:
    """The limits of the environment.

    Unlike for visitors of the page, time and queue are unlimited here by default.
    """
    limits = read_limits()
    return replace(
        limits,
        **({} if os.environ.get(RUN_MINUTES) else {"longest_minutes": _NO_LIMIT}),
        **({} if os.environ.get(RUNS_PER_VISITOR) else {"most_queued_per_owner": _NO_LIMIT}),
    )


def _follow(run: Run, say: Translator) -> Run:
    """Wait for a run and return it when it is over.

    Each evaluation is printed as a line of JSON on stderr. Ctrl-C asks the run to stop and goes on
    waiting; a second Ctrl-C stops waiting.

    Raises:
        Failure: At the second Ctrl-C.
    """
    offset, position, stop_requested = 0, 0, False
    while True:
        try:
            run = jobs.read(run.id)
            rows, offset = jobs.read_metrics(run, offset)
            for row in rows:
                print(json.dumps(row), file=sys.stderr, flush=True)
            if run.is_over:
                return run
            if run.position > 1 and run.position != position:
                position = run.position
                print(say("cli.waiting", run=run.id, position=position), file=sys.stderr, flush=True)
            time.sleep(_POLL_INTERVAL)
        except KeyboardInterrupt:
            if stop_requested:
                raise Failure("cli.detached", run=run.id) from None
            stop_requested = True
            jobs.stop(run.id)
            print(say("cli.stopping"), file=sys.stderr, flush=True)


def _row(run: Run, say: Translator) -> dict:
    """A run as a row of the list."""
    request, status = run.request, run.status
    measures = ["epoch", *(measure.name for task in all_tasks().values() for measure in task.kind.measures)]
    best = status.best and {name: status.best[name] for name in measures if name in status.best}
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
