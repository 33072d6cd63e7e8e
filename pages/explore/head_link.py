"""The way from a head in the explorer to its page: what it does over a corpus."""

import streamlit as st

from pages.shared import head_names, surveys
from pages.shared.heads import open_head
from pages.shared.selection import parse_heads, selection
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import ELSEWHERE, Explanation


def head_link(info: CheckpointInfo, explanation: Explanation) -> None:
    """A button that opens the page of the selected head, where one is selected whose model has been surveyed."""
    say, head = translator(), selection(explanation)["head"]
    heads = parse_heads(head, *explanation.attention.shape[:2])
    if len(heads) != 1 or None in heads[0] or not (info.task in ELSEWHERE or surveys.stored(info)):
        return
    label = say("heads.over_corpus", head=head_names.label(head, head_names.names_of(info, explanation.kind)))
    if st.button(escape_markdown(label), key="head_page", icon=":material/travel_explore:", type="tertiary"):
        open_head(info, head, explanation.kind)
