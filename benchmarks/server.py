"""The app's explorer and its route on a page of their own, with inputs of any size in place of a model's answers."""

from contextlib import asynccontextmanager

import streamlit as st
from starlette.routing import Route

from benchmarks import inputs
from pages.routes import heads
from pages.shared import cache

cache.explain = inputs.answer


@asynccontextmanager
async def lifespan(app: st.App):
    cache.freeze_garbage_collector()
    yield


app = st.App("explorer_page.py", lifespan=lifespan, routes=[Route(f"/{heads.PATH}", heads.heads, methods=["POST"])])
