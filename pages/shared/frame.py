"""The script that Streamlit runs for every visitor: what all pages share, and then the page itself."""

import streamlit as st

from pages.shared.visitor import settings_row, translator

st.set_page_config(page_title="Attention Microscope · 注意力显微镜", page_icon="🔬", layout="wide")
settings_row()
say = translator()
st.navigation([
    st.Page("../home.py", title=say("pages.home"), default=True),
    st.Page("../sentiment.py", title=say("pages.sentiment")),
    st.Page("../matching.py", title=say("pages.matching")),
    st.Page("../models.py", title=say("health.page")),
    st.Page("../evaluation.py", title=say("pages.evaluation")),
    st.Page("../training.py", title=say("pages.training")),
], position="top").run()
