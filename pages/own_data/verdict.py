"""Whether attention pays off on a task: its encoder beside models without attention."""

from dataclasses import dataclass

import streamlit as st

from pages.own_data.starting import BASELINES, ENCODER
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation, Message
from viz_core.statistics.intervals import wilson
from viz_core.tasks import own
from viz_core.training import door


@dataclass(frozen=True)
class ComparedModel:
    """A model of a task. kind: a preset. accuracy, interval: on the rows of the verdict."""

    run: str
    kind: str
    accuracy: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Verdict:
    """How the models of a task compare. models: the encoder first. rows: that they were compared on. majority: the
    accuracy of always answering the most frequent class. message: what follows."""

    models: tuple[ComparedModel, ...]
    rows: int
    majority: float
    message: Message


def show(task: str) -> None:
    """The table and the sentence; nothing before all have been trained."""
    found, say = read_verdict(task), translator()
    if found is None:
        return
    st.markdown(f"**{escape_markdown(say(found.message))}**")
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


def read_verdict(task: str) -> Verdict | None:
    """From the best evaluation of each run on validation; None unless all have finished with one."""
    found, majority = [], 0.0
    for preset, run in newest_runs(task).items():
        numbers = Evaluation.from_dict(run.status.best).numbers
        if run.status.state != "finished" or "accuracy" not in numbers:
            return None
        rows = own.require_definition(task).counts["validation"]
        accuracy, majority = numbers["accuracy"], numbers.get("majority_accuracy", 0.0)
        found.append(ComparedModel(run.id, preset, accuracy, wilson(round(accuracy * rows), rows)))
    if len(found) <= len(BASELINES):
        return None
    encoder, *others = found
    best = max(others, key=lambda model: model.accuracy)
    low, high = encoder.interval
    key = "better" if low > best.accuracy else "worse" if high < best.accuracy else "alike"
    values = {"encoder": encoder.accuracy, "other": Message(f"own_data.model_{best.kind}"), "accuracy": best.accuracy}
    return Verdict(tuple(found), rows, majority, Message(f"own_data.verdict_{key}", values))
