"""A translation word by word: what its component is opened with, what it reports, and the link.

The browser draws it and asks `POST explorer/translate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pages.shared import history, links
from pages.shared.component import component
from pages.shared.inputs import LINKED_CHARACTERS
from pages.shared.opening import TRANSLATION_STATE, open_inside_translation
from pages.shared.translation_figures import figures
from pages.shared.visitor import page_theme, translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.shared import appearance
from viz_core.text.building import CLS, SPECIAL
from viz_core.text.length import MAX_CHARACTERS, cut_text

# What is set on the page, as strings, in the link and in the session: as in source/translation/state.js, and in the
# explorer (source/explorer/selection.js).
DEFAULTS = {
    "view": "generation",
    "decoding": "greedy",
    "temperature": "1",
    "seed": "0",
    "width": "4",
    "text": "",
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


@dataclass(frozen=True)
class TranslationPage:
    """What differs between the pages that show translations.

    url: of the route. catalogue: which has the names of the examples and of the box, `example_<name>` and `source`.
    examples: name, source, and a reference or an empty text; the first is shown at first. state: the key in the session
    of what is set. begin: the token that the decoder reads first. has_inside: whether the page about
    the inside of attention shows its models.
    """

    url: str
    catalogue: str
    examples: tuple[tuple[str, str, str], ...]
    state: str = TRANSLATION_STATE
    begin: str = SPECIAL[CLS]
    has_inside: bool = True

    @property
    def first(self) -> dict[str, str]:
        """What is set at first."""
        return DEFAULTS | {"text": self.examples[0][1]}

    def current(self, first: Mapping[str, str]) -> dict[str, str]:
        """What is set: the session's, else the link's, else `first`. After the browser went back or forward, the
        link's."""
        held = None if history.goes_back() else st.session_state.get(self.state)
        return held or {**first, **_valid(st.query_params.to_dict())}


def mount_translation(page: TranslationPage, info: CheckpointInfo, first: Mapping[str, str]) -> None:
    """The component and what follows it. first: what is set at first, and left out of the link."""
    _mount(page, info, _opening(page, info, first), first)


def _opening(page: TranslationPage, info: CheckpointInfo, first: Mapping[str, str]) -> dict:
    """What the component is opened with."""
    say, config = translator(), info.settings.config
    return {
        **appearance(say, page_theme(), "translation", "instrument"),
        "translation": {
            "examples": [
                {"label": say(f"{page.catalogue}.example_{name}"), "texts": [source], "reference": reference}
                for name, source, reference in page.examples
            ],
            "source": say(f"{page.catalogue}.source"),
            "begin": page.begin,
            "hasInside": page.has_inside,
            "limit": LINKED_CHARACTERS,
            "most": MAX_CHARACTERS,
            "turns": history.turns(),
            "layers": config.layers,
            "heads": config.heads,
            "link": page.current(first),
            "explorer": appearance(say, page_theme(), "explorer", "instrument")["catalogue"],
            "request": {"url": page.url, "body": {"task": info.task, "model": info.name, "language": say.language}},
        },
    }


@st.fragment
def _mount(page: TranslationPage, info: CheckpointInfo, data: dict, first: Mapping[str, str]) -> None:
    """What the component reports reruns this fragment alone."""
    event = _translation(
        key="translation", data=data, on_link_change=_ignore, on_theme_change=_ignore, on_inside_change=_ignore
    )
    state = page.current(first)
    if isinstance(event.link, dict):
        state = {**first, **_valid(event.link)}
    st.session_state[page.state] = state  # other pages take the link away
    links.write({name: value if _fits(value) else first[name] for name, value in state.items()}, first)
    match event.inside:
        case {"text": str(text), "outputs": [*outputs], **weight} if page.has_inside and all(
            type(token) is int for token in outputs
        ):
            open_inside_translation(info, cut_text(text), outputs, weight)
    figures(info, state)
    if event.theme:  # Streamlit does not rerun a page when the visitor switches to dark mode
        st.rerun()


def _valid(values: Mapping[str, object]) -> dict[str, str]:
    return {name: cut_text(value) for name, value in values.items() if name in DEFAULTS and isinstance(value, str)}


def _fits(value: str) -> bool:
    """Whether a text is short enough for a link, and without half a character (a lone surrogate)."""
    return len(value) <= LINKED_CHARACTERS and value.encode("utf-8", "ignore").decode() == value


def _ignore() -> None:
    """Does nothing: Streamlit reports an event only if it has a callback."""
