"""Serves `explorer_page.py` with the explorer's route; explanations are synthetic inputs of any size."""

from contextlib import asynccontextmanager

import streamlit as st
from starlette.routing import Route

from benchmarks import inputs
from pages import kinds  # noqa: F401  (registers what the pages do for each kind of task)
from pages.routes import heads
from pages.shared import cache
from viz_core.analysis.batching import ExplanationQueue

ExplanationQueue.explain = inputs.explain_text


@asynccontextmanager
async def lifespan(app: st.App):
    cache.freeze_garbage_collector()
    yield


app = st.App("explorer_page.py", lifespan=lifespan, routes=[Route(f"/{heads.PATH}", heads.heads, methods=["POST"])])
