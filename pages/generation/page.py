"""The page of language models from elsewhere: what a model expected at each token of a text, and how it goes on.

The browser draws it and asks `POST explorer/generate`.
"""

from collections.abc import Mapping

import streamlit as st

from pages.routes import generate
from pages.shared import history, links, navigation
from pages.shared.component import component, follow_theme
from pages.shared.other_models import open_language_models, reopen_linked
from pages.shared.pickers import describe_size
from pages.shared.visitor import page_theme, translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.shared import appearance
from viz_core.text.length import MAX_CHARACTERS, cut_text

URL = "language-model"
EXAMPLES = (
    ("story", "Once upon a time there was a little"),
    ("copy", "Mrs Ambrose met Mr Tillotson at the station. Mr Tillotson greeted Mrs"),
    ("count", "one two three four five"),
)
# What is set on the page, as strings, in the link and in the session: as in source/generation/state.js.
DEFAULTS = {
    "text": EXAMPLES[0][1],
    "written": "",
    "decoding": "greedy",
    "temperature": "1",
    "top_k": "0",
    "top_p": "1",
    "seed": "0",
    "word": "",
}
_STATE = "generation_state"  # in the session
_generation = component("generation", '<div class="instrument"></div>', ("link", "theme"))


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
    _mount(_opening(models[name]))


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
            "link": links.linked_state(_STATE, DEFAULTS, _valid),
            "request": {
                "url": generate.PATH,
                "body": {"task": info.task, "model": info.name, "language": say.language},
            },
        },
    }


@st.fragment
def _mount(data: dict) -> None:
    """What the component reports reruns this fragment alone."""
    event = _generation(key="generation", data=data)
    st.session_state[_STATE] = state = links.linked_state(_STATE, DEFAULTS, _valid, event.link)
    links.write(state, DEFAULTS)
    follow_theme(event)


def _valid(values: Mapping[str, object]) -> dict[str, str]:
    return {name: cut_text(value) for name, value in values.items() if name in DEFAULTS and isinstance(value, str)}
