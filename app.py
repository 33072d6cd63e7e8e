"""Attention Microscope: `streamlit run app.py`. The server, with everything loaded before its first visitor comes."""

from contextlib import asynccontextmanager

import streamlit as st

from pages.shared.models import warm_up
from pages.shared.visitor import apologise


@asynccontextmanager
async def lifespan(app: st.App):
    warm_up()
    yield


app = st.App("pages/shared/frame.py", lifespan=lifespan, on_script_error=apologise)
