"""A translation word by word: what its component is opened with, what it reports, and the link.

The browser draws it and asks `POST explorer/translate`.
"""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from pages.shared import history, links
from pages.shared.cache import load_model
from pages.shared.component import component, follow_theme
from pages.shared.head_names import given
from pages.shared.kinds import page_kind
from pages.shared.opening import open_inside_translation, translation_state
from pages.shared.tasks import TaskPage
from pages.shared.translation_evidence import translation_evidence
from pages.shared.translation_figures import figures
from pages.shared.visitor import page_theme, translator
from viz_core.analysis.translation.translating import first_token
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.shared import appearance
from viz_core.records import Message
from viz_core.text.length import MAX_CHARACTERS, cut_text, text_name

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
    "scale": "linear",
    "limit": "full",
    "direction": "from",
    "views": "12",
    "present": "",
    "order": "",
    "measure": "",
}

_EVENTS = ("link", "theme", "inside")
_translation = component("translation", '<div class="instrument"></div><div class="explorer"></div>', _EVENTS)


def first_state(page: TaskPage, **selected: str) -> dict[str, str]:
    """What is set at first, besides what is selected."""
    return DEFAULTS | {"text": page.first_texts[0]} | selected


def mount_translation(page: TaskPage, info: CheckpointInfo, urls: Mapping[str, str], **selected: str) -> None:
    """The component and what follows it. urls: of the routes, `request` and `effects`. selected: at first, and left out
    of the link."""
    first = first_state(page, **selected)
    _mount(page, info, _opening(page, info, urls, first), first)


def _opening(page: TaskPage, info: CheckpointInfo, urls: Mapping[str, str], first: Mapping[str, str]) -> dict:
    """What the component is opened with."""
    say, config = translator(), info.settings.config
    body = {"task": info.task, "model": info.name, "language": say.language}
    return {
        **appearance(say, page_theme(), "translation", "instrument"),
        "translation": {
            "examples": [
                {
                    "label": page.sentence(say, f"example_{name}", name),
                    "texts": [source],
                    "reference": reference,
                    "gloss": page.gloss(say, name, [source, reference]),
                }
                for name, (source, reference) in page.examples
            ],
            "source": page.sentence(say, "source", say("other.source")),
            "blank": say(Message("text.blank", {"where": text_name(0, 1)})),
            "begin": first_token(load_model(info)),
            "hasInside": page_kind(info.task).inside is not None,
            "limit": links.LINKED_CHARACTERS,
            "most": MAX_CHARACTERS,
            "turns": history.turns(),
            "layers": config.layers,
            "heads": config.heads,
            "names": given(info),
            "link": links.linked_state(translation_state(info.task), first, _valid),
            "explorer": appearance(say, page_theme(), "explorer", "instrument")["catalogue"],
            **{name: {"url": url, "body": body} for name, url in urls.items()},
        },
    }


@st.fragment
def _mount(page: TaskPage, info: CheckpointInfo, data: dict, first: Mapping[str, str]) -> None:
    """What the component reports reruns this fragment alone."""
    key = translation_state(info.task)
    event = _translation(key="translation", data=data, link=partial(links.keep_report, key, first, _valid))
    st.session_state[key] = state = links.linked_state(key, first, _valid)  # other pages take the link away
    links.write(state, first)
    match event.inside:
        case {"text": str(text), "outputs": [*outputs], **weight} if page_kind(info.task).inside and all(
            type(token) is int for token in outputs
        ):
            open_inside_translation(info, cut_text(text), outputs, weight)
    figures(info, state)
    translation_evidence(page, info, state)
    follow_theme(event)


def _valid(values: Mapping[str, object]) -> dict[str, str]:
    return {name: cut_text(value) for name, value in values.items() if name in DEFAULTS and isinstance(value, str)}
