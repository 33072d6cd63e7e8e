"""Below the explorer: whether the attention matters. One kind of evidence at a time, because each takes computation."""

from collections.abc import Callable

import streamlit as st

from pages.explore.attributions import attribution_section
from pages.explore.other_model import other_model_section
from pages.explore.pairs import pairs_section
from pages.explore.whatif import NOTHING, whatif_section
from pages.shared import links
from pages.shared.kinds import page_kind
from pages.shared.opening import EVIDENCE
from pages.shared.pickers import explain_or_warn, show_no_attention
from pages.shared.visitor import translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Explanation

# By key in the catalogues (`evidence.<key>`, `evidence.<key>_note`) and in the link.
SECTIONS: dict[str, Callable[[CheckpointInfo, Explanation], None]] = {
    "methods": attribution_section,
    "whatif": whatif_section,
    "models": other_model_section,
    "pairs": pairs_section,
}
PAIR_SECTIONS = {"pairs"}  # need two sentences
EMBEDDING_SECTIONS = ("whatif",)  # of a model without a classifier
ATTENTION_SECTIONS = {"pairs"}  # show attention
_ALONE = {"title", "note", "methods", "methods_note", "whatif_note"}  # have a sentence for models without attention
_SIMILARITY = {"note", "whatif_note"}  # have a sentence for models without a prediction


def evidence(info: CheckpointInfo, explanation: Explanation) -> None:
    """The heading, and the selected kind of evidence in a fragment of its own; nothing for a model that predicts
    tokens."""
    say = translator()
    if explanation.kind == "causal":
        return
    st.header(say(_key("title", info)), anchor="evidence")
    st.caption(say(_key("note", info)))
    _selected_section(info, explanation.encoding.texts)


@st.fragment
def _selected_section(info: CheckpointInfo, texts: tuple[str, ...]) -> None:
    """Takes texts, not their explanation: Streamlit keeps a fragment's arguments in memory for the whole session."""
    say = translator()
    sections = page_kind(info.task).evidence if info.settings.config.classes else EMBEDDING_SECTIONS
    available = [key for key in sections if len(texts) == 2 or key not in PAIR_SECTIONS]
    links.restore(EVIDENCE, None, links.one_of(available))
    name = st.segmented_control(
        say("evidence.title"),
        available,
        key=EVIDENCE,
        label_visibility="collapsed",
        format_func=lambda key: say(_key(key, info)),
        persist_state="session",
    )
    changes = {} if name == "whatif" else NOTHING  # what-if writes its own
    links.write({EVIDENCE: name or "", **changes}, {EVIDENCE: "", **changes})
    if name and (explanation := explain_or_warn(info, *texts)):
        st.caption(say(_key(f"{name}_note", info)))
        if name in ATTENTION_SECTIONS and not explanation.has_attention:
            show_no_attention(info, name)
        else:
            SECTIONS[name](info, explanation)


def _key(name: str, info: CheckpointInfo) -> str:
    """The key of a sentence; of a model without attention or without a prediction, one that does not mention any."""
    config = info.settings.config
    if not config.layers and name in _ALONE:
        return f"evidence.{name}_alone"
    return f"evidence.{name}_similarity" if not config.classes and name in _SIMILARITY else f"evidence.{name}"
