"""The first page: a sentence to type in, what one head makes of it, whether that matters, and the ways into the app."""

from pathlib import Path

import streamlit as st

from pages.explore.instrument import mount_compact, pack_opening
from pages.home.cards import cards
from pages.shared import lesson, navigation
from pages.shared.models import task_models
from pages.shared.tasks import FIRST, PAGES
from pages.shared.visitor import translator
from viz_core.lessons import read_lessons

_STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


def home() -> None:
    """The sentence, its links and its prediction; then the lessons, the page of its task, that for a table of one's
    own, and the cards."""
    say = translator()
    record = PAGES[FIRST[say.language]]
    st.html(f"<style>{_STYLE}</style>")
    st.title(say("pages.home_title"))
    st.markdown(say(f"home.text_{record.task}"))
    if info := next(iter(task_models(record.task)), None):
        mount_compact(record, info, pack_opening(record, info, compact=True))
    with st.container(horizontal=True, horizontal_alignment="center", key="ways"):
        if st.button(say("home.lessons"), type="primary", icon=":material/school:"):
            lesson.open_card(read_lessons()[0][0])
        if st.button(say("home.explore"), icon=":material/explore:"):
            navigation.switch(record.url)
        if st.button(say("home.own_data"), icon=":material/upload_file:"):
            navigation.switch("your-data")
    cards()
