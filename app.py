"""Attention Microscope: `streamlit run app.py`. The server, with everything loaded before its first visitor comes."""

import posixpath
from contextlib import asynccontextmanager

import streamlit as st
from starlette.routing import Route

from pages.shared import heads
from pages.shared.models import settle, warm_up
from pages.shared.visitor import apologise


@asynccontextmanager
async def lifespan(app: st.App):
    warm_up()
    settle()
    yield


beside_the_pages = posixpath.join("/", st.get_option("server.baseUrlPath").strip("/"), heads.PATH)
app = st.App("pages/shared/frame.py", lifespan=lifespan, on_script_error=apologise,
             routes=[Route(beside_the_pages, heads.heads, methods=["POST"])])
