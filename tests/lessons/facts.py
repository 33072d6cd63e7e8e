"""What a card says of a shipped model, computed."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pages.shared.tasks import PAGES, TaskPage
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.analysis.whatif import Changes, predict_with_changes
from viz_core.checkpoints import FOLDER, Checkpoint
from viz_core.lessons import Card
from viz_core.records import Explanation
from viz_core.records.decisions import decide

KEYS = {"model", "text", "a", "b", "predicts", "probability", "head", "query", "key", "weight", "masked", "removed"}


def computed(card: Card, fact: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The values of a fact as they are, of `predicts`, `probability` and `weight` those it has, to two decimals."""
    assert not set(fact) - KEYS, fact
    page, link = card.state(language)
    record = next(record for record in PAGES.values() if record.url == page or record.task == link.get("task"))
    state = {**link, **fact}
    checkpoint = _load(record.task, state.get("model") or checkpoints.task_checkpoints(record.task, FOLDER)[0].name)
    explanation = _explain(record, checkpoint, state)
    values: dict[str, Any] = {}
    if "weight" in fact:
        layer, head = (int(number) - 1 for number in fact["head"].split("."))
        row, column = (_token(explanation, fact[name]) for name in ("query", "key"))
        values["weight"] = round(float(explanation.attention[layer, head, row, column]), 2)
    if "predicts" in fact:
        (probabilities,) = predict_with_changes(checkpoint, explanation.encoding, [_changes(explanation, fact)])
        predicted = int(decide(probabilities, explanation.threshold))
        values["predicts"] = explanation.labels[predicted]
        if "probability" in fact:
            values["probability"] = round(float(probabilities[predicted]), 2)
    return values


@cache
def _load(task: str, name: str) -> Checkpoint:
    return checkpoints.load(task, name, FOLDER)


def _explain(record: TaskPage, checkpoint: Checkpoint, state: Mapping[str, str]) -> Explanation:
    return explain(
        checkpoint, *(state.get(box, first) for box, first in zip(record.boxes, record.first_texts, strict=True))
    )


def _token(explanation: Explanation, token: str) -> int:
    return explanation.encoding.tokens.index(token)


def _changes(explanation: Explanation, fact: Mapping[str, Any]) -> Changes:
    layers, heads = explanation.attention.shape[:2]
    masked = [head.split(".") for head in fact.get("masked", "").split()]
    return Changes(
        masked=frozenset(
            (row, column)
            for layer, head in masked
            for row in (range(layers) if layer == "*" else [int(layer) - 1])
            for column in (range(heads) if head == "*" else [int(head) - 1])
        ),
        removed=frozenset(_token(explanation, token) for token in fact.get("removed", "").split()),
    )
