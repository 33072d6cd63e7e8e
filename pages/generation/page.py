"""The page of language models from elsewhere: what a model expected at each token of a text, and how it goes on.

The browser draws it and asks `POST explorer/generate`.
"""

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st

from pages.routes import generate
from pages.shared import history, links, navigation
from pages.shared.cache import load_model
from pages.shared.component import component, follow_theme
from pages.shared.opening import open_input
from pages.shared.other_models import open_language_models, reopen_linked
from pages.shared.pickers import describe_size
from pages.shared.visitor import page_theme, translator
from viz_core.analysis.context import written_text
from viz_core.analysis.generation import chat_text
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.shared import appearance
from viz_core.records import Failure, Message
from viz_core.text.chat import ChatFrame
from viz_core.text.length import MAX_CHARACTERS, cut_text, is_cut

URL = "language-model"
EXAMPLES = (
    ("story", "Once upon a time there was a little"),
    ("copy", "My neighbour Vera Quist plays the cello. Every evening I hear Vera"),
    ("copy_zh", "小林喜欢喝绿茶。每天早上，小林喜欢喝"),
    ("count", "one two three four five"),
    ("question", "Which is heavier, a feather or a stone?"),
)
# What is set on the page, as strings, in the link and in the session: as in source/generation/state.js.
DEFAULTS = {
    "text": EXAMPLES[0][1],
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
    reopen_linked()
    models = {info.name: info for info in open_language_models()}
    if not models:
        st.info(say("generation.none"), icon=":material/folder_open:")
        navigation.link("models", say("generation.none_link"), icon=":material/arrow_forward:")
        return
    with model_column:
        labels = {name: say("pages.model_option", name=name, size=describe_size(info)) for name, info in models.items()}
        settings = {"always": True, "label_visibility": "collapsed", "persist_state": None}
        name = links.pick(st.selectbox, "model", say("pages.model"), labels, labels.get, **settings)
    _mount(models[name], _opening(models[name]))


def _opening(info: CheckpointInfo) -> dict:
    """What the component is opened with."""
    say = translator()
    return {
        **appearance(say, page_theme(), "generation", "instrument"),
        "generation": {
            "examples": [{"label": say(f"generation.example_{name}"), "texts": [text]} for name, text in EXAMPLES],
            "limit": links.LINKED_CHARACTERS,
            "most": MAX_CHARACTERS,
            "turns": history.turns(),
            "chat": _chat(info),
            "link": links.linked_state(_STATE, DEFAULTS, _valid),
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
    event = _generation(key="generation", data=data)
    st.session_state[_STATE] = state = links.linked_state(_STATE, DEFAULTS, _valid, event.link)
    links.write(state, DEFAULTS)
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
    texts = {name: value for name, value in values.items() if name in DEFAULTS and isinstance(value, str)}
    # Of turns, which are JSON, a part is nothing.
    return {name: cut_text(text) for name, text in texts.items() if name != "turns" or not is_cut(text)}
