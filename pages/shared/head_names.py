"""Names and notes that a teacher, or whoever is alone, gives to the heads of a model; all visitors see them."""

from collections.abc import Mapping

import streamlit as st

from pages.shared import teacher
from pages.shared.visitor import act, show_failure, translator
from pages.shared.wording import escape_markdown
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.head_names import (
    LONGEST_NAME,
    LONGEST_NOTE,
    HeadName,
    from_json,
    given_names,
    read_names,
    save_names,
    to_json,
)
from viz_core.jobs.run_folder import folder
from viz_core.records import Failure

_NAME, _NOTE = "head_name", "head_note"


def given(info: CheckpointInfo) -> dict[str, str]:
    """What heads are called, by attention and head, from 1: `self 2.4`."""
    return given_names(folder(), _model(info))


def names_of(info: CheckpointInfo, kind: str) -> dict[str, str]:
    """What the heads of an attention are called, by `layer.head` from 1."""
    names = {tuple(key.split()): name for key, name in given(info).items()}
    return {head: name for (of_kind, head), name in names.items() if of_kind == kind}


def label(head: str, names: Mapping[str, str]) -> str:
    """A head with its name, if it has one."""
    return f"{head} · {names[head]}" if head in names else head


def show(info: CheckpointInfo, kind: str, head: str) -> None:
    """The name and note of a head, if it has any."""
    stored = read_names(folder(), _model(info)).get(f"{kind} {head}", HeadName(""))
    if stored.name or stored.note:
        sentence = translator()("heads.named", name=stored.name or head, note=stored.note)
        st.info(escape_markdown(sentence.strip()), icon=":material/label:")


def form(info: CheckpointInfo, kind: str, head: str) -> None:
    """The form that changes them, for whoever may."""
    if not teacher.may_manage_all():
        return
    say, stored = translator(), read_names(folder(), _model(info)).get(f"{kind} {head}", HeadName(""))
    with st.expander(say("heads.name_it"), icon=":material/edit:"):
        with st.form(f"name_{kind}_{head}", border=False):
            # Keys with what is stored: after an import the boxes show that.
            key = f"{_NAME}_{kind}_{head}_{stored.name}"
            name = st.text_input(say("heads.name"), stored.name, LONGEST_NAME, key=key)
            key = f"{_NOTE}_{kind}_{head}_{stored.note}"
            note = st.text_area(say("heads.note_of_head"), stored.note, max_chars=LONGEST_NOTE, key=key)
            if st.form_submit_button(say("heads.save_name")):
                change = {f"{kind} {head}": HeadName(name.strip(), note.strip())}
                act(lambda: save_names(folder(), _model(info), change))
        _exchange(info)


def _exchange(info: CheckpointInfo) -> None:
    """Export and import of all names of a model."""
    say, names = translator(), read_names(folder(), _model(info))
    if names:
        content = to_json(_model(info), names)
        file = f"{info.name}-heads.json"
        st.download_button(
            say("heads.export_names"), content, file, "application/json", on_click="ignore", icon=":material/download:"
        )
    if uploaded := st.file_uploader(say("heads.import_names"), "json", key="import_names"):
        try:
            imported = from_json(uploaded.getvalue().decode("utf-8", "replace"))
        except Failure as failure:
            show_failure(failure, "broken_image", st.error)
            return
        if st.button(say("heads.import_count", count=len(imported)), key="import_names_now"):
            act(lambda: save_names(folder(), _model(info), imported))


def _model(info: CheckpointInfo) -> str:
    return f"{info.task}/{info.name}"
