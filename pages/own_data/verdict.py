"""Whether attention pays off on a task: its encoder beside models without attention, on the same rows of the test."""

import streamlit as st

from pages.own_data.starting import BASELINES, ENCODER
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.jobs.runs import Run
from viz_core.training import door


def show(task: str, with_table: bool) -> None:
    """The sentence, and the table if it is wanted; nothing before a model has been tested."""
    found, say = door.verdict(task), translator()
    if found is None:
        return
    if found.message:
        st.markdown(f"**{escape_markdown(say(found.message))}**")
    if not with_table:
        return
    model, accuracy, interval = (say(f"own_data.verdict_{name}") for name in ("model", "accuracy", "interval"))
    rows = [{model: say("own_data.model_majority"), accuracy: f"{found.majority:.1%}", interval: "–"}]
    for one in reversed(found.models):
        low, high = one.interval
        between = say("evaluation.between", low=low, high=high)
        rows.append({model: say(f"own_data.model_{one.kind}"), accuracy: f"{one.accuracy:.1%}", interval: between})
    st.table(rows, hide_index=True, border="horizontal")
    st.caption(say("own_data.verdict_note", rows=found.rows))


def newest_runs(task: str) -> dict[str, Run]:
    """The newest training of each preset, in the order of the presets."""
    newest: dict[str, Run] = {}
    for run in door.runs_of(task):
        if run.request.kind == "train":
            newest.setdefault(str(run.request.settings.get("preset")), run)
    return {preset: newest[preset] for preset in (ENCODER, *BASELINES) if preset in newest}
