"""A head: what it attends to over a corpus, and what changes without it."""

from collections.abc import Mapping

import streamlit as st

from pages.head import passages, text
from pages.shared import downloads, head_names, links, navigation
from pages.shared.cache import load_model
from pages.shared.corpus_rows import read_rows
from pages.shared.decided_inputs import decided_inputs
from pages.shared.heads import HEAD
from pages.shared.other_models import open_tasks, reopen_linked
from pages.shared.own_tasks import rows_from, visible_tasks
from pages.shared.pickers import pick_task_and_model, show_no_attention
from pages.shared.surveys import Surveyed, pick_kind, read_or_offer, stored_importance
from pages.shared.visitor import page_theme, show_failure, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.verdicts.survey import FEW, head_name, standouts
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import ELSEWHERE, Failure, HeadSurvey
from viz_core.rendering.head_distance import head_distance
from viz_core.rendering.head_positions import head_positions
from viz_core.rendering.head_tables import pairs_table, statistics_table
from viz_core.rendering.labels import printable
from viz_core.tables.downloads import survey_csv
from viz_core.tasks import get_task

_NEIGHBOURS = 3
_VIEW = "over"  # in the session and in the link


def head() -> None:
    """The pickers of a model and of a head, and below them everything that is known of it."""
    say = translator()
    st.title(say("heads.title_of_page"))
    navigation.beside()
    if st.query_params.get("task") in ELSEWHERE:
        reopen_linked()
    info = pick_task_and_model([*visible_tasks(), *open_tasks()])
    if info is None:
        return
    if not info.settings.config.layers:
        show_no_attention(info, "heads")
        return
    try:
        if surveyed := read_or_offer(info):
            _head(info, surveyed)
    except Failure as failure:
        show_failure(failure, "info", st.info)


def _head(info: CheckpointInfo, surveyed: Surveyed) -> None:
    say = translator()
    with st.container(horizontal=True, vertical_alignment="bottom", key="head_pickers"):
        survey = pick_kind(surveyed)
        layers, heads = survey.shape
        places = {head_name(layer, head): (layer, head) for layer in range(layers) for head in range(heads)}
        given = head_names.names_of(info, survey.kind)
        name = links.pick(
            st.selectbox,
            HEAD,
            say("heads.head"),
            places,
            lambda name: head_names.label(name, given),
            always=True,
            width=240,
            persist_state=None,
        )
    layer, head = places[name]
    st.caption(say(f"heads.over_{rows_from(info.task, surveyed.source)}", n=surveyed.n))
    if survey.inputs < FEW:
        st.info(say("heads.small", n=survey.inputs), icon=":material/info:")
    head_names.show(info, survey.kind, name)
    _summary(info, survey, layer, head)
    passages.section(info, surveyed, survey.kind, layer, head)
    _over_corpus(info, survey, layer, head)
    _neighbours(survey, layer, head, given)
    _decided(info, name, (layer, head))  # before the text boxes, whose texts its buttons set
    text.section(info, survey.kind, layer, head)
    _figures(info, survey, layer, head)
    head_names.form(info, survey.kind, name)


def _summary(info: CheckpointInfo, survey: HeadSurvey, layer: int, head: int) -> None:
    """What stands out, and what changes without the head."""
    say, measured = translator(), stored_importance(info)
    importance = measured and measured.heads
    sentences = [say(standout.message) for standout in standouts(survey, importance, (layer, head))]
    if importance is not None:
        low, high = importance.loss_interval[layer, head].tolist()
        change = float(importance.loss_change[layer, head])
        values = {"change": change, "low": low, "high": high, "n": importance.n}
        accuracy = 100 * float(importance.accuracy_change[layer, head])
        sentences.append(say("heads.without", **values, accuracy=accuracy))
    sentences = sentences or [say("heads.nothing_here")]
    st.markdown("\n".join(f"- {escape_markdown(sentence)}" for sentence in sentences))


def _figures(info: CheckpointInfo, survey: HeadSurvey, layer: int, head: int) -> None:
    """All statistics of the head in a table, drawn when it is opened."""
    say, measured = translator(), stored_importance(info)
    importance = measured and measured.heads
    with (expander := st.expander(say("heads.figures"), key="head_figures", on_change="rerun")):
        if not expander.open:
            return
        st.table(statistics_table(survey, layer, head, say), hide_index=True, border="horizontal")
        st.caption(say("heads.figures_note"))
        st.download_button(
            say("heads.download"),
            lambda: survey_csv(survey, importance).encode("utf-8-sig"),
            "heads.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
            type="tertiary",
        )


def _decided(info: CheckpointInfo, name: str, head: tuple[int, int]) -> None:
    """The inputs that the head decides, where that has been measured on a corpus that is here; drawn when opened."""
    importance = stored_importance(info)
    if importance is None or (importance.data == "full" and get_task(info.task).find_corpus() is None):
        return
    say = translator()
    with (expander := st.expander(say("heads.decides"), key="head_decides", on_change="rerun")):
        if not expander.open:
            return
        st.caption(say("importance.rows_note"))
        if corpus := read_rows(info.task, importance.data):
            decided_inputs(info, importance, corpus, name, head)


def _over_corpus(info: CheckpointInfo, survey: HeadSurvey, layer: int, head: int) -> None:
    """What the head attends to over all inputs, one view at a time: tokens, distances or positions."""
    say = translator()
    st.header(say("heads.over_corpus"), anchor="over")
    view = links.pick(
        st.segmented_control,
        _VIEW,
        say("heads.over_corpus"),
        _VIEWS,
        lambda name: say(f"heads.{name}"),
        label_visibility="collapsed",
    )
    _VIEWS[view](info, survey, layer, head)


def _pairs(info: CheckpointInfo, survey: HeadSurvey, layer: int, head: int) -> None:
    say, pairs = translator(), survey.pairs[survey.number(layer, head)]
    if not pairs:
        st.caption(say("heads.no_pairs"))
        return
    encoder = load_model(info).text_encoder
    table = pairs_table(pairs, lambda index: escape_markdown(printable(encoder.token(index))), say)
    st.table(table, hide_index=True, border="horizontal")
    st.caption(say("heads.pairs_note"))


def _distances(info: CheckpointInfo, survey: HeadSurvey, layer: int, head: int) -> None:
    say = translator()
    figure = head_distance(survey, layer, head, say, page_theme())
    downloads.show(figure, "head_distance", alt=say("heads.by_distance"))


def _positions(info: CheckpointInfo, survey: HeadSurvey, layer: int, head: int) -> None:
    say = translator()
    if not survey.positions.size:
        st.caption(say("heads.no_positions"))
        return
    figure = head_positions(survey, layer, head, say, page_theme())
    downloads.show(figure, "head_positions", alt=say("heads.by_position"))


_VIEWS = {"pairs": _pairs, "by_distance": _distances, "by_position": _positions}


def _neighbours(survey: HeadSurvey, layer: int, head: int, given: Mapping[str, str]) -> None:
    say = translator()
    nearest = survey.neighbours(layer, head, _NEIGHBOURS)
    if not nearest:
        return
    st.header(say("heads.neighbours"), anchor="neighbours")
    st.caption(say("heads.neighbours_note", inputs=survey.divergence_inputs))
    with st.container(horizontal=True, gap="small", key="neighbours"):
        for other_layer, other_head, distance in nearest:
            name = head_name(other_layer, other_head)
            label = say("heads.neighbour", head=head_names.label(name, given), distance=distance)
            st.button(escape_markdown(label), key=f"neighbour_{name}", on_click=_choose, args=(name,), type="tertiary")


def _choose(name: str) -> None:
    st.session_state[HEAD] = name
