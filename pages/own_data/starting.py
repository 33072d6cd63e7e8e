"""Makes a task of a table, and trains on it: an encoder, and two models without attention to compare it with."""

import time
from contextlib import suppress
from dataclasses import asdict

from pages.own_data import table
from pages.own_data.settings import OwnSettings
from pages.shared import ownership
from pages.shared.visitor import translator
from viz_core.datasets.own import Understanding
from viz_core.names import MAX_CHARACTERS
from viz_core.records import Failure
from viz_core.tasks import own
from viz_core.tasks.own.definition import Definition, define
from viz_core.tasks.own.limits import check_number, expiry
from viz_core.training import door

ENCODER = "encoder"
BASELINES = ("tfidf", "bag")
SHOWN = (ENCODER, *BASELINES)  # in this order


def start(understood: Understanding, settings: OwnSettings) -> None:
    """Creates the task and queues its trainings. Raises Failure; nothing of the task is left then."""
    owner, now = ownership.visitor(), time.time()
    check_number(owner)
    values = asdict(settings)
    preset = values.pop("preset")
    definition = define(understood, **values, owner=owner, created=now, expires=expiry(now))
    own.create(definition, understood.rows)
    try:
        door.submit_together(_trainings(definition, preset), None, owner, experiment=definition.title)
    except Exception:
        with suppress(Failure):
            door.delete_task(definition.name)
        raise
    table.forget()


def kind_of(preset: str) -> str:
    """What a training is shown as: any preset that is no baseline is an encoder."""
    return preset if preset in BASELINES else ENCODER


def _trainings(definition: Definition, encoder: str) -> list[door.TrainingSettings]:
    """The encoder is the last, and so the newest: the page of trainings opens with it."""
    return [
        door.TrainingSettings(
            definition.name,
            preset,
            _run_name(definition.title, preset),
            "sample",
            pinned=_pinned(definition) if preset == encoder else (),
        )
        for preset in (*BASELINES, encoder)
    ]


def _run_name(title: str, preset: str) -> str:
    """In the language of who trains: the title, and the model as the verdict calls it."""
    model = translator()(f"own_data.model_{kind_of(preset)}")
    return f"{title[: MAX_CHARACTERS - len(model) - 1].strip()} {model}"


def _pinned(definition: Definition) -> tuple[tuple[str, ...], ...]:
    """The inputs of the first behavioural tests, as many as a training can watch."""
    pinned, characters = [], 0
    for test in definition.tests[: door.MAX_PINNED]:
        characters += sum(len(text) + 1 for text in test[:-1])
        if characters <= door.MAX_PINNED_CHARACTERS:
            pinned.append(test[:-1])
    return tuple(pinned)
