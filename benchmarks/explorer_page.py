"""A page with a button that opens the explorer on the next input; size and number of inputs are in the address."""

import streamlit as st

from benchmarks import inputs
from pages.explore.instrument import mount_instrument, pack_opening
from pages.shared import cache
from pages.shared.inputs import box_values
from pages.shared.tasks import PAGES
from viz_core import checkpoints

st.set_page_config(layout="wide")
st.session_state.setdefault("lang", "en")
size = [int(st.query_params[name]) for name in ("tokens", "layers", "heads")]
info = next(info for info in checkpoints.task_checkpoints(inputs.TASK) if info.name == inputs.MODEL)
# Computed before the button appears, so that no click waits for a model.
texts = [inputs.text(*size, number) for number in range(int(st.query_params["inputs"]))]
for text in texts:
    cache.explain_input(info, text)
record = PAGES[inputs.TASK]


@st.fragment
def show_explorer(data: bytes) -> None:
    mount_instrument(record, info, data)


number = st.session_state.get("opened", 0) + st.button("Open")
st.session_state["opened"] = number
if number:
    st.session_state.update(box_values(record, [texts[number - 1]]))
    show_explorer(pack_opening(record, info))
