"""The page of models from elsewhere that were opened on this machine: any text or pair, or a text that is rewritten."""

import streamlit as st

from pages.explore.instrument import pack_opening
from pages.explore.page import describe_other, follow_texts
from pages.routes import translate
from pages.shared import links, navigation, teacher
from pages.shared.kinds import task_page
from pages.shared.other_models import JUST_OPENED, open_models, open_section, reopen_linked
from pages.shared.pickers import describe_size, pick_text_count
from pages.shared.tasks import TaskPage
from pages.shared.translating import mount_translation
from pages.shared.visitor import translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import ELSEWHERE, OTHER, OTHER_TRANSLATION


def other_models(page: TaskPage) -> None:
    """The pickers of a model and of the number of texts, the instrument, and the form that opens another model; with a
    model from text to text, what its decoder writes for one, as on the page of translations."""
    say = translator()
    st.title(page.sentence(say, "title"))
    pages_column, model_column = st.columns([3, 2], vertical_alignment="center")
    with pages_column:
        navigation.beside()
    reopen_linked()
    models = {info.name: info for info in open_models(ELSEWHERE)}
    if models:
        with model_column:
            info = _pick(models)
        _DRAW[info.task](info)
    else:
        st.info(say("other.none" if teacher.may_manage_all() else "other.none_here"), icon=":material/folder_open:")
    open_section()


def _explain(info: CheckpointInfo) -> None:
    record = task_page(info.task, pick_text_count(info.task))
    follow_texts(record, info, pack_opening(record, info), describe_other)


def _translate(info: CheckpointInfo) -> None:
    mount_translation(task_page(info.task), info, translate.PATHS)
    describe_other(info)


_DRAW = {OTHER: _explain, OTHER_TRANSLATION: _translate}


def _pick(models: dict[str, CheckpointInfo]) -> CheckpointInfo:
    say = translator()
    if name := st.session_state.pop(JUST_OPENED, None):  # the picker of another page has the same key
        st.session_state["model"] = name
    labels = {name: say("pages.model_option", name=name, size=describe_size(info)) for name, info in models.items()}
    settings = {"always": True, "label_visibility": "collapsed", "persist_state": None}
    return models[links.pick(st.selectbox, "model", say("pages.model"), labels, labels.get, **settings)]
