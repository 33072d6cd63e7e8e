"""The banner above a prediction: whether the model has learned its task, before anyone interprets its attention."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.shared import evidence
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown, join_sentences
from viz_core.analysis.verdicts import Skill, skill
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence import health as health_evidence
from viz_core.evidence.results import read_result
from viz_core.language import Translator
from viz_core.records import Health, Message


def read_health(info: CheckpointInfo) -> Health | None:
    """The health saved with these weights, if any."""
    return health_evidence.read(read_result(info.path, health_evidence.NAME))


def banner(info: CheckpointInfo) -> None:
    """Says whether the model has learned its task, as an error where it has not.

    Without saved health: the caution in the model's own settings, and the offer to run the check.
    """
    say, health = translator(), read_health(info)
    if health:
        assessment = skill(health)
        if assessment.level == "none":
            warn_no_skill(replace(assessment, reasons=assessment.reasons[:-1]), say)
        else:
            st.caption(sentences(say, assessment.verdict, *assessment.reasons[:-1]))
    else:
        if info.settings.caution:
            st.warning(escape_markdown(say(info.settings.caution)), icon=":material/info:")
        evidence.offer(info, health_evidence.NAME)


def short_warning(info: CheckpointInfo) -> None:
    """The verdict alone, and only on a model without skill: for pages that show two models side by side."""
    say, health = translator(), read_health(info)
    if health:
        assessment = skill(health)
        if assessment.level == "none":
            st.error(sentences(say, assessment.verdict), icon=":material/do_not_disturb_on:")
    elif info.settings.caution:
        st.warning(escape_markdown(say(info.settings.caution)), icon=":material/info:")


def warn_no_skill(assessment: Skill, say: Translator) -> None:
    """The verdict and its reasons as an error box."""
    st.error(
        f"**{sentences(say, assessment.verdict)}**\n\n{sentences(say, *assessment.reasons)}",
        icon=":material/do_not_disturb_on:",
    )


def sentences(say: Translator, *messages: Message) -> str:
    """The messages as one paragraph of escaped Markdown."""
    return escape_markdown(join_sentences(map(say, messages), say))
