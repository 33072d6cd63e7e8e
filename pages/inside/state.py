"""What is selected on the page about the inside of attention, as strings, in the session and in the link."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from pages.inside.touch_link import to_link
from pages.routes.inside import read_changes
from pages.shared import history
from pages.shared.cache import explain_input
from pages.shared.kinds import page_kind
from pages.shared.opening import INSIDE_STATE
from pages.shared.selection import first_query
from pages.shared.tasks import PAGES, first_head
from viz_core.analysis.inside.passes import Selected
from viz_core.checkpoints import CheckpointInfo
from viz_core.records.translation import Kind

FIRST = {"kind": "", "head": "", "query": "", "key": "", "step": "", "touch": ""}  # empty: what `find_weight` chooses
_HEAD, _TOKEN, _STEP = (
    re.compile(r"([1-9]\d{0,2})\.([1-9]\d{0,2})"),
    re.compile(r"[1-9]\d{0,3}"),
    re.compile("[a-z_]{1,30}"),
)


def current_state(task: str) -> dict[str, str]:
    """What is set: the session's, else the link's; after the browser went back or forward, the link's. Of what was set
    in another task only the step."""
    held = None if history.goes_back() else st.session_state.get(INSIDE_STATE)
    if held is None:
        return FIRST | _texts(st.query_params.to_dict())
    its_task, state = held
    return FIRST | _texts(state if its_task == task else {"step": state.get("step")})


def remember(task: str, state: Mapping[str, str]) -> None:
    st.session_state[INSIDE_STATE] = task, dict(state)


def find_weight(
    info: CheckpointInfo, texts: Sequence[str], attention: Mapping[str, np.ndarray], state: Mapping[str, str]
) -> Selected:
    """The weight that is selected; in place of what this input does not have, that of the first head shown elsewhere,
    `opening_query`, and the key with the largest weight. attention: by kind, `(L, H, Q, K)`."""
    kind = state["kind"] if state["kind"] in attention else first_kind(info, attention)
    weights = attention[kind]
    layers, heads, queries, keys = weights.shape
    layer, head = find_head(info, state, layers, heads)
    query, key = _token(state["query"], queries), _token(state["key"], keys)
    query = opening_query(info, texts, attention) if query is None else query
    return Selected(kind, layer, head, query, int(weights[layer, head, query].argmax()) if key is None else key)


def find_head(info: CheckpointInfo, state: Mapping[str, str], layers: int, heads: int) -> tuple[int, int]:
    """Layer and head that are selected, from 0; in place of one that the model does not have, that of the first head
    shown elsewhere."""
    for link in (state["head"], first_head(info.task, info.name)):
        match = _HEAD.fullmatch(link)
        if match and int(match[1]) <= layers and int(match[2]) <= heads:
            return int(match[1]) - 1, int(match[2]) - 1
    return layers - 1, 0


def first_kind(info: CheckpointInfo, attention: Mapping[str, np.ndarray]) -> Kind:
    """The attention that is shown first."""
    return page_kind(info.task).inside.first_kind or next(iter(attention))


def opening_query(info: CheckpointInfo, texts: Sequence[str], attention: Mapping[str, np.ndarray]) -> int:
    """The query that is shown first: in the first example that of its page, else the first token. Of a model with
    causal attention alone it is the last, which can attend to every token; the first could attend only to itself."""
    kind, page = first_kind(info, attention), PAGES.get(info.task)
    if kind == "causal":
        return attention[kind].shape[2] - 1
    if page and page.first_query and tuple(texts) == page.first_texts:
        return int(first_query(explain_input(info, *texts)) or 1) - 1
    return 0


def read_report(fields: object) -> dict[str, str] | None:
    """What the component reports; None if it reports nothing."""
    if not isinstance(fields, dict):
        return None
    try:
        touch = to_link(read_changes(fields.get("changes", {})))
    except (TypeError, ValueError, OverflowError):
        return None
    return FIRST | _texts({**fields, "touch": touch})


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    """The values that are well-formed; the others are dropped."""
    forms = {
        "kind": _STEP,
        "head": _HEAD,
        "query": _TOKEN,
        "key": _TOKEN,
        "step": _STEP,
        "touch": re.compile(".{1,2000}"),
    }
    return {
        name: values[name]
        for name, form in forms.items()
        if isinstance(values.get(name), str) and form.fullmatch(values[name])
    }


def _token(value: str, tokens: int) -> int | None:
    return int(value) - 1 if _TOKEN.fullmatch(value) and int(value) <= tokens else None
