"""`POST explorer/interventions`: what the model answers where something is changed, for what-if in the browser."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pages.routes.requests import answered, are_texts, named, parsed, refusal
from pages.shared.cache import explain_input, load_model
from viz_core.analysis.control import head_control
from viz_core.analysis.whatif import Changes, Row, head_effects, attention_row, predict_with_changes
from viz_core.checkpoints import Checkpoint
from viz_core.language import Translator
from viz_core.records import Explanation, Failure, HeadControl

PATH = "explorer/interventions"  # from the address of a page
HEADS, TOKENS = ("masked", "uniform"), ("removed", "deleted", "unknown", "blocked")


@dataclass(frozen=True)
class Asked:
    """task, model and texts name the input. row: of which the weights are wanted. control, effects: what else is."""

    task: str
    model: str
    texts: list[str]
    intervention: Changes
    row: Row | None
    control: bool
    effects: bool


async def interventions(request: Request) -> Response:
    """Answers `{"task", "model", "texts"}` with whatever of the following it holds, all counted from 0.

    Changes: `masked` and `uniform` heads `[[layer, head], …]`; `removed`, `deleted`, `unknown` and `blocked` tokens `[place, …]`;
    edited `rows` `[[layer, head, query, [weight, …]], …]`. Wishes: `row` `[layer, head, query]`, `control`, `effects`.
    """
    return await answered(request, _answer)


def _answer(body: bytes, say: Translator) -> Response:
    try:
        asked = _read(parsed(body))
    except (KeyError, TypeError, ValueError, OverflowError):
        return refusal(400, say("whatif.request_unreadable"))
    info = named(asked.task, asked.model)
    if info is None:
        return refusal(404, say("pages.request_unknown_model"))
    try:
        found = _found(load_model(info), explain_input(info, *asked.texts), asked)
    except Failure as failure:
        return refusal(422, say(failure.message))
    return JSONResponse(found)


def _found(checkpoint: Checkpoint, explanation: Explanation, asked: Asked) -> dict:
    encoding, one = explanation.encoding, asked.intervention
    changed = replace(explanation, probabilities=predict_with_changes(checkpoint, encoding, [one])[0])
    found = {
        "original": explanation.probabilities.tolist(),
        "probabilities": changed.probabilities.tolist(),
        "answer": changed.predicted,
    }
    if asked.row:
        found["row"] = np.round(attention_row(checkpoint, encoding, one, asked.row), 6).tolist()
    if asked.control:
        found["control"] = _said(head_control(checkpoint, encoding, one))
    if asked.effects:
        found["effects"] = head_effects(checkpoint, encoding).tolist()
    return found


def _said(control: HeadControl | None) -> dict | None:
    if control is None:
        return None
    return {
        "heads": control.heads,
        "draws": len(control.draws),
        "without": control.without,
        "changed": control.changed,
        "mean": control.mean,
        "spread": control.spread,
        "low": control.low,
        "high": control.high,
        "verdict": control.verdict,
    }


def _read(asked: object) -> Asked:
    """Raises KeyError, TypeError or ValueError where it is no such request."""
    if not isinstance(asked, dict) or not are_texts(_list(asked["texts"])):
        raise TypeError("not a request")
    heads = {name: frozenset(_place(head, 2) for head in _list(asked.get(name, []))) for name in HEADS}
    tokens = {name: frozenset(_place(_list(asked.get(name, [])))) for name in TOKENS}
    rows = {}
    for entry in _list(asked.get("rows", [])):
        *place, weights = _list(entry)
        if not {type(weight) for weight in _list(weights)} <= {int, float}:
            raise TypeError("weights are numbers")
        rows[_place(place, 3)] = np.array(weights, np.float64)
    row = asked.get("row")
    task, model = asked["task"], asked["model"]
    if not (isinstance(task, str) and isinstance(model, str)):
        raise TypeError("names are strings")
    return Asked(
        task,
        model,
        asked["texts"],
        Changes(**heads, **tokens, rows=rows),
        row and _place(row, 3),
        asked.get("control") is True,
        asked.get("effects") is True,
    )


def _list(found: object) -> list:
    if not isinstance(found, list):
        raise TypeError("not a list")
    return found


def _place(found: object, length: int | None = None) -> tuple[int, ...]:
    """Whole numbers, as many as asked for."""
    if any(type(number) is not int for number in _list(found)) or length not in (None, len(found)):
        raise TypeError("not places")
    return tuple(found)
