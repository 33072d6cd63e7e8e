"""The logit lens: what the classifier, or the output layer of a decoder, makes of every layer."""

from functools import partial

import streamlit as st

from pages.inside.inputs import pick_model
from pages.routes.inside import translate_input
from pages.shared import downloads, links
from pages.shared.cache import explain_input, load_model, load_transformer
from pages.shared.kinds import InsideInput, page_kind
from pages.shared.own_tasks import task_theme
from pages.shared.pickers import describe_kind
from pages.shared.visitor import page_theme, show_failure, translator
from viz_core.analysis.inside.logit_lens import class_lens, text_lens, token_lens
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Failure
from viz_core.records.inside import ClassLens, TokenLens
from viz_core.rendering.logit_lens import POSITIONS, class_lines, token_cells
from viz_core.tables.downloads import lens_csv, token_lens_csv

_START = "lens_start"  # in the session and in the link


def section() -> None:
    """Model, texts, the view, and its source with its limits; a sentence where there is nothing to read off."""
    info = pick_model("lens", needs_steps=lambda info: info.settings.config.pooling != "last")  # next tokens need none
    if info is None:
        return
    say = translator()
    if not info.settings.config.layers:
        show_failure(Failure("lens.no_layers", name=f"{info.task}/{info.name}"), "edit", st.warning)
        describe_kind(info)
        return
    kind = page_kind(info.task).inside
    content = kind.pick_input(info)
    try:
        lens = kind.lens(info, content)
    except Failure as failure:
        show_failure(failure, "edit", st.warning)
        return
    if isinstance(lens, TokenLens):
        view, name, csv = token_cells(lens, say, page_theme()), "lens_tokens", token_lens_csv
    else:
        view, name, csv = class_lines(lens, say, task_theme(info.task)), "lens", lens_csv
    figure = notes = st.container()
    if isinstance(lens, ClassLens):  # lines leave space beside them; cells, a column per token, do not
        figure, notes = st.columns([3, 2], gap="large", vertical_alignment="center")
    with figure:
        downloads.show(view, name, partial(csv, lens), alt=say("lens.title"))
    notes.caption(say("lens.source"))


def lens_of_texts(info: CheckpointInfo, content: InsideInput) -> ClassLens | TokenLens:
    """Of classes, or of some positions of a text that a language model reads. Raises Failure."""
    explanation = explain_input(info, *content.texts)
    if explanation.kind != "causal":
        return class_lens(load_transformer(info), explanation.encoding)
    start = _pick_start(len(explanation.encoding.ids), from_end=True)
    return text_lens(load_model(info), explanation.encoding, start, POSITIONS)


def lens_of_translation(info: CheckpointInfo, content: InsideInput) -> TokenLens:
    """Raises Failure."""
    lens = token_lens(load_transformer(info), translate_input(info, content))
    return lens.window(_pick_start(lens.positions), POSITIONS)


def _pick_start(positions: int, from_end: bool = False) -> int:
    """The first of the positions that are shown, from 0; nothing to choose where all have room."""
    last = positions - POSITIONS + 1
    if last <= 1:
        return 0
    say, first = translator(), last if from_end else 1
    allowed = links.one_of(range(1, last + 1))
    return links.link(st.number_input, _START, say("lens.start"), 1, last, default=first, read=allowed, width=220) - 1
