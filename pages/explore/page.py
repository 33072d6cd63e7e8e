"""The page of a task: the instrument, and below it everything that follows the text once the keys rest."""

from collections.abc import Callable

import streamlit as st

from pages.explore.attributions import show_contributions
from pages.explore.evidence import evidence
from pages.explore.figures import figures
from pages.explore.instrument import mount_instrument, pack_opening
from pages.shared import downloads, navigation, own_verdict
from pages.shared.kinds import page_kind
from pages.shared.own_tasks import escaped, leave_if_closed
from pages.shared.pickers import describe_kind, pick_model, show_no_attention
from pages.shared.selection import selection
from pages.shared.tasks import TaskPage
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown, join_sentences
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Explanation
from viz_core.rendering.token_table import token_table


def explorer(record: TaskPage) -> None:
    """Draws the page of a task whose models read a text or a pair."""
    say = translator()
    st.title(escaped(record.task, record.sentence(say, "title")))
    pages_column, model_column = st.columns([3, 2], vertical_alignment="center")
    with pages_column:
        navigation.beside()
    with model_column:
        info = pick_model(record.task, label="collapsed", of_runs=True)
    if info:
        follow_texts(record, info, pack_opening(record, info), describe_model)


@st.fragment
def follow_texts(
    record: TaskPage, info: CheckpointInfo, data: bytes, describe: Callable[[CheckpointInfo], None]
) -> None:
    """The instrument, what the model is, and what follows the texts. New texts and selections rerun this fragment
    alone."""
    leave_if_closed(info.task)
    explanation = mount_instrument(record, info, data)
    describe(info)
    if explanation is None:
        return
    _show_tokens(record, info, explanation)
    if explanation.has_attention:
        figures(info, explanation, selection(explanation))
    else:
        show_no_attention(info, "explorer")
        show_contributions(info, explanation)
    evidence(info, explanation)


def describe_model(info: CheckpointInfo) -> None:
    """What a model is, and how good it is."""
    describe_kind(info)
    page_kind(info.task).banner(info)
    own_verdict.caption(info.task)


def describe_other(info: CheckpointInfo) -> None:
    """What a model from elsewhere is, and what of it cannot be shown."""
    say, config = translator(), info.settings.config
    values = {"family": config.family, "parameters": config.parameters(), "tokens": config.max_tokens}
    sentences = [say("other.about", **values), *map(say, info.settings.lacks)]
    if config.group > 1:
        sentences.append(say("other.shared_keys", count=config.group, last=config.group * 2, first=config.group + 1))
    st.caption(escape_markdown(join_sentences(sentences, say)))


def _show_tokens(record: TaskPage, info: CheckpointInfo, explanation: Explanation) -> None:
    """The token table, in an expander that is closed at first."""
    say = translator()
    with st.expander(say("pages.read", count=len(explanation.encoding.tokens)), icon=":material/toc:"):
        st.caption(record.sentence(say, "read_note_words" if info.units == "words" else "read_note", ""))
        downloads.show(token_table(explanation.encoding, say, page_theme()), "tokens", alt=say("rendering.token_table"))
