"""The first page: what the app shows, on an example to touch; the ways into it, a tour, a scene about pre-training."""

from pathlib import Path

import streamlit as st

from pages.home.tiles import tiles
from pages.routes.packed import pack_input
from pages.shared import navigation
from pages.shared.cache import explain_input
from pages.shared.component import component, follow_theme
from pages.shared.models import find_model
from pages.shared.opening import open_input
from pages.shared.selection import defaults, reference
from pages.shared.tasks import BEFORE_AND_AFTER, PAGES, PREVIEW, TOUR, TOUR_PAGES, TourStep, first_head
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.folders import DOCUMENTS
from viz_core.records import Failure
from viz_core.rendering.probabilities import percent

_STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")

# All heads, and the links of one from each word of the first question to those of the second.
_SELECTION = {"views": "14", "block": "ab", "special": "hidden", "query": "all"}
_preview = component("preview", '<div class="explorer"></div>', ["theme"], bundle="explorer")


def home() -> None:
    """The example beside introduction and tour, a tile per page, then a scene."""
    say = translator()
    st.html(f"<style>{_STYLE}</style>")
    with st.container(key="home_title"):
        st.title(say("pages.home_title"))
    text_column, preview_column = st.columns([2, 3], gap="large")
    with text_column:
        st.markdown(say("home.text"))
        if DOCUMENTS.is_dir():
            folder = "documents" if say.language == "en" else f"documents/{say.language}"
            st.markdown(f":material/menu_book: [{say('home.documents')}]({folder}/index.html)")
        st.markdown(f"**{say('home.tour')}**")
        with st.container(gap=None, key="tour"):
            tour()
    with preview_column, st.container(key="example"):
        preview()
    tiles()
    before_and_after()


def tour() -> None:
    """Buttons, because a link would not replace what the visitor has typed."""
    steps = {step.name: step for step in TOUR}
    for number, name in enumerate([*steps, *TOUR_PAGES], 1):
        if _button(number, name):
            _open_example(steps[name]) if name in steps else navigation.switch(name)


def _button(number: int, name: str) -> bool:
    say = translator()
    label = f"{number}. {say(f'home.tour_{name}')}"
    return st.button(label, key=f"tour_{name}", type="tertiary", help=say(f"home.tour_{name}_help"))


def _open_example(step: TourStep) -> None:
    info, page = find_model(step.task, step.model), PAGES[step.task]
    if info is None:  # removed from the folder of checkpoints
        navigation.switch(page.url)
    examples = dict(page.examples)
    compared = reference(step.model, examples[step.before], step.head) if step.before else None
    open_input(info, examples[step.example], step.head, compared)


@st.fragment
def preview() -> None:
    """The links between the words; nothing if the model of the example is missing."""
    say, record = translator(), PAGES[PREVIEW]
    info = next(iter(checkpoints.task_checkpoints(PREVIEW)), None)
    if info is None:
        return
    try:
        explanation = explain_input(info, *record.first_texts)
    except Failure:
        return
    st.caption(say("home.preview_note"))
    data = pack_input(info, explanation, say, page_theme(), {**defaults(explanation), **_SELECTION})
    follow_theme(_preview(key="preview", data=data))


def before_and_after() -> None:
    """A row per sentence, with the prediction of each model; nothing unless there are two models to compare."""
    say, scene = translator(), BEFORE_AND_AFTER
    infos = [info for name in scene.models if (info := find_model(scene.task, name))]
    if len(infos) < 2:
        return
    st.subheader(say("home.before_and_after"))
    st.caption(say("home.before_and_after_note"))
    for number, (text, label) in enumerate(scene.inputs):
        with st.container(horizontal=True, vertical_alignment="center", key=f"scene_{number}"):
            st.markdown(f"“{escape_markdown(text)}”", width="stretch")
            for info in infos:
                _prediction(info, text, label, infos[0])


def _prediction(info: CheckpointInfo, text: str, label: str, first: CheckpointInfo) -> None:
    """A button with the prediction of a model, which opens it beside the first one."""
    say = translator()
    try:
        explanation = explain_input(info, text)
    except Failure:
        return
    predicted = explanation.labels[explanation.predicted]
    sentence = say(
        "home.before_and_after_prediction",
        name=info.name,
        label=say(f"rendering.label_{predicted}"),
        percent=percent(float(explanation.probabilities[explanation.predicted])),
    )
    icon = ":material/check:" if predicted == label else ":material/close:"
    if st.button(escape_markdown(sentence), key=f"scene_{info.name}_{text}", icon=icon, width=275):
        head = first_head(first.task, first.name)
        beside = reference(first.name, head=head, mode="side") if info.name != first.name else None
        open_input(info, (text,), reference=beside)
