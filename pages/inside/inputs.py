"""The model that is followed and what it reads, in every section: models from elsewhere among them.

Of a translation that is the sentence, and its tokens if it is not the greedy one: in the session and in the link,
`outputs=12.7.3`, their ids.
"""

import re
from collections.abc import Callable

import streamlit as st

from pages.shared import history, links
from pages.shared.cache import load_transformer
from pages.shared.inputs import linked_text, text_box, text_glosses
from pages.shared.kinds import InsideInput, page_kind, task_page
from pages.shared.opening import INSIDE_OUTPUTS
from pages.shared.other_models import open_models, reopen_linked
from pages.shared.own_tasks import visible_tasks
from pages.shared.pickers import pick_task_and_model, pick_text_count
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown, join_sentences
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import OTHER, Failure

HEIGHT = 68  # of a text box, in px: the least; what is shown below matters
SOURCE = "source"  # the sentence that is translated, in the session and in the link
OUTPUTS = "outputs"  # in the link
_IDS = re.compile(r"\d{1,6}(\.\d{1,6}){0,999}", re.ASCII)


def pick_model(
    section: str, of_runs: bool = True, needs_steps: Callable[[CheckpointInfo], bool] = lambda info: True
) -> CheckpointInfo | None:
    """The pickers of a task that has the section, and of a model. None, after a sentence, if there is none, or if it is
    from elsewhere and its steps are not known. of_runs: as of `pickers.pick_model`. needs_steps: whether the section
    needs them of a model from elsewhere."""
    if st.query_params.get("task") == OTHER:
        reopen_linked()
    names = [*visible_tasks(), *([OTHER] if open_models() else [])]
    tasks = [task for task in names if (kind := page_kind(task).inside) and section in kind.sections]
    info = pick_task_and_model(tasks, of_runs=of_runs)
    if info is None or info.task != OTHER or not needs_steps(info):
        return info
    try:
        load_transformer(info)
    except Failure as failure:
        say = translator()
        sentences = join_sentences([say(failure.message), say("inside.not_followed")], say)
        st.info(escape_markdown(sentences), icon=":material/visibility_off:")
        return None
    return info


def pick_texts(info: CheckpointInfo) -> InsideInput:
    """Draws the boxes of a text or a pair."""
    count = pick_text_count(info.task)
    page, texts = task_page(info.task, count), []
    glosses = text_glosses(page, dict(zip(page.boxes, page.first_texts, strict=True)))
    for number, column in enumerate(st.columns(count, gap="large")):
        with column:
            texts.append(text_box(page, number, height=HEIGHT, gloss=glosses[number]))
    return InsideInput(tuple(texts))


def pick_translation(info: CheckpointInfo) -> InsideInput:
    """The text box, at first with the second example, as it is short; and the translation that the link names, or that
    was shown on the page of translations, if it is of this sentence."""
    page = task_page(info.task)
    _, (first, *_) = page.examples[1 % len(page.examples)]
    (gloss,) = text_glosses(page, {SOURCE: first})
    text = linked_text(SOURCE, translator()("inside.source"), first, HEIGHT, gloss)
    of_text, outputs = _held_outputs(text)
    outputs = outputs if of_text == text else ()
    links.write({OUTPUTS: ".".join(map(str, outputs))}, {OUTPUTS: ""})
    return InsideInput((text,), outputs)


def _held_outputs(text: str) -> tuple[str, tuple[int, ...]]:
    """A sentence, and the ids of its translation, none for the greedy one: the session's, else the link's; after the
    browser went back or forward, the link's."""
    if history.goes_back() or INSIDE_OUTPUTS not in st.session_state:
        linked = st.query_params.get(OUTPUTS, "")
        ids = tuple(map(int, linked.split("."))) if _IDS.fullmatch(linked) else ()
        st.session_state[INSIDE_OUTPUTS] = text, ids
    return st.session_state[INSIDE_OUTPUTS]
