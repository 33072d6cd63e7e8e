"""The atlas of heads: which to look at, in words and in two views whose points open a head."""

from functools import partial

import streamlit as st

from pages.shared import downloads, head_names, links
from pages.shared.heads import click_head, open_clicked, open_head
from pages.shared.surveys import Surveyed, pick_kind, read_or_offer, stored_importance
from pages.shared.visitor import page_theme, show_failure, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.heads.groups import SIMILAR, group_links, head_groups
from viz_core.analysis.verdicts.survey import FEW, NAMED, Standout, head_name, standouts
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Failure, HeadImportance, HeadSurvey
from viz_core.rendering.atlas import atlas_values, first_choices, head_map, head_scatter
from viz_core.tables.downloads import survey_csv

_AXES = ("atlas_x", "atlas_y", "atlas_colour")  # in the session and in the link
_GROUPS, _MEMBERS = 4, 6  # groups of similar heads that are named, and members of each
_LINKED = 64  # heads; lines between more would cover the map


def section(info: CheckpointInfo) -> None:
    """The atlas, or the offer to survey the heads."""
    say = translator()
    st.header(say("heads.title"), anchor="atlas")
    try:
        surveyed = read_or_offer(info)
    except Failure as failure:
        show_failure(failure, "info", st.info)
        return
    if surveyed:
        _atlas_fragment(info, surveyed)


@st.fragment
def _atlas_fragment(info: CheckpointInfo, surveyed: Surveyed) -> None:
    """A fragment, so that another axis redraws nothing else."""
    say, theme, measured = translator(), page_theme(), stored_importance(info)
    importance = measured and measured.heads
    st.caption(say(f"heads.note_{surveyed.source}", n=surveyed.n))
    survey = pick_kind(surveyed)
    found = standouts(survey, importance)
    _say_what_stands_out(info, found, survey)
    x, y, colour = _pick_axes(survey, importance)
    groups = head_groups(survey.divergence)
    pairs = group_links(survey.divergence, groups) if len(survey.divergence) <= _LINKED else []
    named = [head for standout in found for head in standout.heads[:3]]
    scatter, grid = st.columns(2, gap="large")
    titles = {name: say(f"health.statistic_{value}") for name, value in (("x", x), ("y", y), ("colour", colour))}
    csv = partial(survey_csv, survey, importance)
    for column, name, figure, alt in (
        (scatter, "scatter", head_scatter(survey, (x, y), colour, say, theme, importance, pairs, named), "alt_scatter"),
        (grid, "map", head_map(survey, colour, say, theme, importance, pairs), "alt_map"),
    ):
        with column:
            key = f"atlas_{name}_{survey.kind}"
            sentence = say(f"heads.{alt}", **titles)
            downloads.show(figure, key, csv, alt=sentence, on_select=partial(_note_clicked, survey, key))
    open_clicked(info)


def _pick_axes(survey: HeadSurvey, importance: HeadImportance | None) -> tuple[str, str, str]:
    say, options = translator(), list(atlas_values(survey, importance))
    with st.container(horizontal=True, vertical_alignment="bottom", key="atlas_axes"):
        x, y, colour = (
            links.pick(
                st.selectbox,
                key,
                say(f"heads.{key.removeprefix('atlas_')}"),
                options,
                lambda name: say(f"health.statistic_{name}"),
                default=name,
                width=230,
            )
            for key, name in zip(_AXES, first_choices(survey), strict=True)
        )
    return x, y, colour


def _say_what_stands_out(info: CheckpointInfo, found: tuple[Standout, ...], survey: HeadSurvey) -> None:
    """A sentence for each criterion, and a button for each head that is named."""
    say = translator()
    if survey.inputs < FEW:
        st.info(say("heads.small", n=survey.inputs), icon=":material/info:")
    sentences = [say(standout.message) for standout in found] or [say("heads.nothing")]
    if groups := head_groups(survey.divergence):
        names = [_name_group(group, survey) for group in groups[:_GROUPS]]
        values = {"similar": SIMILAR, "inputs": survey.divergence_inputs}
        sentences.append(say("heads.groups", groups="; ".join(names), **values))
    st.markdown("\n".join(f"- {escape_markdown(sentence)}" for sentence in sentences))
    given = head_names.names_of(info, survey.kind)
    named = dict.fromkeys([*given, *(head_name(*head) for standout in found for head in standout.heads[:NAMED])])
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="atlas_open"):
        for name in named:
            title = escape_markdown(say("heads.open", head=head_names.label(name, given)))
            if st.button(title, key=f"atlas_{name}", type="tertiary"):
                open_head(info, name, survey.kind)


def _name_group(group: tuple[int, ...], survey: HeadSurvey) -> str:
    names = " · ".join(head_name(*divmod(head, survey.shape[1])) for head in group[:_MEMBERS])
    return names if len(group) <= _MEMBERS else f"{names} … ({len(group)})"


def _note_clicked(survey: HeadSurvey, key: str) -> None:
    for point in st.session_state[f"chart_{key}"].selection.points:
        if data := point.get("customdata"):
            click_head(str(data[0]), survey.kind)
