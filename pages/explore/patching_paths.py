"""Path patching: which later heads a head feeds."""

import numpy as np
import streamlit as st

from pages.shared import downloads, head_names, links
from pages.shared.cache import load_model
from pages.shared.patching_runs import trace
from pages.shared.visitor import page_theme, translator
from viz_core.analysis.patching.estimate import estimate
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Contrast
from viz_core.rendering.patching_paths import paths_map
from viz_core.tables.downloads import paths_csv


def show_paths(info: CheckpointInfo, found: Contrast) -> None:
    """A head, at first the one with the largest effect before the last layer, and what it feeds."""
    say = translator()
    heads = estimate(load_model(info), found, ["heads"]).effects["heads"]
    names = [f"{layer + 1}.{head + 1}" for layer, head in np.ndindex(*heads.shape)]
    first = int(np.abs(heads[: max(1, len(heads) - 1)]).argmax())
    given = head_names.names_of(info, load_model(info).model.attention_kinds[0])
    name_of = lambda head: head_names.label(head, given)  # noqa: E731
    sender = links.pick(st.selectbox, "sender", say("patching.sender"), names, name_of, names[first], width=240)
    layer, head = divmod(names.index(sender), heads.shape[1])
    if paths := trace(info, found, (layer, head)):
        figure = paths_map(paths, say, page_theme())
        downloads.show(figure, "paths", lambda: paths_csv(paths), alt=figure.layout.title.text)
        st.caption(say("patching.paths_caution"))
