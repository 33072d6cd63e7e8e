"""Whether a model has learned anything, said on every page before anything is read into its heads."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.shared import evidence
from pages.shared.visitor import translator
from pages.shared.wording import joined, plain
from viz_core.analysis.verdicts import Skill, skill
from viz_core.checkpoints import Listing
from viz_core.evidence import health as kept
from viz_core.evidence.results import read_result
from viz_core.language import Translator
from viz_core.records import Health, Message


def known(listing: Listing) -> Health | None:
    """The health that is kept for these weights."""
    return kept.read(read_result(listing.path, kept.NAME))


def banner(listing: Listing) -> None:
    """Before a prediction: whether the model has learned anything, loudly where it has not. Where nobody has looked yet, what
    its makers warn of, and how to find out."""
    say, health = translator(), known(listing)
    if health:
        judged = skill(health)
        if judged.level == "none":
            loudly(replace(judged, reasons=judged.reasons[:-1]), say)
        else:
            st.caption(sentences(say, judged.verdict, *judged.reasons[:-1]))
    else:
        if listing.settings.caution:
            st.warning(plain(say(listing.settings.caution)), icon=":material/info:")
        evidence.offer(listing, kept.NAME)


def warning(listing: Listing) -> None:
    """Beside another model there is room for the verdict alone, and only of a model that has learned nothing."""
    say, health = translator(), known(listing)
    if health:
        judged = skill(health)
        if judged.level == "none":
            st.error(sentences(say, judged.verdict), icon=":material/do_not_disturb_on:")
    elif listing.settings.caution:
        st.warning(plain(say(listing.settings.caution)), icon=":material/info:")


def loudly(judged: Skill, say: Translator) -> None:
    st.error(
        f"**{sentences(say, judged.verdict)}**\n\n{sentences(say, *judged.reasons)}",
        icon=":material/do_not_disturb_on:",
    )


def sentences(say: Translator, *messages: Message) -> str:
    """Sentences one after the other, shown to the letter."""
    return plain(joined(map(say, messages), say))
