"""What each head and each feed-forward layer adds to the difference of two classes, or of two next tokens."""

from collections.abc import Mapping
from itertools import islice

import streamlit as st

from pages.explore.attributions import pick_target
from pages.shared import downloads, head_names, links
from pages.shared.cache import load_model
from pages.shared.selection import choose_head
from pages.shared.visitor import page_theme, show_failure, translator
from pages.shared.wording import escape_markdown, join_sentences
from viz_core.analysis.direct_contributions import direct_contributions, with_likeliest_other
from viz_core.checkpoints import CheckpointInfo
from viz_core.language import Translator
from viz_core.records import DirectContributions, Explanation, Failure
from viz_core.rendering.direct_contributions import contribution_map
from viz_core.rendering.scales import with_sign
from viz_core.tables.downloads import contributions_csv

STRONGEST = 3  # parts that are named, and heads with a button
_CHART = "contributions"
_CHOSEN = "contributions_head"  # in the session: layer and head that were clicked, from 0, until the page follows


def parts_section(info: CheckpointInfo, explanation: Explanation) -> None:
    """The choice of two classes, the largest parts in words, and the map, whose heads lead to the explorer."""
    if chosen_head := st.session_state.pop(_CHOSEN, None):
        choose_head(explanation, *chosen_head)
        st.rerun()
    say, labels = translator(), explanation.labels
    with st.container(horizontal=True):
        target = pick_target(explanation)
        chosen = labels.index(target) if target else explanation.predicted
        against = _pick_against(explanation, chosen)
    try:
        contributions = direct_contributions(load_model(info), explanation, chosen, against)
    except Failure as failure:
        show_failure(failure, "visibility_off", st.info)
        return
    st.markdown(escape_markdown(_strongest(contributions, say)))
    _head_buttons(contributions, head_names.names_of(info, explanation.kind), say)
    figure = contribution_map(contributions, say, page_theme())
    downloads.show(
        figure,
        _CHART,
        lambda: contributions_csv(contributions),
        alt=figure.layout.title.text,
        on_select=_choose_clicked_head,
    )
    st.caption(join_sentences([say("direct.click"), say("direct.frozen")], say))


def _pick_against(explanation: Explanation, chosen: int) -> int:
    """The class that the chosen one is compared with: by default the likeliest other one."""
    say, labels = translator(), explanation.labels
    others = [label for place, label in enumerate(labels) if place != chosen]
    _, likeliest = with_likeliest_other(explanation, chosen)
    if len(others) == 1:
        return likeliest
    picked = links.pick(
        st.selectbox,
        "against",
        say("direct.against"),
        ["", *others],
        lambda label: say(f"rendering.label_{label}" if label else "direct.against_next"),
        width=280,
    )
    return labels.index(picked) if picked else likeliest


def _strongest(contributions: DirectContributions, say: Translator) -> str:
    names = []
    for layer, head, value in contributions.largest(STRONGEST):
        place = {"layer": layer + 1, "value": with_sign(value, 2)}
        is_head = head is not None
        names.append(
            say("direct.part_head", head=head + 1, **place) if is_head else say("direct.part_feedforward", **place)
        )
    return say("direct.strongest", parts=names)


def _head_buttons(contributions: DirectContributions, given: Mapping[str, str], say: Translator) -> None:
    """The strongest heads, for whoever has no pointer for the map."""
    parts = contributions.largest(contributions.heads.size + contributions.feedforward.size)
    heads = ((layer, head) for layer, head, _ in parts if head is not None)
    with st.container(horizontal=True, gap="small"):
        for number, (layer, head) in enumerate(islice(heads, STRONGEST)):
            name = head_names.label(f"{layer + 1}.{head + 1}", given)
            label, key = escape_markdown(say("direct.show_head", head=name)), f"contributions_{number}"
            st.button(label, key=key, on_click=_choose, args=(layer, head), icon=":material/arrow_upward:")


def _choose_clicked_head() -> None:
    """A click on a feed-forward layer, or a second one on a head, which deselects the cell, chooses nothing."""
    for point in st.session_state[f"chart_{_CHART}"].selection.points:
        if float(point["x"]).is_integer():
            _choose(point["y"], int(point["x"]))


def _choose(layer: int, head: int) -> None:
    st.session_state[_CHOSEN] = layer, head
