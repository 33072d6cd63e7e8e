"""The app's explorer and its route on a page of their own, with inputs of any size in place of a model's answers."""

import streamlit as st
from starlette.routing import Route

from benchmarks import inputs
from pages.shared import heads, models

models.explain = inputs.answer
app = st.App("explorer_page.py", routes=[Route(f"/{heads.PATH}", heads.heads, methods=["POST"])])
