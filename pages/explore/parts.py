"""What each head and each feed-forward layer adds to the difference of two classes, or of two next tokens."""

import streamlit as st

from pages.explore.attributions import pick_target
from pages.shared import downloads, links
from pages.shared.cache import load_model
from pages.shared.visitor import page_theme, show_failure, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.direct_contributions import direct_contributions, with_likeliest_other
from viz_core.checkpoints import CheckpointInfo
from viz_core.language import Translator
from viz_core.records import DirectContributions, Explanation, Failure
from viz_core.rendering.direct_contributions import contribution_map
from viz_core.rendering.scales import with_sign
from viz_core.tables.downloads import contributions_csv

STRONGEST = 3  # parts that are named


def parts_section(info: CheckpointInfo, explanation: Explanation) -> None:
    """The choice of two classes, the map, and the largest parts in words."""
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
    figure = contribution_map(contributions, say, page_theme())
    downloads.show(figure, "contributions", lambda: contributions_csv(contributions), alt=figure.layout.title.text)
    st.caption(say("direct.frozen"))


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
