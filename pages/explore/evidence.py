"""Below the explorer: evidence of whether the attention matters, one kind at a time, since each costs a computation."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.explore.attributions import methods
from pages.explore.pairs import pairs
from pages.explore.whatif import whatif
from pages.shared import links
from pages.shared.pickers import explain_or_warn, show_no_attention
from pages.shared.visitor import translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Explanation

# Key of the catalogues (`evidence.<key>`, `evidence.<key>_note`) and of the link -> what draws it.
SECTIONS: dict[str, Callable[[CheckpointInfo, Explanation], None]] = {"methods": methods, "whatif": whatif, "pairs": pairs}
OF_PAIRS = {"pairs"}  # those that ask something about two sentences, and are offered for no others
OF_ATTENTION = {"whatif", "pairs"}  # those that show or change attention


def evidence(info: CheckpointInfo, explanation: Explanation) -> None:
    """The heading, and the kind of evidence that the visitor has chosen, in a fragment of its own."""
    say = translator()
    st.subheader(say("evidence.title"), anchor="evidence")
    st.caption(say("evidence.note"))
    _chosen(info, explanation.encoding.texts)


@st.fragment
def _chosen(info: CheckpointInfo, texts: tuple[str, ...]) -> None:
    """A fragment keeps what it is given as long as its visitor stays: the texts, and not the attention to them."""
    say, offered = translator(), [key for key in SECTIONS if len(texts) == 2 or key not in OF_PAIRS]
    links.restore("evidence", None, offered)
    name = st.segmented_control(
        say("evidence.title"),
        offered,
        key="evidence",
        label_visibility="collapsed",
        format_func=lambda key: say(f"evidence.{key}"),
        persist_state="session",
    )
    links.write({"evidence": name or ""}, {"evidence": ""})
    if name and (explanation := explain_or_warn(info, *texts)):
        st.caption(say(f"evidence.{name}_note"))
        if name in OF_ATTENTION and not explanation.has_attention:
            show_no_attention(info)
        else:
            SECTIONS[name](info, explanation)
