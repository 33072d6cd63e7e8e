"""The page of models from elsewhere that were opened on this machine: any text or pair, or a text that is rewritten."""

from __future__ import annotations

import streamlit as st

from pages.explore.instrument import pack_opening
from pages.explore.page import describe_other, follow_texts
from pages.routes import translate
from pages.shared import links, teacher
from pages.shared.cache import load_model
from pages.shared.other_models import JUST_OPENED, open_models, open_section, reopen_linked
from pages.shared.pickers import describe_size, pick_text_count
from pages.shared.tasks import OTHER_PAGES
from pages.shared.translating import TranslationPage, mount_translation
from pages.shared.visitor import translator
from viz_core.analysis.translation.translating import first_token
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import ELSEWHERE, OTHER, OTHER_TRANSLATION

EXAMPLES = (  # of texts for which something is written: name (`other.example_<name>`), text, no reference
    ("sentence", "The cat that sat on the mat was not hungry.", ""),
    ("instruction", "translate English to German: The house is old, but the garden is new.", ""),
    ("chinese", "今天的天气真好，我们一起去公园散步吧。", ""),
)


def other_models() -> None:
    """The pickers of a model and of the number of texts, the instrument, and the form that opens another model."""
    say = translator()
    st.title(say("other.title"))
    note_column, model_column = st.columns([3, 2], vertical_alignment="center")
    note_column.caption(say("other.note"))
    reopen_linked()
    models = {info.name: info for info in open_models(ELSEWHERE)}
    if models:
        with model_column:
            info = _pick(models)
        if info.task == OTHER_TRANSLATION:
            _translate(info)
        else:
            record = OTHER_PAGES[pick_text_count()]
            follow_texts(record, info, pack_opening(record, info))
    else:
        st.info(say("other.none" if teacher.may_manage_all() else "other.none_here"), icon=":material/folder_open:")
    open_section()


def _translate(info: CheckpointInfo) -> None:
    """A text, and what the decoder writes for it, as on the page of translations."""
    page = TranslationPage(
        translate.PATH, OTHER, EXAMPLES, OTHER_TRANSLATION, first_token(load_model(info)), has_inside=False
    )
    mount_translation(page, info, page.first)
    describe_other(info)


def _pick(models: dict[str, CheckpointInfo]) -> CheckpointInfo:
    say, names = translator(), list(models)
    if name := st.session_state.pop(JUST_OPENED, None):  # the picker of another page has the same key
        st.session_state["model"] = name
    links.restore("model", names[0], names)
    labels = {name: say("pages.model_option", name=name, size=describe_size(info)) for name, info in models.items()}
    name = st.selectbox(say("pages.model"), names, key="model", format_func=labels.get, label_visibility="collapsed")
    links.record("model", "")  # never left out: which model is the newest changes
    return models[name]
