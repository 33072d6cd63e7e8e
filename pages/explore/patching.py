"""Activation patching: numbers of another text are put into the run of this one, part by part."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import streamlit as st

from pages.explore.patching_paths import show_paths
from pages.shared import downloads, links
from pages.shared.cache import load_model, model_version
from pages.shared.kinds import task_page
from pages.shared.patching_parts import effects, other_text, what_becomes
from pages.shared.patching_runs import explain_with, sites_of
from pages.shared.pickers import explain_or_warn
from pages.shared.selection import compare_head
from pages.shared.tasks import TaskPage
from pages.shared.visitor import page_theme, show_failure, translator
from pages.shared.wording import escape_markdown, join_sentences
from viz_core.analysis.patching.contrast import contrast
from viz_core.analysis.patching.patch import cell_at
from viz_core.checkpoints import CheckpointInfo
from viz_core.language import Translator
from viz_core.records import Contrast, Explanation, Failure, Site
from viz_core.rendering.patching import patching_map
from viz_core.rendering.scales import with_sign
from viz_core.tables.downloads import patching_csv

_CHART = "patching"
# In the session: the cell that was clicked, with its map; whether it opens in the explorer, drawn before.
_CLICKED, _OPENS = "patching_clicked", "patching_opens"


def patching_section(info: CheckpointInfo, explanation: Explanation) -> None:
    """The other text, the direction, the map of a site, and what speaks for and against it."""
    if st.session_state.pop(_OPENS, False):
        st.rerun()
    say, texts = translator(), explanation.encoding.texts
    page = task_page(info.task, len(texts))
    other = explain_or_warn(info, *_other_texts(page, texts))
    if other is None:
        return
    ways = {"in": (other, explanation), "out": (explanation, other)}
    with st.container(horizontal=True):
        way = _pick("patch", ways, "way", say)
        site = _pick("site", (*sites_of(info, texts), "paths"), "site", say)
    try:
        found = contrast(load_model(info), *(side.encoding for side in ways[way]))
        differences = found.source_difference, found.target_difference
        sides = ("source", "target") if way == "in" else ("target", "source")
        values = {name: with_sign(value, 2) for name, value in zip(sides, differences, strict=True)}
        first, second = (say(f"rendering.label_{label}") for label in found.labels)
        st.markdown(escape_markdown(say("patching.measured", first=first, second=second, **values)))
        if site == "paths":
            show_paths(info, found)
        else:
            _show_map(info, page, found, site, explanation, ways[way])
    except Failure as failure:
        show_failure(failure, "edit", st.info)


def _show_map(
    info: CheckpointInfo,
    page: TaskPage,
    found: Contrast,
    site: Site,
    shown: Explanation,
    sides: tuple[Explanation, Explanation],
) -> None:
    """The map, what becomes of the prediction with one of its cells, and notes. sides: source and target."""
    say = translator()
    unrelated = next((one for _, one in reversed(page.examples) if one not in _texts(found)), None)
    patching, notes = effects(info, found, unrelated, site)
    figure = patching_map(patching, site, say, page_theme())
    other = next(side for side in sides if side is not shown)
    clicked = partial(_keep_clicked, info, shown, other, site, _texts(found))
    downloads.show(
        figure, _CHART, lambda: patching_csv(patching, site), alt=figure.layout.title.text, on_select=clicked
    )
    of, *place = st.session_state.get(_CLICKED, (None,))
    layer, column = place if of == _map_name(info, site, _texts(found)) else patching.strongest(site)
    after = explain_with(info, model_version(info), *_texts(found), cell_at(site, layer, column))
    st.markdown(escape_markdown(what_becomes(found, site, layer, column, sides[1], after)))
    st.caption(join_sentences([*map(escape_markdown, notes), say("patching.caution")], say))


def _pick(key: str, options: Iterable, names: str, say: Translator) -> Any:
    settings = {"label_visibility": "collapsed"}
    label, name = say("evidence.patching"), lambda option: say(f"patching.{names}_{option}")
    return links.pick(st.segmented_control, key, label, options, name, **settings)


def _other_texts(page: TaskPage, texts: tuple[str, ...]) -> list[str]:
    """The boxes of the other text: at first, an example that differs in a few words, else another example."""
    say = translator()
    examples = [page.changed] * bool(page.changed and texts == page.first_texts) + [one for _, one in page.examples]
    first = next((example for example in examples if example != texts), texts)
    others = []
    for number, (box, column) in enumerate(zip(page.boxes, st.columns(len(page.boxes)), strict=True)):
        name = page.box_name(say, number)
        label = say("patching.source") if len(page.boxes) == 1 else say("patching.source_of", box=name)
        others.append(other_text(page.task, box, column.text_input, label, first[number]))
    return others


def _map_name(info: CheckpointInfo, site: Site, texts: tuple) -> tuple:
    """What the cells of a map belong to."""
    return str(info.path), model_version(info), site, texts


def _texts(found: Contrast) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return found.source.texts, found.target.texts


def _keep_clicked(info: CheckpointInfo, shown: Explanation, other: Explanation, site: Site, texts: tuple) -> None:
    """Remembers the cell; a head opens in the explorer, too, in both texts."""
    for point in st.session_state[f"chart_{_CHART}"].selection.points:
        row, column = int(point["y"]), int(point["x"])
        st.session_state[_CLICKED] = (_map_name(info, site, texts), row, column)
        if site == "heads":
            compare_head(shown, row, column, info.name, other.encoding.texts)
            st.session_state[_OPENS] = True
