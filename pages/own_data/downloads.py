"""A model as a file: to open in this app on another computer, and where that is possible with transformers."""

from collections.abc import Callable
from io import BytesIO

import streamlit as st

from pages.shared.visitor import show_failure, translator
from pages.shared.wording import escape_markdown, row_label
from viz_core import checkpoints
from viz_core.adapters import export
from viz_core.checkpoints import CheckpointInfo
from viz_core.checkpoints.archive import pack
from viz_core.names import folder_name
from viz_core.records import Failure
from viz_core.tasks.own import Definition


@st.fragment
def download(task: Definition, info: CheckpointInfo) -> None:
    """A popover with the files, each made when it is clicked; only opening it reads the tokenizer."""
    say, name = translator(), f"{folder_name(task.title)}-{info.name}"
    label, key = row_label(say("own_data.download"), task.title), f"own_download_{task.name}"
    popover = st.popover(label, icon=":material/download:", key=key, on_change="rerun")
    if not popover.open:
        return
    with popover:
        _file("zip", task, name, lambda content: pack(info.path, content))
        try:
            reason = export.misfit(info)
        except Failure as failure:
            show_failure(failure)
        else:
            if reason:
                st.caption(escape_markdown(say("own_data.no_bert", reason=reason)))
            else:
                _file("bert", task, f"{name}-transformers", lambda content: _export(info, content, name))


def _file(form: str, task: Definition, name: str, write: Callable[[BytesIO], None]) -> None:
    def made() -> bytes:
        content = BytesIO()
        write(content)
        return content.getvalue()

    say = translator()
    st.download_button(
        say(f"own_data.download_{form}"),
        made,
        f"{name}.zip",
        "application/zip",
        key=f"own_download_{form}_{task.name}",
        on_click="ignore",
        icon=":material/download:",
        width="stretch",
    )
    st.caption(say(f"own_data.download_{form}_note"))


def _export(info: CheckpointInfo, content: BytesIO, name: str) -> None:
    export.export_zip(checkpoints.load_folder(info.path, info.task), content, name)
