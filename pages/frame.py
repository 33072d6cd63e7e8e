"""The script that Streamlit runs for every visitor: the settings row that all pages share, then the page itself."""

from pathlib import Path

import streamlit as st

from pages import kinds  # noqa: F401  (its records are registered where it is imported)
from pages.evaluation import page as evaluation
from pages.generation import page as generation
from pages.home import page as home
from pages.inside import page as inside
from pages.models import page as models
from pages.shared import history, links, navigation
from pages.shared.clients import held, page_client
from pages.shared.kinds import PageKind, page_kind, task_page, tasks_with_page
from pages.shared.other_models import open_language_models
from pages.shared.settings import declare_language, login_button, share
from pages.shared.tasks import TaskPage
from pages.shared.visitor import page_theme, translator
from pages.training import page as training
from viz_core.language import LANGUAGES, closest_language
from viz_core.rendering.theme import ink_on

_FRAME, _STREAMLIT, _PROJECTOR = (
    Path(__file__).with_name(f"{name}.css").read_text("utf-8") for name in ("frame", "streamlit", "projector")
)


def settings_row() -> None:
    """Draws the settings row: link to share, projector mode and language."""
    # What all below is drawn with, the widgets included.
    own_language = closest_language(st.context.locale)
    links.restore("lang", own_language, links.one_of(LANGUAGES))
    links.restore("projector", False, links.on_or_off)
    say = translator()
    accent = page_theme().accent
    style = _FRAME + _STREAMLIT + (_PROJECTOR if st.session_state["projector"] else "")
    st.html(f"<style>:root {{ --focus: {accent}; --on-focus: {ink_on(accent)}; }} {style}</style>")
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", key="settings"):
        login_button()
        with st.container(width="content"):
            share()
        links.link(
            st.toggle,
            "projector",
            say("pages.projector"),
            default=False,
            read=links.on_or_off,
            help=say("pages.projector_help"),
            width="content",
        )
        links.pick(
            st.segmented_control,
            "lang",
            "Language · 语言",
            LANGUAGES,
            LANGUAGES.get,
            own_language,
            always=True,
            label_visibility="collapsed",
        )


def pages() -> list[st.Page]:
    """The pages with titles in the visitor's language, one page per task."""
    say = translator()
    return [
        st.Page(home.home, title=say("pages.home"), url_path="home", default=True),
        *(_task_page(task_page(task), page_kind(task)) for task in tasks_with_page()),
        _language_models(),
        st.Page(inside.inside, title=say("inside.page"), url_path="inside"),
        st.Page(models.models, title=say("health.page"), url_path="models"),
        st.Page(evaluation.evaluation, title=say("pages.evaluation"), url_path="evaluation"),
        st.Page(training.training, title=say("pages.training"), url_path="training"),
    ]


def _language_models() -> st.Page:
    """In the navigation once one is open, as the page of models from elsewhere."""
    visibility = "visible" if open_language_models() else "hidden"
    title = translator()("generation.page")
    return st.Page(generation.language_models, title=title, url_path=generation.URL, visibility=visibility)


def _task_page(page: TaskPage, kind: PageKind) -> st.Page:
    def draw() -> None:
        kind.page(page)

    draw.__name__ = page.url
    visibility = "visible" if kind.is_shown() else "hidden"
    return st.Page(draw, title=page.sentence(translator(), "page"), url_path=page.url, visibility=visibility)


st.set_page_config(page_title="Attention Microscope · 注意力显微镜", page_icon="🔬", layout="wide")
history.mount()
settings_row()
declare_language(translator().language)
if page_client() in held:
    st.warning(translator()("pages.held"), icon=":material/hourglass:")
st.navigation(navigation.remember(pages()), position="top").run()
