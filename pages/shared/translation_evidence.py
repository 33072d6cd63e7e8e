"""Below a translation: what its words depend on. One kind of evidence at a time, as on the page of a classification."""

from collections.abc import Callable, Mapping

import streamlit as st

from pages.shared import links
from pages.shared.opening import EVIDENCE
from pages.shared.tasks import TaskPage
from pages.shared.text_evidence import available, pick_evidence
from pages.shared.translation_attribution import attribution_section
from pages.shared.translation_patching import patching_section
from pages.shared.visitor import translator
from viz_core.checkpoints import CheckpointInfo

# By key in the catalogues (`evidence.<key>`) and in the link.
SECTIONS: dict[str, Callable[[TaskPage, CheckpointInfo, Mapping[str, str]], None]] = {
    "methods": attribution_section,
    "patching": patching_section,
}


def translation_evidence(page: TaskPage, info: CheckpointInfo, state: Mapping[str, str]) -> None:
    """The heading, and the selected kind of evidence. state: what is set, as in the link."""
    say = translator()
    st.header(say("evidence.title"), anchor="evidence")
    st.caption(say("evidence.note"))
    name = pick_evidence(info, available(info, 1))
    links.write({EVIDENCE: name or ""}, {EVIDENCE: ""})
    if name:
        SECTIONS[name](page, info, state)
