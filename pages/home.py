"""What this is, and the models at hand with their figures."""

import streamlit as st

from pages.shared.models import models_table
from pages.shared.visitor import translator

say = translator()
st.title(say("pages.home_title"))
st.markdown(say("pages.home_text"))
sentiment, matching, training = st.columns(3, gap="medium")
with sentiment.container(border=True):
    st.page_link("../sentiment.py", label=f"**{say('pages.sentiment_title')}**")
    st.caption(say("pages.sentiment_note"))
with matching.container(border=True):
    st.page_link("../matching.py", label=f"**{say('pages.matching_title')}**")
    st.caption(say("pages.matching_note"))
with training.container(border=True):
    st.page_link("../training.py", label=f"**{say('pages.training_title')}**")
    st.caption(say("pages.training_note"))
st.subheader(say("pages.models"))
models_table()
st.caption(say("pages.models_note"))
st.page_link("../models.py", label=say("pages.models_title"), icon=":material/monitor_heart:")
st.page_link("../evaluation.py", label=say("pages.evaluation_title"), icon=":material/troubleshoot:")
