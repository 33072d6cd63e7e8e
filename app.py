"""Attention Microscope: `streamlit run app.py`. The server, with everything loaded before its first visitor comes."""

import posixpath
from contextlib import asynccontextmanager
from importlib import import_module

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from pages.routes import heads, interventions
from pages.shared.cache import settle, warm_up
from pages.shared.ownership import Recognised
from pages.shared.visitor import apologise


@asynccontextmanager
async def lifespan(app: st.App):
    # What else the first visitor of each page would wait for; estimates bring what a training needs of torch.
    for module in (
        "pages.evaluation.page",
        "pages.explore.page",
        "pages.models.page",
        "pages.training.page",
        "viz_core.training.estimate",
    ):
        import_module(module)
    warm_up()
    settle()
    yield


beside_the_pages = posixpath.join("/", st.get_option("server.baseUrlPath").strip("/"))
app = st.App(
    "pages/frame.py",
    lifespan=lifespan,
    on_script_error=apologise,
    middleware=[Middleware(Recognised)],
    routes=[
        Route(posixpath.join(beside_the_pages, path), answer, methods=["POST"])
        for path, answer in ((heads.PATH, heads.heads), (interventions.PATH, interventions.interventions))
    ],
)
