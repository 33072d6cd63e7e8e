"""Whether a model has learned anything, said on every page before anything is read into its heads."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.shared import evidence
from pages.shared.visitor import translator
from pages.shared.wording import join_sentences, escape_markdown
from viz_core.analysis.verdicts import Skill, skill
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence import health as kept
from viz_core.evidence.results import read_result
from viz_core.language import Translator
from viz_core.records import Health, Message


def known(info: CheckpointInfo) -> Health | None:
    """The health that is kept for these weights."""
    return kept.read(read_result(info.path, kept.NAME))


def banner(info: CheckpointInfo) -> None:
    """Before a prediction: whether the model has learned anything, loudly where it has not. Where nobody has looked yet, what
    its makers warn of, and how to find out."""
    say, health = translator(), known(info)
    if health:
        judged = skill(health)
        if judged.level == "none":
            warn_no_skill(replace(judged, reasons=judged.reasons[:-1]), say)
        else:
            st.caption(sentences(say, judged.verdict, *judged.reasons[:-1]))
    else:
        if info.settings.caution:
            st.warning(escape_markdown(say(info.settings.caution)), icon=":material/info:")
        evidence.offer(info, kept.NAME)


def warning(info: CheckpointInfo) -> None:
    """Beside another model there is room for the verdict alone, and only of a model that has learned nothing."""
    say, health = translator(), known(info)
    if health:
        judged = skill(health)
        if judged.level == "none":
            st.error(sentences(say, judged.verdict), icon=":material/do_not_disturb_on:")
    elif info.settings.caution:
        st.warning(escape_markdown(say(info.settings.caution)), icon=":material/info:")


def warn_no_skill(judged: Skill, say: Translator) -> None:
    st.error(
        f"**{sentences(say, judged.verdict)}**\n\n{sentences(say, *judged.reasons)}",
        icon=":material/do_not_disturb_on:",
    )


def sentences(say: Translator, *messages: Message) -> str:
    """Sentences one after the other, shown to the letter."""
    return escape_markdown(join_sentences(map(say, messages), say))
