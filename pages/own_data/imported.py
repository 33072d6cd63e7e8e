"""The box for a model from another computer, which becomes one of this visitor's own."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.shared import ownership
from pages.shared.uploads import translate_uploader
from pages.shared.visitor import act, translator
from viz_core.training import door

_COUNT = "own_imports"  # in the session: how many models were taken in, for the key of the box


def section() -> None:
    """The box, in an expander that is closed at first, and the button that takes the model in."""
    say, number = translator(), st.session_state.get(_COUNT, 0)
    with st.expander(say("own_data.import"), icon=":material/folder_zip:", key="own_import_section"):
        limit = say("own_data.import_limit", megabytes=door.MOST_MEGABYTES)
        translate_uploader(limit, within=".st-key-own_import_section")
        file = st.file_uploader(
            say("own_data.import_file"), type=["zip"], key=f"own_import_{number}", max_upload_size=door.MOST_MEGABYTES
        )
        if file and st.button(say("own_data.import_now"), key="own_import_now", type="primary"):
            act(lambda: _take_in(file), say("own_data.importing"))


def _take_in(file: UploadedFile) -> None:
    """Raises Failure; nothing of the model is left then."""
    door.import_model(file, file.name, ownership.visitor())
    st.session_state[_COUNT] = st.session_state.get(_COUNT, 0) + 1
