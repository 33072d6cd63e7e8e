"""The kinds of evidence about one text: which there are of a model, and the ways to them from other pages."""

from collections.abc import Sequence

import streamlit as st

from pages.shared import links
from pages.shared.kinds import page_kind, task_page
from pages.shared.opening import EVIDENCE, open_evidence, open_model
from pages.shared.visitor import translator
from viz_core.checkpoints import CheckpointInfo

PAIR_SECTIONS = {"pairs"}  # need two sentences
_WITHOUT_CLASSES = {"whatif"}  # of a model that predicts nothing
_OF_TOKENS = {"whatif", "methods", "parts", "patching"}  # of a model that predicts the next token
_ALONE = {"title", "note", "methods", "methods_note", "whatif_note"}  # have a sentence for models without attention
_SIMILARITY = {"note", "whatif_note"}  # have a sentence for models without a prediction


def available(info: CheckpointInfo, texts: int, of_tokens: bool = False) -> list[str]:
    """The kinds of evidence about so many texts: keys in the catalogues (`evidence.<key>`) and in the link.

    of_tokens: whether the model predicts tokens.
    """
    sections = page_kind(info.task).evidence
    if of_tokens:
        sections = [name for name in sections if name in _OF_TOKENS]
    elif not info.settings.config.classes:
        sections = [name for name in sections if name in _WITHOUT_CLASSES]
    if not info.settings.config.layers:
        sections = [name for name in sections if name != "patching"]
    if not _adds_up(info, of_tokens):
        sections = [name for name in sections if name != "parts"]
    return [name for name in sections if texts == 2 or name not in PAIR_SECTIONS]


def _adds_up(info: CheckpointInfo, of_tokens: bool) -> bool:
    """Whether the residual stream of a model is the sum of what its layers write, as far as its settings say."""
    config = info.settings.config
    return config.layers > 0 and getattr(config, "norm", "pre" if of_tokens else "post") == "pre"


def pick_evidence(info: CheckpointInfo, sections: Sequence[str]) -> str | None:
    """The kind that the visitor chooses, kept in the session; the caller writes it into the link."""
    say = translator()
    links.restore(EVIDENCE, None, links.one_of(sections))
    return st.segmented_control(
        say("evidence.title"),
        sections,
        key=EVIDENCE,
        label_visibility="collapsed",
        format_func=lambda key: say(sentence_key(key, info)),
        persist_state="session",
    )


def sentence_key(name: str, info: CheckpointInfo) -> str:
    """The key of a sentence; of a model without attention or without a prediction, one that does not mention any."""
    config = info.settings.config
    if not config.layers and name in _ALONE:
        return f"evidence.{name}_alone"
    return f"evidence.{name}_similarity" if not config.classes and name in _SIMILARITY else f"evidence.{name}"


def ways(info: CheckpointInfo) -> None:
    """Draws a button for each kind of evidence: it goes to the page of the task, where the text is, with this model."""
    say, sections = translator(), available(info, len(task_page(info.task).boxes))
    if not sections:
        return
    st.caption(say("evidence.of_text"), width="content")
    for name in sections:
        if st.button(say(sentence_key(name, info)), key=f"way_{name}", type="tertiary"):
            open_evidence(name)
            open_model(info)
