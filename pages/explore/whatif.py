"""What-if: the prediction after a head, a token or a row of attention is changed.

The browser sends every change to `POST explorer/interventions`, and reports it to the page at rest, for the link.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pages.explore.attributions import pick_target
from pages.explore.whatif_link import NO_CHANGES, from_link, row_from_link, row_to_link, to_link
from pages.routes import whatif
from pages.routes.requests import read_indices
from pages.routes.whatif import read_changes, write_changes
from pages.shared import history, links
from pages.shared.cache import load_model
from pages.shared.component import component
from pages.shared.head_names import given
from pages.shared.opening import evidence_openings, open_evidence
from pages.shared.own_tasks import task_theme
from pages.shared.selection import parse_heads, selection
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.whatif import Changes, Row, check_changes
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.whatif import whatif_data
from viz_core.records import Explanation, Failure, Message

NOTHING = {**NO_CHANGES, "row": ""}  # in the link

_whatif = component("whatif", '<div class="explorer whatif"></div>', ["changes"])


@dataclass(frozen=True, eq=False)
class _Whatif:
    """What is changed. row: the row that is shown; None for the one that is selected in the explorer. refusal: why the
    changes of the link are not made."""

    changes: Changes
    row: Row | None = None
    refusal: Message | None = None


def open_test(explanation: Explanation, fields: Mapping) -> None:
    """Opens what-if with these changes, fields of a request, in place of earlier ones; what is no change is ignored."""
    if current := _read_report(dict(fields)):
        st.session_state[_key(explanation)] = (explanation.model, explanation.encoding.texts), current
        open_evidence("whatif")


def whatif_section(info: CheckpointInfo, explanation: Explanation) -> None:
    """Draws what-if for one input, with the changes of the session or the link, and writes them into the link."""
    say, texts = translator(), explanation.encoding.texts
    first_row = _selected_row(explanation) if explanation.has_attention else None
    current, notes = _current(info, explanation), st.container()
    target = pick_target(explanation)
    request = {"url": whatif.PATH, "body": {"task": explanation.task, "model": info.name, "texts": list(texts)}}
    data = whatif_data(
        explanation,
        say,
        task_theme(explanation.task),
        request,
        current.row or first_row,
        write_changes(current.changes),
        history.turns() + evidence_openings(),
        tracked=explanation.labels.index(target) if target else None,
        replaces=load_model(info).text_encoder.unknown_id >= 0,
        names=given(info),
    )
    event = _whatif(key=f"whatif_{explanation.task}", data=data)
    current = _read_report(event.changes) or current
    st.session_state[_key(explanation)] = (explanation.model, texts), current
    if current.refusal:
        notes.warning(
            escape_markdown(say("whatif.link_refused", reason=say(current.refusal))), icon=":material/link_off:"
        )
    link = _link(info, explanation, current, first_row)
    if (length := sum(map(len, link.values()))) > links.LINKED_CHARACTERS:
        notes.caption(say("whatif.not_in_link", count=length, limit=links.LINKED_CHARACTERS))
        link = NOTHING
    links.write(link, NOTHING)


def _current(info: CheckpointInfo, explanation: Explanation) -> _Whatif:
    """The changes of the session, if they were made in this input; those of the link when it is opened; else none."""
    its_input, current = st.session_state.get(_key(explanation), (None, None))
    if its_input is None or history.goes_back():
        return _read_link(info, explanation, st.query_params.to_dict())
    return current if its_input == (explanation.model, explanation.encoding.texts) else _Whatif(Changes())


def _read_link(info: CheckpointInfo, explanation: Explanation, values: Mapping[str, str]) -> _Whatif:
    """What a link says; none of it if it does not fit this input."""
    try:
        changes = from_link(values, info.settings.config.heads)
        row = row_from_link(values["row"]) if values.get("row") else None
        check_changes(load_model(info), explanation.encoding, changes)
        if row is not None:  # a row that exists, whatever its weights
            uniform = [1 / len(explanation.encoding.tokens)] * len(explanation.encoding.tokens)
            check_changes(load_model(info), explanation.encoding, Changes(rows={row: uniform}))
    except Failure as failure:
        return _Whatif(Changes(), refusal=failure.message)
    return _Whatif(changes, row)


def _read_report(fields: object) -> _Whatif | None:
    """What the component reports; None if it reports nothing."""
    if not isinstance(fields, dict):
        return None
    try:
        row = fields.get("row")
        return _Whatif(read_changes(fields), row if row is None else read_indices(row, 3))
    except (TypeError, ValueError, OverflowError):
        return None


def _link(info: CheckpointInfo, explanation: Explanation, current: _Whatif, first_row: Row | None) -> dict[str, str]:
    """What is changed, as in the link; nothing while the changes are not possible, as the component says."""
    try:
        check_changes(load_model(info), explanation.encoding, current.changes)
    except Failure:
        return NOTHING
    row = "" if current.row in (None, first_row) else row_to_link(current.row)
    return {**to_link(current.changes, info.settings.config.heads), "row": row}


def _selected_row(explanation: Explanation) -> Row:
    """Layer, head and query from 0; of several selected heads, the first."""
    selected = selection(explanation)
    (layer, head), *_ = parse_heads(selected["head"], *explanation.attention.shape[:2])
    query = selected["query"]
    return layer or 0, head or 0, 0 if query == "all" else int(query) - 1


def _key(explanation: Explanation) -> str:
    return f"whatif_changes_{explanation.task}"
