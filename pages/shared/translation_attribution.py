"""Why this word of the translation, not that one: the attribution methods on the sentence and the words before it."""

from collections.abc import Mapping

import streamlit as st

from pages.shared import links
from pages.shared.attribution_parts import MethodComparison, compare, explain_methods, may_measure, show_attributions
from pages.shared.cache import explain_outputs, load_model, model_version
from pages.shared.tasks import TaskPage
from pages.shared.translation_figures import changes_of, translate_or_warn
from pages.shared.visitor import show_failure, translator
from viz_core.analysis.attribution.next_word import choices, explain_word
from viz_core.analysis.translation.changes import TranslationChanges, changes_hook
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Failure, Step, Translation, show_whitespace
from viz_core.rendering.probabilities import percent

_CLICKED = "clicked_word"  # in the session: the word that was clicked last
Heads, Tokens = frozenset[tuple[int, int]], frozenset[int]


def attribution_section(page: TaskPage, info: CheckpointInfo, state: Mapping[str, str]) -> None:
    """A word, the one that it is compared with, and the methods. state: what is set, as in the link."""
    say, translation = translator(), translate_or_warn(info, state)
    if translation is None:
        return
    with st.container(horizontal=True):
        position = _pick_word(translation, state["word"])
        step = translation.steps[position]
        against = _pick_against(step)
    st.caption(say("attribution.translation_note"))
    outputs = tuple(step.output.id for step in translation.steps[: position + 1])
    if not may_measure(info, len(translation.source.ids) + len(outputs), (*translation.source.texts, str(outputs))):
        return
    changes = changes_of(load_model(info), state)
    try:
        with st.spinner(say("attribution.measuring")):
            arguments = translation.source.texts[0], outputs, changes.masked, changes.blocked, against
            comparison = _compare(info, model_version(info), *arguments)
    except Failure as failure:
        show_failure(failure, "edit", st.info)
        return
    sides = say("attribution.side_source"), say("attribution.side_written")
    likeliest = step.candidates[0].token
    show_attributions(comparison, [word.token for word in choices(step)], likeliest, sides=sides)
    explain_methods(comparison)


def _pick_word(translation: Translation, clicked: str) -> int:
    """The position of a word: the one clicked last above, or chosen here; at first the least certain one."""
    say, outputs = translator(), translation.outputs
    positions = range(1, len(outputs) + 1)
    if clicked != st.session_state.setdefault(_CLICKED, clicked):
        st.session_state.update({_CLICKED: clicked} | ({"target": int(clicked)} if clicked.isdecimal() else {}))
    first = min(positions, key=lambda position: translation.steps[position - 1].output.probability)
    if clicked.isdecimal() and int(clicked) in positions:
        first = int(clicked)
    name = lambda position: f"{position} · {outputs[position - 1]}"  # noqa: E731
    return links.pick(st.selectbox, "target", say("attribution.word"), positions, name, first, width=280) - 1


def _pick_against(step: Step) -> str:
    """Another candidate, or empty for all other words."""
    say, others = translator(), {word.token: word for word in choices(step)[1:]}

    def name(token: str) -> str:
        if not token:
            return say("attribution.against_all")
        return f"{show_whitespace(token)} · {percent(others[token].probability)}"

    return links.pick(st.selectbox, "against", say("attribution.against"), [*others, ""], name, width=280)


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs={CheckpointInfo: lambda info: str(info.path)})
def _compare(
    info: CheckpointInfo,
    version: tuple,
    text: str,
    outputs: tuple[int, ...],
    masked: Heads,
    blocked: Tokens,
    against: str,
) -> MethodComparison:
    """The methods on the last of these words."""
    checkpoint, translation = load_model(info), explain_outputs(info, text, outputs, masked, blocked)
    hook = changes_hook(checkpoint, translation.source, TranslationChanges(masked, blocked))
    view, explanation = explain_word(checkpoint, translation, len(outputs) - 1, hook)
    return compare(view, explanation, 0, explanation.labels.index(against) if against else None)
