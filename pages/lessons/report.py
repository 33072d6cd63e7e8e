"""The report that a student hands in: below the last card of a lesson with questions that are answered in words."""

from collections.abc import Callable
from contextlib import suppress
from datetime import date

import streamlit as st

from pages.shared import lesson as lessons
from pages.shared.cache import explain_input, explain_outputs
from pages.shared.health import prediction_verdict
from pages.shared.models import find_model, task_models
from pages.shared.visitor import translator
from viz_core.analysis.selection import attention_map, translation_map
from viz_core.checkpoints import CheckpointInfo
from viz_core.language import Translator
from viz_core.lessons import Lesson
from viz_core.lessons.opened import Opened, opened
from viz_core.lessons.report import Report, Shown
from viz_core.records import AttentionMap, Explanation, Failure, Translation
from viz_core.rendering.caption import add_caption, caption, name_head
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.theme import theme
from viz_core.tasks import TRANSLATION, OfKind

_NAME, _MADE = "report_name", "report_made"  # in the session: the student's name; the lesson whose report is ready
_NAMED = 100  # characters of a name


def report(lesson: Lesson) -> None:
    """The box for a name, and the report as HTML and as a notebook; nothing if no question is answered in words."""
    if not any(card.ask and card.ask.text for card in lesson.cards):
        return
    say = translator()
    with st.popover(say("report.button"), icon=":material/description:", key="report"):
        st.caption(say("report.note"))
        # A form, because a download button that is pressed from the box would be quicker than the name.
        with st.form("report_form", border=False):
            student = st.text_input(say("report.name"), key=_NAME, max_chars=_NAMED, persist_state="session")
            if st.form_submit_button(say("report.make")):
                st.session_state[_MADE] = lesson.name
        if st.session_state.get(_MADE) == lesson.name:
            _downloads(lesson, student.strip())


def _downloads(lesson: Lesson, student: str) -> None:
    say, made = translator(), _report(lesson, student)
    makers: dict[str, tuple[Callable[[], str], str]] = {
        "html": (lambda: made.html(_shown(lesson, say), say, theme("light")), "text/html"),
        "ipynb": (lambda: made.notebook(say, _first_model), "application/x-ipynb+json"),
    }
    for form, (make, mime) in makers.items():
        label, file, key = say(f"report.download_{form}"), f"{lesson.name}.{form}", f"report_{form}"
        st.download_button(
            label, make, file, mime, key=key, on_click="ignore", icon=":material/download:", width="stretch"
        )


def _report(lesson: Lesson, student: str) -> Report:
    given = {card.name: lessons.answers().get(lessons.key(lesson, card)) for card in lesson.cards}
    return Report(lesson, given, student, date.today().isoformat())


def _first_model(task: str) -> str:
    return next((info.name for info in task_models(task)), "")


def _shown(lesson: Lesson, say: Translator) -> dict[str, Shown]:
    """What the cards open, drawn once each, by name of the card; what cannot be drawn is left out."""
    shown: dict[object, tuple[str, Shown]] = {}
    for card in lesson.cards:
        found = opened(card, say.language, _first_model)
        what = found and (found.reference, found.texts, found.head, found.kind)
        if found and what not in shown and (info := find_model(found.task, found.model)):
            with suppress(Failure, IndexError):  # no attention to draw; a head of another model
                shown[what] = card.name, _draw(info, found, say)
    return dict(shown.values())


def _draw(info: CheckpointInfo, found: Opened, say: Translator) -> Shown:
    record, attention, prediction = _READERS.of(found.task)(info, found, say)
    colours = theme("light")
    text = caption(record, say, date.today().isoformat(), name_head(*found.head), "linear")
    figure = attention_heatmap(attention, say, colours)
    add_caption(figure, text, colours)
    return Shown(figure, prediction)


def _read_texts(info: CheckpointInfo, found: Opened, say: Translator) -> tuple[Explanation, AttentionMap, str]:
    explanation = explain_input(info, *found.texts)
    prediction = say(prediction_verdict(explanation, info)) if explanation.has_prediction else ""
    return explanation, attention_map(explanation, *found.head), prediction


def _read_translation(info: CheckpointInfo, found: Opened, say: Translator) -> tuple[Translation, AttentionMap, str]:
    translation = explain_outputs(info, found.texts[0])
    kind = found.kind if found.kind in translation.attention else "cross"
    return translation, translation_map(translation, kind, *found.head), translation.text


# By kind of task: what the model makes of the texts, the attention that is drawn, and the prediction as a sentence.
_READERS: OfKind[Callable[..., tuple[Explanation | Translation, AttentionMap, str]]] = OfKind(_read_texts)
_READERS.register(TRANSLATION, _read_translation)
