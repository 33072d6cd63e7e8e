"""Curves and replay: a pinned input at every evaluation of a run, from initialisation on, beside loss and accuracy."""

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared.models import best_checkpoint
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from pages.training import playing, replay_explanation, replay_generation, replay_translation, run_charts, run_views
from pages.training.measures import in_words, overfitting
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation, Explanation, Failure, Generation
from viz_core.training.door import MAX_PINNED, read_snapshot, snapshot_evaluations


def watch(selected: list[Run], run: Run) -> None:
    """Loss and accuracy of the selected runs, and the attention of one of them at the evaluation of the slider."""
    st.fragment(_watch, run_every=playing.STEP_SECONDS if playing.is_playing(run) else None)(selected, run)


def _watch(selected: list[Run], run: Run) -> None:
    say = translator()
    left, right = st.columns([2, 3], gap="medium")
    with left:
        run_charts.first_curves(selected)
    rows = {row.evaluation: row for row in run_views.read_evaluations(run) if row.evaluation is not None}
    inputs = {number: _text(run, number) for number in range(MAX_PINNED) if snapshot_evaluations(run.path, number)}
    with right.container(gap="xsmall"):
        caption, slider, pickers, views = st.empty(), st.container(), st.container(horizontal=True), st.container()
    number = None
    if inputs:
        with pickers:
            number = st.selectbox(
                say("pages.training_input"),
                inputs,
                key=f"replay_input_{run.id}",
                format_func=inputs.get,
                label_visibility="collapsed",
            )
    else:
        soon = not run.is_over and run.request.settings.get("pinned")
        missing = "pages.training_no_inputs" if rows else "pages.training_no_snapshots"
        slider.caption(say("pages.training_snapshots_soon" if soon else missing))
        if not rows:
            return
    numbers = sorted(rows) if number is None else snapshot_evaluations(run.path, number)
    with slider:
        labels = {n: _evaluation_label(n, rows.get(n)) for n in numbers}
        evaluation = playing.pick_evaluation(run, numbers, labels)
        measured = in_words(rows.get(evaluation))
        figures = say("pages.training_now_measured", figures=measured) if measured else say("pages.training_unmeasured")
    shown = " · ".join([labels[evaluation], figures, *_saved_instead(run, evaluation)])
    caption.caption(shown, help=say("pages.training_replay_note"))
    if number is not None:
        try:
            _draw(run, evaluation, number, rows, views, pickers, left)
        except Failure as failure:
            views.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
    with right:
        if remark := overfitting(run, rows.get(evaluation)):
            st.caption(remark)
        run_charts.confusion(run, rows.get(evaluation))


def _draw(
    run: Run,
    evaluation: int,
    number: int,
    rows: Mapping[int, Evaluation],
    views: DeltaGenerator,
    pickers: DeltaGenerator,
    beside: DeltaGenerator,
) -> None:
    """The map of one snapshot in `views`, its prediction or what the model writes `beside`. Raises Failure if it is
    damaged."""
    snapshot = read_snapshot(run.path, evaluation, number)
    if isinstance(snapshot, Explanation):
        replay_explanation.draw(run, evaluation, number, snapshot, views, pickers, beside)
        return
    labels = {other: _evaluation_label(other, rows.get(other)) for other in snapshot_evaluations(run.path, number)}
    if isinstance(snapshot, Generation):
        replay_generation.draw(run, number, snapshot, labels, rows, views, pickers, beside)
    else:
        replay_translation.draw(run, number, snapshot, labels, rows, views, pickers, beside)


def _saved_instead(run: Run, evaluation: int) -> list[str]:
    """Of a run that can be saved: which evaluation the model is of, unless that is the one shown."""
    best = Evaluation.from_dict(run.status.best)
    if not run.is_over or best.evaluation in (None, evaluation) or not best_checkpoint(run):
        return []
    return [translator()("pages.training_saved_instead", best=_evaluation_label(best.evaluation, best))]


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
