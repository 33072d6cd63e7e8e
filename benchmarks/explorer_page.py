"""One button that opens the explorer on the next input. The address says of what size the inputs are, and how many."""

import streamlit as st

from benchmarks import inputs
from pages.explore import explorer
from pages.shared import cache
from viz_core import checkpoints

st.set_page_config(layout="wide")
st.session_state.setdefault("lang", "en")
size = [int(st.query_params[name]) for name in ("tokens", "layers", "heads")]
listing = next(one for one in checkpoints.usable(inputs.TASK) if one.name == inputs.MODEL)
# Made before the button appears, so that no click waits for a model.
texts = [inputs.text(*size, number) for number in range(int(st.query_params["inputs"]))]


@st.fragment
def explored(text: str, data: bytes) -> None:
    explorer.mounted(cache.explained(listing, text), data)


opened = st.session_state.get("opened", 0) + st.button("Open")
st.session_state["opened"] = opened
if opened:
    explored(texts[opened - 1], explorer.packed(listing, cache.explained(listing, texts[opened - 1])))
