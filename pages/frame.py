"""The script that Streamlit runs for every visitor: the settings row that all pages share, then the page itself."""

import json
from pathlib import Path

import streamlit as st

from pages import kinds  # noqa: F401  (its records are registered where it is imported)
from pages.evaluation import page as evaluation
from pages.generation import page as generation
from pages.generation.models import has_language_models
from pages.head import page as head
from pages.home import page as home
from pages.inside import page as inside
from pages.lessons import page as lessons
from pages.lessons.card import beside_page
from pages.models import page as models
from pages.own_data import page as own_data
from pages.shared import history, links, navigation
from pages.shared.clients import held, page_client
from pages.shared.heads import URL as HEAD_URL
from pages.shared.kinds import PageKind, page_kind, task_page, tasks_with_page
from pages.shared.navigation import Entry, Place
from pages.shared.own_tasks import missing, note_opened
from pages.shared.settings import declare_language, login_button, share
from pages.shared.tasks import TaskPage
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
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
    colours = page_theme()
    style = _FRAME + _STREAMLIT + (_PROJECTOR if st.session_state["projector"] else "")
    variables = {
        "focus": colours.accent,
        "on-focus": ink_on(colours.accent),
        "paper": colours.background,
        "menu": json.dumps(say("pages.menu"), ensure_ascii=False),
    }
    root = " ".join(f"--{name}: {value};" for name, value in variables.items())
    st.html(f"<style>:root {{ {root} }} {style}</style>")
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", key="settings"):
        login_button()
        with st.container(width="content"):
            share()
        links.link(st.toggle, "projector", say("pages.projector"), default=False, read=links.on_or_off, width="content")
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


def places() -> list[Place]:
    """The navigation in the visitor's language. A page per task, hidden while it has nothing to show."""
    say = translator()
    note_opened()
    tasks = [_task_entry(task_page(task), page_kind(task)) for task in tasks_with_page()]
    has_models = has_language_models()
    language_models = Entry(generation.language_models, say("generation.page"), generation.URL, has_models)
    evidence = (
        Entry(models.models, say("health.page"), "models"),
        Entry(head.head, say("heads.page"), HEAD_URL, is_shown=False),
        Entry(evaluation.evaluation, say("pages.evaluation"), "evaluation"),
    )
    gone = [_gone_entry(name) for name in dict.fromkeys(missing())]
    trainings = (
        Entry(training.training, say("pages.training"), "training"),
        Entry(own_data.own_data, say("own_data.page"), own_data.URL),
    )
    known = [
        Place((Entry(home.home, say("pages.home"), "home"),)),
        Place((Entry(lessons.lesson_page, say("lessons.page"), "lessons"),)),
        Place((*tasks, language_models, *gone), say("pages.explore")),
        Place((Entry(inside.inside, say("inside.page"), "inside"),)),
        Place(evidence, say("pages.evidence")),
        Place(trainings, say("pages.training")),
    ]
    unknown = navigation.unknown(known)
    return [*known, Place((_unknown_entry(unknown),))] if unknown else known


def _task_entry(page: TaskPage, kind: PageKind) -> Entry:
    def draw() -> None:
        kind.page(page)

    draw.__name__ = page.url
    return Entry(draw, page.sentence(translator(), "page"), page.url, kind.is_shown())


def _gone_entry(name: str) -> Entry:
    """The page at the address of a task of somebody's own that is not there, or not any more."""

    def draw() -> None:
        st.title(translator()("own_data.gone_title"))
        navigation.beside()
        st.info(translator()("own.gone"), icon=":material/link_off:")

    draw.__name__ = name
    return Entry(draw, translator()("own_data.gone_title"), name, is_shown=False)


def _unknown_entry(name: str) -> Entry:
    """The page at an address at which there is none."""

    def draw() -> None:
        say = translator()
        st.title(say("pages.unknown_title"))
        st.info(say("pages.unknown", name=escape_markdown(name)), icon=":material/link_off:")

    return Entry(draw, translator()("pages.unknown_title"), name, is_shown=False)


st.set_page_config(page_title="Attention Microscope · 注意力显微镜", page_icon="🔬", layout="wide")
history.mount()
settings_row()
declare_language(translator().language)
if page_client() in held:
    st.warning(translator()("pages.held"), icon=":material/hourglass:")
navigation.run(places(), beside_page)
