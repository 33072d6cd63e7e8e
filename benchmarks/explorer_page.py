"""A page with a button that opens the explorer on the next input; size and number of inputs are in the address."""

import streamlit as st

from benchmarks import inputs
from pages.explore import explorer
from pages.shared import cache
from viz_core import checkpoints

st.set_page_config(layout="wide")
st.session_state.setdefault("lang", "en")
size = [int(st.query_params[name]) for name in ("tokens", "layers", "heads")]
info = next(info for info in checkpoints.task_checkpoints(inputs.TASK) if info.name == inputs.MODEL)
# Computed before the button appears, so that no click waits for a model.
texts = [inputs.text(*size, number) for number in range(int(st.query_params["inputs"]))]


@st.fragment
def show_explorer(text: str, data: bytes) -> None:
    explorer.mount_explorer(cache.explain_input(info, text), data)


number = st.session_state.get("opened", 0) + st.button("Open")
st.session_state["opened"] = number
if number:
    show_explorer(texts[number - 1], explorer.pack_explorer(info, cache.explain_input(info, texts[number - 1])))
