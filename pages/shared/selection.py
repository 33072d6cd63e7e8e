"""What is selected in the explorer, kept in the session and in the link, in the short form of the link."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st

from pages.shared.tasks import PAGES
from viz_core.analysis.selection import BLOCKS, SPECIAL_CHOICES
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Explanation

OF_ONE_INPUT = ("query", "key")  # what names tokens of the text, and means nothing in another
SCALES = ("sqrt", "linear", "log")
_HEAD = re.compile(r"(\*|[0-9]{1,3})\.(\*|[0-9]{1,3})")


def selection(explanation: Explanation) -> dict[str, str]:
    """The session's selection, else the link's, else the defaults; a query or key only of the input that it was made in."""
    given = _input(explanation)
    made_in, chosen = st.session_state.get(_state(explanation.task), (given, st.query_params.to_dict()))
    if made_in != given:
        chosen = {name: value for name, value in chosen.items() if name not in OF_ONE_INPUT}
    return defaults(explanation) | fitting(chosen, explanation)


def select(info: CheckpointInfo, texts: Sequence[str], chosen: Mapping[str, str]) -> None:
    """What is to be selected when this input is opened, in the short form of the link."""
    st.session_state[_state(info.task)] = ((info.name, tuple(texts)), dict(chosen))


def defaults(explanation: Explanation) -> dict[str, str]:
    """What is selected unless somebody says otherwise, in the short form of viz_core/explorer/source/explorer/selection.js."""
    layers, count = explanation.attention.shape[:2]
    first = PAGES[explanation.task].first_heads.get(explanation.model, "")
    return {
        "head": first if parsed(first, layers, count) else f"{layers}.1",
        "query": "1" if explanation.pooling == "cls" else "all",
        "key": "",
        "unit": _units(explanation)[0],
        "special": "shown",
        "block": "all",
        "scale": "sqrt",
        "direction": "from",
        "views": "12345",
    }


def fitting(values: Mapping[str, object], explanation: Explanation) -> dict[str, str]:
    """Those of the values that can be selected in this input; what is mistyped, or of another model, is passed over."""
    layers, count, tokens, _ = explanation.attention.shape
    units, places = _units(explanation), [str(place) for place in range(1, tokens + 1)]
    choices = {
        "query": ["all", *places],
        "key": ["", *places],
        "unit": units,
        "special": SPECIAL_CHOICES,
        "block": BLOCKS if len(units) > 1 else ["all"],
        "scale": SCALES,
        "direction": ["from", "to"],
    }
    kept = {name: value for name, value in values.items() if name in choices and value in choices[name]}
    head, views = str(values.get("head")), str(values.get("views"))
    if parsed(head, layers, count):
        kept["head"] = head
    if re.fullmatch("[1-5]+", views):
        kept["views"] = "".join(sorted(set(views)))
    return kept


def parsed(link: str, layers: int, count: int) -> list[tuple[int | None, int | None]]:
    """Layer and head of each `layer.head` of a link, from 0, None for all; nothing where one of them is not there."""
    found = []
    for part in link.split(" "):
        match = _HEAD.fullmatch(part)
        if match is None:
            return []
        layer, head = (None if number == "*" else int(number) - 1 for number in match.groups())
        if not (layer is None or 0 <= layer < layers) or not (head is None or 0 <= head < count):
            return []
        found.append((layer, head))
    return found


def _units(explanation: Explanation) -> tuple[str, ...]:
    """How tokens can be read, the usual way first: in a review, a token is a word."""
    return ("word", "token") if len(explanation.encoding.texts) == 2 else ("token",)


def remember(explanation: Explanation, selected: Mapping[str, str]) -> None:
    """What is selected from now on, in this input."""
    st.session_state[_state(explanation.task)] = (_input(explanation), selected)


def _input(explanation: Explanation) -> tuple:
    return explanation.model, explanation.encoding.texts


def _state(task: str) -> str:
    return f"selection_{task}"
