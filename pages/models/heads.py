"""The atlas of heads: which to look at, in words, in a grid and in a scatter, whose points open a head."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from pages.shared import downloads, head_names, history, links
from pages.shared.component import component, follow_theme
from pages.shared.heads import open_head
from pages.shared.own_tasks import rows_from
from pages.shared.surveys import pick_kind, read_or_offer, stored_importance
from pages.shared.thumbnails import thumbnails
from pages.shared.visitor import page_theme, show_failure, translator
from pages.shared.wording import join_sentences
from viz_core.analysis.heads.groups import SIMILAR, head_groups
from viz_core.analysis.verdicts.survey import FEW, NAMED, head_name, standouts
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.atlas import GROUP, atlas_values, first_choices, pack_atlas, standalone_atlas
from viz_core.records import Failure, HeadImportance, HeadSurvey
from viz_core.tables.downloads import survey_csv

_PREFIX = "atlas_"  # of what x, y and colour show, in the link
_STATE = "atlas"  # in the session
_atlas = component("atlas", '<div class="explorer atlas"></div>', ["link", "open", "theme"])


def section(info: CheckpointInfo) -> None:
    """The atlas, or the offer to survey the heads."""
    say = translator()
    st.header(say("heads.title"), anchor="atlas")
    try:
        surveyed = read_or_offer(info)
    except Failure as failure:
        show_failure(failure, "info", st.info)
        return
    if not surveyed:
        return
    st.caption(
        join_sentences(
            [say("heads.what"), say(f"heads.note_{rows_from(info.task, surveyed.source)}", n=surveyed.n)], say
        )
    )
    survey, measured = pick_kind(surveyed), stored_importance(info)
    if survey.inputs < FEW:
        st.info(say("heads.small", n=survey.inputs), icon=":material/info:")
    importance = measured and measured.heads
    data = _pack(info, survey, importance)
    _mount(info, survey, data, [*atlas_values(survey, importance)])
    csv = lambda: survey_csv(survey, importance).encode("utf-8-sig")  # noqa: E731
    html = lambda: standalone_atlas(data, say("heads.title"), say, page_theme())  # noqa: E731
    downloads.files("atlas", say("heads.title"), {"html": html, "csv": csv})


@st.fragment
def _mount(info: CheckpointInfo, survey: HeadSurvey, data: bytes, names: list[str]) -> None:
    """The component. What it reports reruns this fragment alone, with the same data."""
    first, valid = first_choices(survey), partial(_valid, names)
    event = _atlas(key=f"atlas_{survey.kind}", data=data, link=partial(links.keep_report, _STATE, first, valid))
    st.session_state[_STATE] = chosen = _chosen(survey, names)
    links.write(*({f"{_PREFIX}{choice}": name for choice, name in names.items()} for names in (chosen, first)))
    layers, heads = survey.shape
    if event.open in {head_name(layer, head) for layer in range(layers) for head in range(heads)}:
        open_head(info, event.open, survey.kind)
    follow_theme(event)


def _chosen(survey: HeadSurvey, names: list[str]) -> dict[str, str]:
    """What `x`, `y` and `colour` show: as in the session, else as in the link, else at first."""
    first, valid = first_choices(survey), partial(_valid, names)
    return first | valid(links.linked_state(_STATE, first, valid))


def _valid(names: list[str], values: Mapping[str, object]) -> dict[str, str]:
    known = {"x": names, "y": names, "colour": [*names, GROUP]}
    found = {choice: values.get(choice, values.get(f"{_PREFIX}{choice}")) for choice in known}
    return {choice: name for choice, name in found.items() if name in known[choice]}


def _pack(info: CheckpointInfo, survey: HeadSurvey, importance: HeadImportance | None) -> bytes:
    """What the component is opened with."""
    say, found = translator(), standouts(survey, importance)
    values = {"similar": SIMILAR, "inputs": survey.divergence_inputs}
    return pack_atlas(
        survey,
        say,
        page_theme(),
        importance=importance,
        groups=head_groups(survey.divergence),
        groups_note=say("heads.groups", **values),
        found=[(say(standout.message), standout.heads[:NAMED]) for standout in found] or [(say("heads.nothing"), [])],
        names=head_names.given(info),
        thumbnails=thumbnails(info, survey.kind),
        chosen=_chosen(survey, [*atlas_values(survey, importance)]),
        opens=True,
        turns=history.turns(),
    )
