"""The page of translations. The browser draws it and asks `POST explorer/translate`; the page writes the link."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.routes import translate
from pages.shared import history, links
from pages.shared.component import component
from pages.shared.inputs import LINKED_CHARACTERS
from pages.shared.models import find_model
from pages.shared.opening import TRANSLATION_STATE, open_inside_translation
from pages.shared.pickers import pick_model
from pages.shared.visitor import page_theme, translator
from pages.translation.examples import EXAMPLES
from pages.translation.figures import figures
from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.alignment import NAME, read
from viz_core.evidence.results import read_result
from viz_core.explorer.shared import appearance
from viz_core.tasks import TRANSLATION_TASKS
from viz_core.text.length import MAX_CHARACTERS, cut_text

TASK = next(iter(TRANSLATION_TASKS))
TRAIN = f"python -m viz_core train --task {TASK} --name small"
# What is set on the page, as strings, in the link and in the session: as in source/translation/state.js, and in the
# explorer (source/explorer/selection.js).
FIRST = {
    "view": "generation",
    "decoding": "greedy",
    "temperature": "1",
    "seed": "0",
    "width": "4",
    "text": EXAMPLES[0][1],
    "reference": "",
    "fed": "",
    "masked": "",
    "blocked": "",
    "word": "",
    "kind": "cross",
    "head": "1.1",
    "query": "",
    "key": "",
    "unit": "token",
    "special": "shown",
    "block": "all",
    "scale": "sqrt",
    "direction": "from",
    "views": "12345",
    "present": "",
    "order": "",
    "measure": "",
}

_translation = component("translation", '<div class="instrument"></div><div class="explorer"></div>')


def translation() -> None:
    """Draws the page; without a model it says how to train one."""
    say = translator()
    st.title(say("translation.title"))
    note_column, model_column = st.columns([3, 2], vertical_alignment="center")
    note_column.caption(say("translation.note"))
    named = (find_model(TASK, str(values.get("model"))) for values in (st.session_state, st.query_params))
    if not checkpoints.task_checkpoints(TASK) and not any(named):
        st.info(say("translation.no_model", command=f"`{TRAIN}`"), icon=":material/model_training:")
        return
    with model_column:
        info = pick_model(TASK, label="collapsed", of_runs=True)
    if info:
        _mount(info, _opening(info), first_state(info))


def _opening(info: CheckpointInfo) -> dict:
    """What the component is opened with."""
    say, config = translator(), info.settings.model
    return {
        **appearance(say, page_theme(), "translation", "instrument"),
        "translation": {
            "examples": [
                {"label": say(f"translation.example_{name}"), "texts": [source], "reference": reference}
                for name, source, reference in EXAMPLES
            ],
            "limit": LINKED_CHARACTERS,
            "most": MAX_CHARACTERS,
            "turns": history.turns(),
            "layers": config.layers,
            "heads": config.heads,
            "link": current_state(info),
            "explorer": appearance(say, page_theme(), "explorer", "instrument")["catalogue"],
            "request": {"url": translate.PATH, "body": {"task": TASK, "model": info.name, "language": say.language}},
        },
    }


def current_state(info: CheckpointInfo) -> dict[str, str]:
    """What is set: the session's, else the link's, else the first example by greedy decoding. After the browser
    went back or forward, the link's."""
    held = None if history.goes_back() else st.session_state.get(TRANSLATION_STATE)
    return held or first_state(info) | _valid(st.query_params.to_dict())


def first_state(info: CheckpointInfo) -> dict[str, str]:
    """What is set at first; of the cross-attention the head that aligns words best, if that is known."""
    alignment = read(read_result(info.path, NAME))
    if alignment is None:
        return FIRST
    best = min(alignment.heads("produces"), key=lambda score: score.error_rate)
    return FIRST | {"head": f"{best.layer + 1}.{best.head + 1}"}


@st.fragment
def _mount(info: CheckpointInfo, data: dict, first: Mapping[str, str]) -> None:
    """The component, and what follows it. What it reports reruns this fragment alone. first: what is left out of the
    link."""
    event = _translation(
        key="translation", data=data, on_link_change=_ignore, on_theme_change=_ignore, on_inside_change=_ignore
    )
    state = current_state(info)
    if isinstance(event.link, dict):
        state = {**first, **_valid(event.link)}
    st.session_state[TRANSLATION_STATE] = state  # other pages take the link away
    links.write({name: value if _fits(value) else first[name] for name, value in state.items()}, first)
    match event.inside:
        case {"text": str(text), "outputs": [*outputs], **weight} if all(type(token) is int for token in outputs):
            open_inside_translation(info, cut_text(text), outputs, weight)
    figures(info, state)
    if event.theme:  # Streamlit does not rerun a page when the visitor switches to dark mode
        st.rerun()


def _valid(values: Mapping[str, object]) -> dict[str, str]:
    return {name: cut_text(value) for name, value in values.items() if name in FIRST and isinstance(value, str)}


def _fits(value: str) -> bool:
    """Whether a text is short enough for a link, and without half a character (a lone surrogate)."""
    return len(value) <= LINKED_CHARACTERS and value.encode("utf-8", "ignore").decode() == value


def _ignore() -> None:
    """Does nothing: Streamlit reports an event only if it has a callback."""
