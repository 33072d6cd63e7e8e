"""The script that Streamlit runs for every visitor: the settings row that all pages share, then the page itself."""

from pathlib import Path

import streamlit as st

from pages import kinds  # noqa: F401  (its records are registered where it is imported)
from pages.evaluation import page as evaluation
from pages.home import page as home
from pages.inside import page as inside
from pages.models import page as models
from pages.shared import history, links, navigation
from pages.shared.kinds import PageKind, page_kind, task_page, tasks_with_page
from pages.shared.settings import declare_language, login_button, share
from pages.shared.tasks import TaskPage
from pages.shared.visitor import page_theme, translator
from pages.training import page as training
from viz_core.language import LANGUAGES, closest_language
from viz_core.rendering.theme import ink_on

# Streamlit's top padding and titles take too much room on a projector. On wide screens the settings stand beside the
# title, which wraps before them. Expanders open without animation: at the end of Streamlit's, the content collapses
# for a moment and the page jumps. Its captions have a contrast of 4.1:1, and white on the accent of its dark theme, in
# buttons and chosen options, 3.3:1; WCAG 2.2 asks for 4.5:1.
# The last cell of a table row is a sentence of limited line length; the figures before it do not wrap.
_STYLE = """<style>
.stMainBlockContainer { padding-top: 4rem; padding-bottom: 4rem; }
.stMainBlockContainer h1 { font-size: 2rem; padding: 0.2rem 0; }
.stMainBlockContainer h2 { font-size: 1.5rem; padding: 0.3rem 0; }
.stMainBlockContainer h3 { font-size: 1.25rem; padding: 0.3rem 0; }
.stMainBlockContainer h4 { font-size: 1.1rem; padding: 0.2rem 0; }
@media (min-width: 900px) {
  .stMainBlockContainer { padding-top: 2.75rem; }
  .stMainBlockContainer h1 { padding: 0; max-width: calc(100% - 23rem); }
  .st-key-settings { margin-bottom: -4.2rem; z-index: 1; }
}
.st-key-history, .st-key-page_language { display: none; }
.stExpander details:not(:has(> [inert])) { height: auto !important; }
.stTable [data-testid="stMarkdownContainer"] { max-width: 45rem; }
[data-testid="stCaptionContainer"] { opacity: 0.75; }
[data-testid^="stBaseButton-primary"]:not(:disabled) { color: ON_PRIMARY !important; }
.stMultiSelect [data-baseweb="tag"] span { color: ON_PRIMARY !important; }
.stTable td:not(:last-child) p { white-space: nowrap; }
.st-key-comparison .stTable td:nth-child(4) p { white-space: normal; } /* what a model learns from: a list */
.stTable th, .stTable th p { word-break: keep-all !important; }
.stButtonGroup [role="radiogroup"] { flex-wrap: wrap; }
@media (max-width: 640px) { .stTable td:last-child { min-width: 14rem; } } /* a table scrolls sideways there */
</style>"""
_FOCUS = (Path(__file__).parent / "frame.css").read_text(encoding="utf-8")
_PROJECTOR = """<style>
html { font-size: 20px !important; } /* Streamlit sizes everything in rem */
/* Most titles fit beside the settings in 1280 px, and what stands below these keeps clear of them. */
.stMainBlockContainer h1 { font-size: 1.6rem; padding-bottom: 0.4rem; }
@media (max-width: 1700px) {
  /* Two figures of this size do not fit in a row, except those of a training, which are half as wide. */
  .stHorizontalBlock:has([class*="st-key-view_"]):not(:has([class*="_curve_"], [class*="_replay_"])) > .stColumn {
    min-width: 100%;
  }
  [class*="st-key-view_head_profile"] { overflow-x: auto; > * { min-width: 72rem; } } /* its headings would overlap */
}
</style>"""


def settings_row() -> None:
    """Draws the settings row: link to share, projector mode and language."""
    links.restore("lang", closest_language(st.context.locale), list(LANGUAGES))
    links.record("lang", None)  # always in the link: the browser of whoever opens it may prefer another language
    say = translator()
    links.restore("projector", False, (False, True))
    accent = page_theme().accent
    focus = f"<style>:root {{ --focus: {accent}; --on-focus: {ink_on(accent)}; }} {_FOCUS}</style>"
    projector = _PROJECTOR if st.session_state["projector"] else ""
    st.html(_STYLE.replace("ON_PRIMARY", ink_on(accent)) + focus + projector)
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", key="settings"):
        login_button()
        with st.container(width="content"):
            share()
        st.toggle(
            say("pages.projector"),
            key="projector",
            help=say("pages.projector_help"),
            persist_state="session",
            width="content",
        )
        st.segmented_control(
            "Language · 语言",
            list(LANGUAGES),
            key="lang",
            required=True,
            format_func=LANGUAGES.get,
            label_visibility="collapsed",
            persist_state="session",
        )
    links.record("projector", False)


def pages() -> list[st.Page]:
    """The pages with titles in the visitor's language, one page per task."""
    say = translator()
    return [
        st.Page(home.home, title=say("pages.home"), url_path="home", default=True),
        *(_task_page(task_page(task), page_kind(task)) for task in tasks_with_page()),
        st.Page(inside.inside, title=say("inside.page"), url_path="inside"),
        st.Page(models.models, title=say("health.page"), url_path="models"),
        st.Page(evaluation.evaluation, title=say("pages.evaluation"), url_path="evaluation"),
        st.Page(training.training, title=say("pages.training"), url_path="training"),
    ]


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
st.navigation(navigation.remember(pages()), position="top").run()
