"""Text boxes, prediction and explorer as one component: what it is opened with, and what it reports at rest.

While a person types, the browser asks `POST explorer/explain` and draws by itself. The page hears of a text once the
keys rest; the component keeps what it was opened with, because the browser has drawn something newer.
"""

from contextlib import suppress
from functools import partial

import streamlit as st

from pages.explore.whatif import open_test
from pages.routes import explain, whatif
from pages.routes.packed import pack_input
from pages.routes.requests import are_texts
from pages.shared import history, links
from pages.shared.cache import explain_input
from pages.shared.component import component, follow_theme
from pages.shared.heads import open_head
from pages.shared.inputs import box_values, kept_key, typed_texts
from pages.shared.kinds import page_kind
from pages.shared.opening import TEXTS_OF, open_input, open_inside
from pages.shared.own_tasks import task_theme
from pages.shared.selection import (
    MOSTLY_ABSENT,
    choices,
    defaults,
    for_link,
    parse_heads,
    remember,
    selection,
    valid_choices,
)
from pages.shared.surveys import is_surveyed
from pages.shared.tasks import TaskPage
from pages.shared.visitor import translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.packing import pack_header
from viz_core.explorer.shared import appearance
from viz_core.records import Explanation, Failure, Message
from viz_core.text.length import MAX_CHARACTERS, cut_text, text_name

# Events, not state: selecting the same again after a change of text is reported, too.
_EVENTS = ("texts", "selection", "theme", "inside", "corpus", "test")
_instrument = component("explorer", '<div class="instrument"></div><div class="explorer"></div>', _EVENTS)
_COMPACT = '<div class="instrument compact"></div><div class="explorer compact"></div>'
_compact = component("compact", _COMPACT, _EVENTS, bundle="explorer")


def current_texts(record: TaskPage) -> list[str]:
    """The texts in the boxes as far as the page knows, cut: the session's, else the link's, else the first example.

    Boxes of several tasks have one key: a task that is opened after another has the texts that it had before.
    """
    if st.session_state.get(TEXTS_OF, record.task) != record.task and not set(record.boxes) & set(st.query_params):
        for box in record.boxes:
            st.session_state.pop(box, None)
        st.session_state.update(st.session_state.get(kept_key(record), {}))
    for box, first in zip(record.boxes, record.first_texts, strict=True):
        links.restore(box, first, cut_text)
    texts = [st.session_state[box] for box in record.boxes]
    st.session_state.update({TEXTS_OF: record.task, kept_key(record): dict(box_values(record, texts))})
    return texts


def pack_opening(record: TaskPage, info: CheckpointInfo, compact: bool = False) -> bytes:
    """What the component is opened with: boxes and examples, and the input, or why the model cannot read it.

    compact: what is selected is what the page of the task shows at first, drawn as links.
    """
    say = translator()
    texts = typed_texts(record) if compact else current_texts(record)
    fields = {
        "boxes": [record.box_name(say, number) for number in range(len(record.boxes))],
        "examples": [
            {
                "label": record.sentence(say, f"example_{name}", name),
                "texts": texts,
                "gloss": record.gloss(say, name, texts),
            }
            for name, texts in record.examples
            if all(texts)
        ],
        "texts": texts,
        "limit": links.LINKED_CHARACTERS,
        "most": MAX_CHARACTERS,
        "refusal": "",
        "blank": [say(Message("text.blank", {"where": text_name(number, len(texts))})) for number in range(len(texts))],
        "request": {"url": explain.PATH, "body": {"task": record.task, "model": info.name, "language": say.language}},
        "test": _test_request(record, info),
        "corpus": not compact and is_surveyed(info),
    }
    try:
        explanation = explain_input(info, *texts)
        selected = {**defaults(explanation), "views": "4"} if compact else selection(explanation)
        counts = history.turns(), choices()
        return pack_input(info, explanation, say, task_theme(record.task), selected, *counts, instrument=fields)
    except Failure as failure:
        fields["refusal"] = say(failure.message)
        header = {
            **appearance(say, task_theme(record.task), "explorer", "instrument"),
            "turns": history.turns(),
            "choices": choices(),
        }
        return pack_header({**header, "instrument": fields})


def mount_compact(record: TaskPage, info: CheckpointInfo, data: bytes) -> None:
    """Draws the component on a page that is not that of the task; the page of the task gets what was typed, and the
    doors lead there."""
    event = _compact(key=f"compact_{record.task}", data=data, texts=partial(_keep_texts, record))
    match event.test:
        case {"texts": [*texts], "changes": dict(changes)} if are_texts(texts):
            with suppress(Failure):
                open_test(explain_input(info, *map(cut_text, texts)), changes)
                open_input(info, [*map(cut_text, texts)])
    match event.inside:
        case {"texts": [*texts], "selection": dict(weight)} if are_texts(texts):
            open_inside(info, [*map(cut_text, texts)], weight)
    follow_theme(event)


def _keep_texts(record: TaskPage, reported: object) -> None:
    """Keeps in the session what was typed into the boxes."""
    match reported:
        case {"texts": [*texts]} if are_texts(texts) and len(texts) == len(record.boxes):
            boxes = box_values(record, [*map(cut_text, texts)])
            st.session_state.update({**boxes, TEXTS_OF: record.task, kept_key(record): dict(boxes)})


def _test_request(record: TaskPage, info: CheckpointInfo) -> dict | None:
    """Where the browser asks for the prediction after changes; None of a model without classes or attention."""
    config = info.settings.config
    if not (config.classes and config.layers and "whatif" in page_kind(record.task).routes):
        return None
    return {"url": whatif.PATH, "body": {"task": record.task, "model": info.name}}


def mount_instrument(record: TaskPage, info: CheckpointInfo, data: bytes) -> Explanation | None:
    """Draws the component, writes texts and selection into the link, and returns the explanation of the texts, if any.

    Call in a fragment: a report then reruns the fragment alone, and because `data` is unchanged, Streamlit sends a
    reference in place of up to 1 MB.
    """
    event = _instrument(key=record.component, data=data, texts=partial(_keep_texts, record))
    selected = event.selection
    match event.texts:
        case {"selection": dict(selected)}:
            pass
    texts = current_texts(record)
    link, first_texts = box_values(record, texts), box_values(record, record.first_texts)
    try:
        explanation = explain_input(info, *texts)
    except Failure:  # the component says why
        explanation = None
        links.write(link, first_texts)
    else:
        first = defaults(explanation)
        selected = first | valid_choices(selected, explanation) if selected else selection(explanation)
        remember(explanation, selected)
        links.write({**link, **for_link(selected, links.fits_into_link)}, {**first_texts, **MOSTLY_ABSENT, **first})
    match event.inside:
        case {"texts": [*weight_texts], "selection": dict(weight)} if are_texts(weight_texts):
            open_inside(info, [*map(cut_text, weight_texts)], weight)
    match event.corpus:
        case {"head": str(head)} if (
            explanation and len(heads := parse_heads(head, *explanation.attention.shape[:2])) == 1
        ):
            if None not in heads[0]:
                open_head(info, head, explanation.kind)
    match event.test:
        case {"texts": [*tested], "changes": dict(changes)} if explanation and tested == [*explanation.encoding.texts]:
            open_test(explanation, changes)
    follow_theme(event)
    return explanation
