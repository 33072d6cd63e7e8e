"""The command `models fetch`: the models that ship, but not in the wheel."""

import argparse
import os
from collections.abc import Sequence

from viz_core import checkpoints
from viz_core.checkpoints import FurtherModel, further_models
from viz_core.checkpoints.further import COMMAND
from viz_core.commands.output import Report
from viz_core.language import Translator
from viz_core.records import Failure
from viz_core.training.fetching import fetch as fetch_from
from viz_core.training.fetching import find_state
from viz_core.training.saved_models import restore_models
from viz_core.variables import MODELS_URL


def fetch(args: argparse.Namespace, say: Translator) -> Report:
    """Fetches models that ship but are not in the wheel, and checks them by SHA-256; without a name it lists them."""
    further = further_models()
    states: dict[str, str] = {name: find_state(model) for name, model in further.items()}
    if args.names:
        states = {name: states.get(name) or _state_of_other(name) for name in args.names}
        for model in (further[name] for name, state in states.items() if state == "taken"):
            raise Failure("fetching.taken", folder=str(checkpoints.find_folder(model.task, model.name)))
    wanted = [further[name] for name, state in states.items() if state == "missing"]
    if wanted and (args.names or args.all):
        _fetch(wanted, args.source or os.environ.get(MODELS_URL, ""))
        states |= {model.full_name: "fetched" for model in wanted}
        wanted = []
    sizes = {name: further[name].bytes if name in further else 0 for name in states}
    lines = [say(f"fetching.state_{state}", model=name, size=sizes[name] / 10**6) for name, state in states.items()]
    if wanted:
        lines.append(say("fetching.how", command=COMMAND))
    entries = [{"model": name, "state": state} for name, state in states.items()]
    return Report(entries, "\n".join(lines) or say("fetching.nothing"), failed=False)


def _state_of_other(name: str) -> str:
    """The state of a model that no wheel is built without.

    Raises:
        Failure: If there is no such model.
    """
    task, _, model = name.partition("/")
    if checkpoints.find_folder(task, model) is None:
        installed = [f"{info.task}/{info.name}" for info in checkpoints.list_checkpoints()[0]]
        raise Failure("fetching.unknown", name=name, known=sorted({*further_models(), *installed}))
    return "here"


def _fetch(models: Sequence[FurtherModel], source: str) -> None:
    if not source:
        raise Failure("fetching.no_source", variable=MODELS_URL)
    restore_models()  # what a fetch left that was killed
    try:
        fetch_from(models, source)
    except KeyboardInterrupt as interrupt:
        raise Failure("fetching.interrupted") from interrupt
