"""The same input through another model of the task, of any kind: both predictions, and the tokens each depends on."""

import streamlit as st

from pages.explore.attributions import compare_methods
from pages.shared import downloads, links
from pages.shared.models import display_name
from pages.shared.opening import OTHER_MODEL
from pages.shared.own_tasks import task_theme
from pages.shared.pickers import explain_or_warn, named_models, say_absent
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core import checkpoints
from viz_core.analysis.attribution.methods import METHODS
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Explanation
from viz_core.rendering.attributions import attribution_bars
from viz_core.rendering.probabilities import probability_bars, verdict
from viz_core.tables.downloads import attributions_csv


def other_model_section(info: CheckpointInfo, explanation: Explanation) -> None:
    """The picker of the other model, whether both predict the same, and what each model gives, side by side."""
    say, other = translator(), _pick_other(info)
    if other is None:
        st.info(say("evidence.models_none"), icon=":material/compare:")
        return
    second = explain_or_warn(other, *explanation.encoding.texts)
    if second is None:
        return
    label = say(f"rendering.label_{explanation.labels[explanation.predicted]}")
    key = "same" if second.predicted == explanation.predicted else "different"
    st.markdown(escape_markdown(say(f"evidence.models_{key}", label=label)))
    sides = ((info, explanation), (other, second))
    for number, (column, side) in enumerate(zip(st.columns(2, gap="large"), sides, strict=True)):
        with column:
            _draw_side(*side, explanation.labels[explanation.predicted], number)


def _pick_other(info: CheckpointInfo) -> CheckpointInfo | None:
    """Another model of the task, or the model of a run that the session or the link names; None if there is none."""
    say, choices = translator(), {other.name: other for other in checkpoints.task_checkpoints(info.task)}
    choices |= named_models(info.task, OTHER_MODEL)
    choices.pop(info.name, None)
    if not choices:
        return None
    label, linked = say("evidence.models_other"), st.query_params.get(OTHER_MODEL, "")
    name = links.pick(
        st.selectbox, OTHER_MODEL, label, choices, lambda name: display_name(choices[name], say), width=360
    )
    say_absent(info.task, OTHER_MODEL, linked, name)
    return choices[name]


def _draw_side(info: CheckpointInfo, explanation: Explanation, target: str, number: int) -> None:
    """The prediction of a model, and leave-one-out for the class `target`. number: of the side, for the file names."""
    say, theme = translator(), task_theme(explanation.task)
    name = display_name(info, say)
    st.markdown(f"### {escape_markdown(name)}")
    bars = probability_bars(explanation, say, theme)
    downloads.show(bars, f"probabilities_{number}", alt=f"{name}: {say(verdict(explanation))}")
    with st.spinner(say("attribution.measuring")):
        results = compare_methods(info, target, *explanation.encoding.texts).attributions
    removal = results[METHODS.index("leave_one_out")]
    figure = attribution_bars([removal], explanation.labels, say, theme, explanation.labels[explanation.predicted])
    alt = f"{name}: {figure.layout.title.text}"
    downloads.show(figure, f"leave_one_out_{number}", lambda: attributions_csv([removal]), alt=alt)
