"""The replay: a pinned input at every evaluation of a run, from initialisation on, with the figures measured there."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from pages.training import replay_explanation, replay_translation, run_charts, run_views
from pages.training.measures import in_words
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation, Explanation, Failure
from viz_core.training.door import MAX_PINNED, read_snapshot, snapshot_evaluations


@st.fragment
def replay(run: Run) -> None:
    """The slider over the evaluations, and the views of the selected one."""
    say = translator()
    rows = {row.evaluation: row for row in run_views.read_evaluations(run) if row.evaluation is not None}
    inputs = {number: _text(run, number) for number in range(MAX_PINNED) if snapshot_evaluations(run.path, number)}
    if inputs:
        input_column, slider_area = st.columns([2, 3], gap="large")
        number = input_column.selectbox(
            say("pages.training_input"), inputs, key=f"replay_input_{run.id}", format_func=inputs.get
        )
    else:
        st.caption(say("pages.training_no_snapshots"))
        if not rows:
            return
        number, slider_area = None, st.container()
    with slider_area:
        evaluation = _slider(run, sorted(rows) if number is None else snapshot_evaluations(run.path, number), rows)
        measured = in_words(rows.get(evaluation))
        st.caption(
            say("pages.training_now_measured", figures=measured) if measured else say("pages.training_unmeasured")
        )
    if number is not None:
        try:
            _draw(run, evaluation, number, rows)
        except Failure as failure:
            st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
    run_charts.confusion(run, rows.get(evaluation))


def _draw(run: Run, evaluation: int, number: int, rows: Mapping[int, Evaluation]) -> None:
    """The views of one snapshot. Raises Failure if it is damaged."""
    snapshot = read_snapshot(run.path, evaluation, number)
    if isinstance(snapshot, Explanation):
        replay_explanation.draw(run, evaluation, number, snapshot)
    else:
        labels = {other: _evaluation_label(other, rows.get(other)) for other in snapshot_evaluations(run.path, number)}
        replay_translation.draw(run, evaluation, number, snapshot, labels, rows)


def _slider(run: Run, numbers: list[int], rows: Mapping[int, Evaluation]) -> int:
    """The selected evaluation; follows the newest while a run goes on, unless the slider was moved back."""
    key, last = f"replay_at_{run.id}", f"replay_last_{run.id}"
    state = st.session_state
    if state.get(key) not in numbers or state[key] == state.get(last):
        state[key] = numbers[-1]
    state[last] = numbers[-1]
    if len(numbers) == 1:  # a slider needs two ends
        return numbers[0]
    labels = {number: _evaluation_label(number, rows.get(number)) for number in numbers}
    return st.select_slider(translator()("pages.training_evaluation"), numbers, key=key, format_func=labels.get)


def _evaluation_label(evaluation: int, row: Evaluation | None) -> str:
    """When an evaluation took place: the random initialisation, or after which epoch."""
    say = translator()
    if evaluation == 0:
        return say("pages.training_start_point")
    if row is None:
        return str(evaluation)
    return say(f"pages.training_epoch_{row.phase}", epoch=f"{round(row.epoch or 0, 2):g}")


def _text(run: Run, number: int) -> str:
    """The text of a pinned input; its number where the request does not have it."""
    pinned = run.request.settings.get("pinned")
    if not isinstance(pinned, list) or number >= len(pinned):
        return str(number + 1)
    return pinned[number] if isinstance(pinned[number], str) else " | ".join(map(str, pinned[number]))
