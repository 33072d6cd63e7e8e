"""Patching between two sentences: what carries the first word in which their translations differ."""

from collections.abc import Mapping

import streamlit as st

from pages.shared import downloads, links
from pages.shared.cache import model_version
from pages.shared.patching_parts import effects, other_text, what_becomes
from pages.shared.patching_runs import contrast_of_texts, explain_with, sites_of
from pages.shared.tasks import TaskPage
from pages.shared.visitor import page_theme, show_failure, translator
from pages.shared.wording import escape_markdown, join_sentences
from viz_core.analysis.explain import explain_batch
from viz_core.analysis.patching.next_word import CROSS, written_before
from viz_core.analysis.patching.patch import cell_at
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.models.protocol import AttentionKind
from viz_core.records import Contrast, Failure, Site
from viz_core.rendering.patching import patching_map
from viz_core.rendering.scales import with_sign
from viz_core.tables.downloads import patching_csv


def patching_section(page: TaskPage, info: CheckpointInfo, state: Mapping[str, str]) -> None:
    """The other sentence, the part, and its map. state: what is set, as in the link."""
    say, text = translator(), state["text"]
    st.caption(say("patching.translation_note"))
    sentences = [*page.changed[:1], *(texts[0] for _, texts in page.examples)]
    default = next((sentence for sentence in sentences if sentence != text), text)
    other = other_text(page.task, "text", st.text_input, say("patching.other_sentence"), default)
    site = links.pick(
        st.segmented_control,
        "site",
        say("evidence.patching"),
        (*sites_of(info, (text,)), CROSS),
        lambda option: say(f"patching.site_{option}"),
        label_visibility="collapsed",
    )
    try:
        _show(info, other, text, site, sentences)
    except Failure as failure:
        show_failure(failure, "edit", st.info)


def _show(info: CheckpointInfo, other: str, text: str, chosen: str, sentences: list[str]) -> None:
    say = translator()
    kind: AttentionKind = CROSS if chosen == CROSS else "self"
    site: Site = "heads" if chosen == CROSS else chosen
    model, found = contrast_of_texts(info, (other,), (text,), kind)
    st.markdown(escape_markdown(_measured(model, found)))
    unrelated = next(((sentence,) for sentence in reversed(sentences) if sentence not in (other, text)), None)
    patching, notes = effects(info, found, unrelated, site, kind)
    figure = patching_map(patching, site, say, page_theme(), f"patching.title_{chosen}")
    downloads.show(figure, "patching", lambda: patching_csv(patching, site), alt=figure.layout.title.text)
    layer, column = patching.strongest(site)
    (before,) = explain_batch(model, [found.target])
    after = explain_with(info, model_version(info), (other,), (text,), cell_at(site, layer, column), kind)
    st.markdown(escape_markdown(what_becomes(found, site, layer, column, before, after)))
    st.caption(join_sentences([*map(escape_markdown, notes), say("patching.caution")], say))


def _measured(model: Checkpoint, found: Contrast) -> str:
    """The words that differ, what was written before them, and how much the model prefers one to the other."""
    say, (first, second) = translator(), found.labels
    written = written_before(model)
    values = {"source": with_sign(found.source_difference, 2), "target": with_sign(found.target_difference, 2)}
    key = "patching.next_word" if written else "patching.first_word"
    return say(key, written=written, first=first, second=second, **values)
