"""Attention Microscope: `streamlit run app.py`."""

import streamlit as st

from pages.shared.visitor import pages, settings_row

st.set_page_config(page_title="Attention Microscope · 注意力显微镜", page_icon="🔬", layout="wide")
settings_row()
st.navigation(pages(), position="top").run()
