"""Below the explorer: the translation that is shown as figures and files to download."""

from collections.abc import Mapping

import streamlit as st

from pages.shared import downloads
from pages.shared.cache import load_model
from pages.shared.head_names import given
from pages.shared.selection import LIMITS, SCALES, parse_heads
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.heads.statistics import translation_statistics
from viz_core.analysis.selection import SPECIAL_CHOICES, translation_map
from viz_core.analysis.translation.changes import TranslationChanges, fed_ids
from viz_core.analysis.translation.live import read_reference, translate_live
from viz_core.analysis.value_norms import value_weighted_translation
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.explorer.standalone import standalone_translation
from viz_core.language import Translator
from viz_core.records import Failure, Translation
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.small_multiples import head_grid
from viz_core.rendering.theme import Theme
from viz_core.tables.downloads import map_csv, translation_npz


def figures(info: CheckpointInfo, state: Mapping[str, str]) -> None:
    """An expander with the translation as figures and files. state: what is set, as in the link."""
    say = translator()
    expander = st.expander(say("pages.figures"), icon=":material/download:", key="figures", on_change="rerun")
    if not expander.open:
        return
    with expander:
        if translation := translate_or_warn(info, state):
            _figures(info, translation, state)


def translate_or_warn(info: CheckpointInfo, state: Mapping[str, str]) -> Translation | None:
    """The translation that the component shows; None, after a warning, if there is none."""
    try:
        return translate_state(load_model(info), state)
    except (Failure, ValueError) as error:  # the component says why; a mistyped link says nothing new
        if isinstance(error, Failure):
            st.warning(escape_markdown(translator()(error.message)), icon=":material/edit:")
        return None


def translate_state(checkpoint: Checkpoint, state: Mapping[str, str]) -> Translation:
    """The translation that the component shows. Raises Failure, or ValueError for numbers that are none."""
    source = checkpoint.text_encoder.encode(state["text"])
    changes = changes_of(checkpoint, state)
    if state["view"] == "training":
        events = read_reference(checkpoint, source, state["reference"], changes)
    else:
        decoding = Decoding(
            state["decoding"], float(state["temperature"]), int(float(state["seed"])), int(float(state["width"]))
        )
        events = translate_live(checkpoint, source, decoding, changes)
    return next(event for event in events if isinstance(event, Translation))


def changes_of(checkpoint: Checkpoint, state: Mapping[str, str]) -> TranslationChanges:
    """What is changed in the model and its words. Raises as `translate_state`."""
    return TranslationChanges(
        frozenset((int(layer) - 1, int(head) - 1) for layer, head in _split(state["masked"], ".")),
        frozenset(int(token) - 1 for token in state["blocked"].split()),
        fed_ids(checkpoint, [(int(position) - 1, word) for position, word in _split(state["fed"], ":")]),
    )


def _split(text: str, separator: str) -> list[tuple[str, str]]:
    """The parts of a link before and after a separator."""
    return [(first, second) for first, _, second in (part.partition(separator) for part in text.split())]


def _figures(info: CheckpointInfo, translation: Translation, state: Mapping[str, str]) -> None:
    say, theme = translator(), page_theme()
    shown = value_weighted_translation(translation) if state["measure"] == "norms" else translation
    kind = state["kind"] if state["kind"] in translation.attention else "cross"
    config = info.settings.config
    special = state["special"] if state["special"] in SPECIAL_CHOICES else "shown"
    scale = state["scale"] if state["scale"] in SCALES else "linear"
    limit = state["limit"] if state["limit"] in LIMITS else "full"
    layer, head = next(iter(parse_heads(state["head"], config.layers, config.heads)), (0, 0))
    map_ = translation_map(shown, kind, layer, head, special)
    downloads.show(
        attention_heatmap(map_, say, theme, scale, limit), "heatmap", lambda: map_csv(map_), alt=say(map_.title)
    )
    shown_layer = config.layers - 1 if layer is None else layer
    maps = [translation_map(shown, kind, shown_layer, number, special) for number in range(config.heads)]
    titles = [say("pages.head_number", head=number + 1) for number in range(config.heads)]
    st.header(say("pages.all_heads", layer=shown_layer + 1), anchor="heads")
    downloads.show(
        head_grid(maps, titles, say, theme, scale, limit), "heads", alt=say("pages.all_heads", layer=shown_layer + 1)
    )
    downloads.whole_input(
        lambda: _standalone(translation, {"kind": kind, "measure": state["measure"]}, given(info), say, theme),
        "translation.html",
        lambda: translation_npz(translation),
        "translation.npz",
    )


def _standalone(
    translation: Translation, selection: Mapping[str, str], names: Mapping[str, str], say: Translator, theme: Theme
) -> str:
    statistics = {name: translation_statistics(translation, name) for name in translation.attention}
    return standalone_translation(translation, statistics, say, theme, selection, names=names)
