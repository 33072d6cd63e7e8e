"""Makes a task of a table, and trains on it: an encoder, and two models without attention to compare it with."""

import time
from contextlib import suppress
from dataclasses import asdict

from pages.own_data import table
from pages.own_data.settings import OwnSettings
from pages.shared import ownership
from viz_core.datasets.own import Understanding
from viz_core.records import Failure
from viz_core.tasks import own
from viz_core.tasks.own.definition import Definition, define
from viz_core.tasks.own.limits import check_number, expiry
from viz_core.training import door

ENCODER, *BASELINES = PRESETS = ("small", "tfidf", "bag")
_TITLE = 50  # characters of the title in the name of a run


def start(understood: Understanding, settings: OwnSettings) -> None:
    """Creates the task and queues its trainings. Raises Failure; nothing of the task is left then."""
    owner, now = ownership.visitor(), time.time()
    check_number(owner)
    definition = define(understood, **asdict(settings), owner=owner, created=now, expires=expiry(now))
    own.create(definition, understood.rows)
    try:
        door.submit_together(_trainings(definition), None, owner, experiment=definition.title)
    except Exception:
        with suppress(Failure):
            door.delete_task(definition.name)
        raise
    table.forget()


def _trainings(definition: Definition) -> list[door.TrainingSettings]:
    return [
        door.TrainingSettings(
            definition.name,
            preset,
            f"{definition.title[:_TITLE].strip()} {preset}",
            "sample",
            pinned=_pinned(definition) if preset == ENCODER else (),
        )
        for preset in PRESETS
    ]


def _pinned(definition: Definition) -> tuple[tuple[str, ...], ...]:
    """The inputs of the first behavioural tests, as many as a training can watch."""
    pinned, characters = [], 0
    for test in definition.tests[: door.MAX_PINNED]:
        characters += sum(len(text) + 1 for text in test[:-1])
        if characters <= door.MAX_PINNED_CHARACTERS:
            pinned.append(test[:-1])
    return tuple(pinned)
