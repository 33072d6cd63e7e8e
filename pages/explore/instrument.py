"""Text boxes, prediction and explorer as one component: what it is opened with, and what it reports at rest.

While a person types, the browser asks `POST explorer/explain` and draws by itself. The page hears of a text once the
keys rest; the component keeps what it was opened with, because the browser has drawn something newer.
"""

import streamlit as st

from pages.routes import explain
from pages.routes.packed import pack_input
from pages.routes.requests import are_texts
from pages.shared import history, links
from pages.shared.cache import explain_input
from pages.shared.component import component, follow_theme
from pages.shared.inputs import box_values
from pages.shared.opening import open_inside
from pages.shared.selection import MOSTLY_ABSENT, defaults, for_link, remember, selection, valid_choices
from pages.shared.tasks import TaskPage
from pages.shared.visitor import page_theme, translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.packing import pack_header
from viz_core.explorer.shared import appearance
from viz_core.records import Explanation, Failure
from viz_core.text.length import MAX_CHARACTERS, cut_text

# Events, not state: selecting the same again after a change of text is reported, too.
_EVENTS = ("texts", "selection", "theme", "inside")
_instrument = component("explorer", '<div class="instrument"></div><div class="explorer"></div>', _EVENTS)


def current_texts(record: TaskPage) -> list[str]:
    """The texts in the boxes as far as the page knows, cut: the session's, else the link's, else the first example."""
    for box, first in zip(record.boxes, record.first_texts, strict=True):
        links.restore(box, first, cut_text)
    return [st.session_state[box] for box in record.boxes]


def pack_opening(record: TaskPage, info: CheckpointInfo) -> bytes:
    """What the component is opened with: boxes and examples, and the input, or why the model cannot read it."""
    say, texts = translator(), current_texts(record)
    fields = {
        "boxes": [record.box_name(say, number) for number in range(len(record.boxes))],
        "examples": [
            {
                "label": record.sentence(say, f"example_{name}", name),
                "texts": texts,
                "gloss": record.sentence(say, f"gloss_{name}", "").splitlines(),  # a line for each box, or a remark
            }
            for name, texts in record.examples
        ],
        "texts": texts,
        "limit": links.LINKED_CHARACTERS,
        "most": MAX_CHARACTERS,
        "refusal": "",
        "request": {"url": explain.PATH, "body": {"task": record.task, "model": info.name, "language": say.language}},
    }
    try:
        explanation = explain_input(info, *texts)
        selected, turns = selection(explanation), history.turns()
        return pack_input(info, explanation, say, page_theme(), selected, turns, instrument=fields)
    except Failure as failure:
        fields["refusal"] = say(failure.message)
        header = {**appearance(say, page_theme(), "explorer", "instrument"), "turns": history.turns()}
        return pack_header({**header, "instrument": fields})


def mount_instrument(record: TaskPage, info: CheckpointInfo, data: bytes) -> Explanation | None:
    """Draws the component, writes texts and selection into the link, and returns the explanation of the texts, if any.

    Call in a fragment: a report then reruns the fragment alone, and because `data` is unchanged, Streamlit sends a
    reference in place of up to 1 MB.
    """
    event = _instrument(key=record.component, data=data)
    selected = event.selection
    match event.texts:
        case {"texts": [*texts], "selection": dict(selected)} if are_texts(texts) and len(texts) == len(record.boxes):
            st.session_state.update(box_values(record, [*map(cut_text, texts)]))
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
    follow_theme(event)
    return explanation
