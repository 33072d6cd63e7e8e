"""The page of language models: what a model expected at each token of a text, and how it goes on.

The browser draws it and asks `POST explorer/generate`.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial

import streamlit as st

from pages.generation.models import pick_language_model
from pages.routes import generate
from pages.shared import history, links, navigation
from pages.shared.cache import load_model
from pages.shared.component import component, follow_theme
from pages.shared.kinds import task_page
from pages.shared.opening import open_input
from pages.shared.tasks import TaskPage
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.context import written_text
from viz_core.analysis.generation import chat_text
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.shared import appearance
from viz_core.records import ELSEWHERE, OTHER, Failure, Message
from viz_core.text.chat import ChatFrame
from viz_core.text.length import MAX_CHARACTERS, cut_text, is_cut

URL = "language-model"
# Models from elsewhere; those of our tasks have the examples of their task.
_ELSEWHERE = TaskPage(
    OTHER,
    URL,
    ("text",),
    80,
    (
        ("story", ("Once upon a time there was a little",)),
        ("copy", ("My neighbour Vera Quist plays the cello. Every evening I hear Vera",)),
        ("copy_zh", ("小林喜欢喝绿茶。每天早上，小林喜欢喝",)),
        ("count", ("one two three four five",)),
        ("question", ("Which is heavier, a feather or a stone?",)),
    ),
    catalogue="generation",
)
# What is set on the page, as strings, in the link and in the session: as in source/generation/state.js.
_DEFAULTS = {
    "chat": "",
    "system": "",
    "turns": "",
    "written": "",
    "kept": "",
    "without": "",
    "decoding": "greedy",
    "temperature": "1",
    "top_k": "0",
    "top_p": "1",
    "seed": "0",
    "word": "",
}
_STATE = "generation_state"  # in the session
_generation = component("generation", '<div class="instrument"></div>', ("link", "theme", "explore"))


def language_models() -> None:
    """The picker of a model, and the text; where none is open, how to open one."""
    say = translator()
    st.title(say("generation.title"))
    pages_column, model_column = st.columns([3, 2], vertical_alignment="center")
    with pages_column:
        navigation.beside()
    with model_column:
        info = pick_language_model(URL)
    if info is None:
        st.info(say("generation.none"), icon=":material/folder_open:")
        navigation.link("models", say("generation.none_link"), icon=":material/arrow_forward:")
        return
    if about := _record(info).sentence(say, "writes", ""):
        st.caption(about)
    try:
        opening = _opening(info)
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
    else:
        _mount(info, opening)


def _record(info: CheckpointInfo) -> TaskPage:
    return _ELSEWHERE if info.task in ELSEWHERE else task_page(info.task)


def _defaults(info: CheckpointInfo) -> dict[str, str]:
    """What is set at first."""
    return {"text": _record(info).first_texts[0], **_DEFAULTS}


def _opening(info: CheckpointInfo) -> dict:
    """What the component is opened with. Raises Failure."""
    say, record = translator(), _record(info)
    return {
        **appearance(say, page_theme(), "generation", "instrument"),
        "generation": {
            "examples": [
                {"label": record.sentence(say, f"example_{name}", name), "texts": texts}
                for name, texts in record.examples
            ],
            "limit": links.LINKED_CHARACTERS,
            "most": MAX_CHARACTERS,
            "turns": history.turns(),
            "chat": _chat(info),
            "link": links.linked_state(_STATE, _defaults(info), _valid),
            "request": {
                "url": generate.PATH,
                "body": {"task": info.task, "model": info.name, "language": say.language},
            },
        },
    }


def _chat(info: CheckpointInfo) -> dict:
    """Whether the model has a chat template, one that takes a system line, and further turns; why it cannot be used."""
    chat = load_model(info).chat
    is_frame = isinstance(chat, ChatFrame)
    return {
        "offered": is_frame,
        "system": is_frame and chat.with_system is not None,
        "turns": is_frame and chat.reply is not None,
        "problem": translator()(chat) if isinstance(chat, Message) else "",
    }


@st.fragment
def _mount(info: CheckpointInfo, data: dict) -> None:
    """What the component reports reruns this fragment alone; its button goes to the explorer with the whole text."""
    defaults = _defaults(info)
    event = _generation(key="generation", data=data, link=partial(links.keep_report, _STATE, defaults, _valid))
    st.session_state[_STATE] = state = links.linked_state(_STATE, defaults, _valid)
    links.write(state, defaults)
    match event.explore:
        case {
            "text": str(text),
            "chat": bool(is_chat),
            "system": str(system),
            "turns": turns,
            "written": [*written],
        } if all(type(token) is int for token in written):
            with suppress(Failure, TypeError, ValueError):  # the component says why
                if is_chat:
                    text, _ = chat_text(load_model(info), text, system, generate.read_turns(turns))
                encoding, _ = written_text(load_model(info), cut_text(text), written)
                open_input(info, encoding.texts)
    follow_theme(event)


def _valid(values: Mapping[str, object]) -> dict[str, str]:
    texts = {name: value for name, value in values.items() if name in ("text", *_DEFAULTS) and isinstance(value, str)}
    # Of turns, which are JSON, a part is nothing.
    return {name: cut_text(text) for name, text in texts.items() if name != "turns" or not is_cut(text)}
