"""What the browser does for a lesson: points at a control, stores answers, watches the link of the page, turns cards by
keys, and keeps the two windows of a presenter together (explorer/source/lesson/)."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages.shared import lesson as lessons
from pages.shared.component import component
from pages.shared.controls import CONTROLS

# moved: the link has changed. stored: answers of an earlier visit. follow: what the presenter's window shows.
# go: cards forward or back, by a key.
_guide = component("lesson", '<div class="guide"></div>', ("moved", "stored", "follow", "go"))


def guide(
    card: str = "",
    point: Sequence[str] = (),
    waits: bool = False,
    presents: Mapping[str, object] | None = None,
    follows: bool = False,
) -> Any:
    """Mounts it and returns what it reports. Call at the end of a fragment or page.

    card: `lesson/card`. point: names of controls. waits: whether to report each change of the link. presents: what the
    window of the class is to show. follows: whether this is that window.
    """
    controls = [CONTROLS[name] for name in point if name in CONTROLS]
    data = {
        "card": card,
        "point": controls,
        "waits": waits,
        "answers": lessons.answers(),
        "presents": presents,
        "follows": follows,
    }
    event = _guide(key="lesson_guide", data=data)
    if isinstance(event.stored, dict):
        lessons.load(event.stored)
        st.rerun()
    return event
