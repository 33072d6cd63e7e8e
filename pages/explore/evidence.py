"""Below the explorer: whether the attention matters. One kind of evidence at a time, because each takes computation."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from pages.explore.attributions import attribution_section
from pages.explore.other_model import other_model_section
from pages.explore.pairs import pairs_section
from pages.explore.parts import parts_section
from pages.explore.patching import patching_section
from pages.explore.whatif import NOTHING, whatif_section
from pages.shared import links
from pages.shared.opening import EVIDENCE, evidence_openings
from pages.shared.own_tasks import leave_if_closed
from pages.shared.pickers import explain_or_warn, show_no_attention
from pages.shared.text_evidence import available, pick_evidence, sentence_key
from pages.shared.visitor import translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Explanation

# By key in the catalogues (`evidence.<key>`, `evidence.<key>_note`) and in the link.
SECTIONS: dict[str, Callable[[CheckpointInfo, Explanation], None]] = {
    "methods": attribution_section,
    "whatif": whatif_section,
    "parts": parts_section,
    "patching": patching_section,
    "models": other_model_section,
    "pairs": pairs_section,
}
ATTENTION_SECTIONS = {"pairs"}  # show attention
_scroll = st.components.v2.component(
    "scroll", html="<div></div>", js=Path(__file__).with_name("scroll.js").read_text(encoding="utf-8")
)


def evidence(info: CheckpointInfo, explanation: Explanation) -> None:
    """The heading, and the selected kind of evidence in a fragment of its own."""
    say = translator()
    _scroll(key="scroll", data=evidence_openings())
    st.header(say(sentence_key("title", info)), anchor="evidence")
    st.caption(say(sentence_key("note", info)))
    _selected_section(info, explanation.encoding.texts, bool(explanation.label_ids))


@st.fragment
def _selected_section(info: CheckpointInfo, texts: tuple[str, ...], of_tokens: bool) -> None:
    """Takes texts, not their explanation: Streamlit keeps a fragment's arguments in memory for the whole session."""
    leave_if_closed(info.task)
    say = translator()
    sections = available(info, len(texts), of_tokens)
    name = pick_evidence(info, sections)
    changes = {} if name == "whatif" else NOTHING  # what-if writes its own
    links.write({EVIDENCE: name or "", **changes}, {EVIDENCE: "", **changes})
    if name and (explanation := explain_or_warn(info, *texts)):
        st.caption(say(sentence_key(f"{name}_note", info)))
        if name in ATTENTION_SECTIONS and not explanation.has_attention:
            show_no_attention(info, name)
        else:
            SECTIONS[name](info, explanation)
