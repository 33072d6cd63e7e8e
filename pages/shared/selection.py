"""The explorer's selection, as the strings that stand in the session and in the link."""

import re
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from pages.shared import history
from pages.shared.cache import input_statistics
from pages.shared.models import find_model
from pages.shared.tasks import PAGES, first_head
from viz_core.analysis.heads.statistics import copying_head
from viz_core.analysis.selection import BLOCKS, SPECIAL_CHOICES
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Explanation

REFERENCE_KEYS = ("ref_model", "ref_head", "ref_a", "ref_b", "ref_mode")  # of a reference to compare with, if any
COMPARISONS = ("", "difference", "side")  # how; empty for side by side, until it is selected
NO_REFERENCE = dict.fromkeys(REFERENCE_KEYS, "")
PRESENTED = ("heatmap", "links")  # the view that fills the window with all heads, in a presentation
# Of all heads, else by number.
ORDERS = (
    *("selected", "previous", "next", "self", "same", "cls", "sep", "punctuation"),
    *("first", "duplicate", "induction", "entropy", "distance"),
)
MOSTLY_ABSENT = {**NO_REFERENCE, "present": "", "order": "", "measure": ""}
TOKEN_KEYS = ("query", "key")  # refer to tokens of one text and mean nothing in another
SCALES = ("linear", "sqrt", "log")
LIMITS = ("full", "own")  # of the colours
_CHOICES = "choices"  # key in the session
_HEAD = re.compile(r"(\*|[0-9]{1,3})\.(\*|[0-9]{1,3})")


def selection(explanation: Explanation) -> dict[str, str]:
    """The session's selection, else the link's, else the defaults; query and key only if selected in this input. After
    the browser went back or forward, the link's."""
    this_input = _input_key(explanation)
    linked = this_input, st.query_params.to_dict()
    its_input, selected = linked if history.goes_back() else st.session_state.get(_state_key(explanation.task), linked)
    if its_input != this_input:
        selected = {name: value for name, value in selected.items() if name not in TOKEN_KEYS}
    return defaults(explanation) | valid_choices(selected, explanation)


def reference(model: str, texts: Sequence[str] = (), head: str = "", mode: str = "") -> dict[str, str]:
    """The part of a selection that names the reference to compare with. texts: empty for the texts that are shown,
    whatever they are. head: empty for the same number. mode: of COMPARISONS."""
    first, second, *_ = (*texts, "", "")
    return dict(zip(REFERENCE_KEYS, (model, head, first, second, mode), strict=True))


def for_link(selected: Mapping[str, str], fits: Callable[[str], bool]) -> dict[str, str]:
    """The selection with what it does not name as empty, as the reference is if its texts do not fit into a link."""
    fit = fits(selected.get("ref_a", "")) and fits(selected.get("ref_b", ""))
    return {**MOSTLY_ABSENT, **selected, **({} if fit else NO_REFERENCE)}


def select(info: CheckpointInfo, texts: Sequence[str], selected: Mapping[str, str]) -> None:
    """Sets what is selected when this input is opened."""
    st.session_state[_state_key(info.task)] = ((info.name, tuple(texts)), dict(selected))


def defaults(explanation: Explanation) -> dict[str, str]:
    """The selection at first, in the format of viz_core/explorer/source/explorer/selection.js."""
    return {
        "head": _first_head(explanation),
        "query": first_query(explanation) or ("1" if explanation.pooling == "cls" else "all"),
        "key": "",
        "unit": _units(explanation)[0],
        "special": "shown",
        "block": "all",
        "scale": "linear",
        "limit": "full",
        "direction": "from",
        "views": "12",
    }


def _first_head(explanation: Explanation) -> str:
    """The head that is shown at first: of a language model the one that copies, where there is something to copy."""
    layers, head_count = explanation.attention.shape[:2]
    preferred = first_head(explanation.task, explanation.model)
    if explanation.kind == "causal" and (copying := copying_head(input_statistics(explanation))):
        return f"{copying[0] + 1}.{copying[1] + 1}"
    return preferred if parse_heads(preferred, layers, head_count) else f"{layers}.1"


def first_query(explanation: Explanation) -> str:
    """The token that teaches most in the first example, in causal attention the last, which predicts the next one, from
    1; empty in other texts."""
    if explanation.kind == "causal":
        return str(len(explanation.encoding.tokens))
    page, tokens = PAGES.get(explanation.task), explanation.encoding.tokens
    if page and explanation.encoding.texts == page.first_texts and page.first_query in tokens:
        return str(tokens.index(page.first_query) + 1)
    return ""


def valid_choices(values: Mapping[str, object], explanation: Explanation) -> dict[str, str]:
    """The values that can be selected in this input; values that are mistyped or of another model are dropped."""
    layers, head_count, tokens, _ = explanation.attention.shape
    units, positions = _units(explanation), [str(position) for position in range(1, tokens + 1)]
    choices = {
        "query": ["all", *positions],
        "key": ["", *positions],
        "unit": units,
        "special": SPECIAL_CHOICES,
        "block": BLOCKS if len(explanation.encoding.texts) == 2 else ["all"],
        "scale": SCALES,
        "limit": LIMITS,
        "direction": ["from", "to"],
        "present": PRESENTED,
        "order": ORDERS,
        "measure": ["norms"],  # else weights
    }
    valid = {name: value for name, value in values.items() if name in choices and value in choices[name]}
    head, views = str(values.get("head")), str(values.get("views"))
    if parse_heads(head, layers, head_count):
        valid["head"] = head
    if re.fullmatch("[1-5]+", views):
        valid["views"] = "".join(sorted(set(views)))
    return valid | _valid_reference(values, explanation)


def _valid_reference(values: Mapping[str, object], explanation: Explanation) -> dict[str, str]:
    """The reference if it has as many texts as the task, or none; its head if its model has it. Whether there is such a
    model, the browser is told when it asks for it."""
    name, head, *texts, mode = (values.get(key) or "" for key in REFERENCE_KEYS)
    if not name or not all(isinstance(value, str) for value in (name, head, *texts, mode)):
        return {}
    if [bool(text) for text in texts] not in ([False, False], [True, len(explanation.encoding.texts) == 2]):
        return {}
    info = find_model(explanation.task, name)
    exists = info and parse_heads(head, info.settings.config.layers, info.settings.config.heads)
    return reference(
        name, [text for text in texts if text], head if exists else "", mode if mode in COMPARISONS else ""
    )


def parse_heads(link: str, layers: int, head_count: int) -> list[tuple[int | None, int | None]]:
    """Layer and head, from 0, of each `layer.head` in a link, None for `*`; an empty list if any does not exist."""
    heads = []
    for part in link.split(" "):
        match = _HEAD.fullmatch(part)
        if match is None:
            return []
        layer, head = (None if number == "*" else int(number) - 1 for number in match.groups())
        if not (layer is None or 0 <= layer < layers) or not (head is None or 0 <= head < head_count):
            return []
        heads.append((layer, head))
    return heads


def _units(explanation: Explanation) -> tuple[str, ...]:
    """The units to group tokens by, the default first: those of a single text may be pieces of words, or words
    already."""
    encoding = explanation.encoding
    if len(encoding.texts) == 2:
        return ("word", "token")
    return ("token", "word") if encoding.words[-1] + 1 < len(encoding.tokens) else ("token",)


def remember(explanation: Explanation, selected: Mapping[str, str]) -> None:
    """Stores the selection made in this input."""
    st.session_state[_state_key(explanation.task)] = (_input_key(explanation), selected)


def choose_head(explanation: Explanation, layer: int, head: int) -> None:
    """Selects a head, from 0, in the explorer above; the next run of the whole page tells it."""
    remember(explanation, {**selection(explanation), "head": f"{layer + 1}.{head + 1}"})
    st.session_state[_CHOICES] = choices() + 1


def compare_head(explanation: Explanation, layer: int, head: int, model: str, texts: Sequence[str]) -> None:
    """Selects a head, from 0, beside the same one of another text."""
    remember(explanation, {**selection(explanation), **reference(model, texts, mode="side")})
    choose_head(explanation, layer, head)


def choices() -> int:
    """How often the visitor has selected a head below the explorer."""
    return st.session_state.get(_CHOICES, 0)


def _input_key(explanation: Explanation) -> tuple:
    return explanation.model, explanation.encoding.texts


def _state_key(task: str) -> str:
    return f"selection_{task}"
