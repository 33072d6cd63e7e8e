"""Validation and test figures side by side, from the checkpoint's metrics.json; no corpus needed."""

import streamlit as st

from pages.shared import downloads, own_verdict
from pages.shared.own_tasks import escaped
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.ledger import readings_of
from viz_core.records import Failure, Figures
from viz_core.rendering.confusion import confusion_matrix
from viz_core.rendering.theme import half_width
from viz_core.statistics.intervals import wilson
from viz_core.tasks import get_task
from viz_core.tasks.own import is_own_name

SPLITS = ("validation", "test")
_SHARES = ("accuracy", "majority_accuracy", "ece", "threshold")


def section(info: CheckpointInfo) -> None:
    """The table, with the meaning of each figure, and the confusion matrices."""
    say = translator()
    figures = {"validation": info.metrics.validation or Figures(), "test": info.metrics.test or Figures()}
    labels = [escaped(info.task, say(f"rendering.label_{label}")) for label in get_task(info.task).labels]
    names = [
        ("n", "n"),
        *((name, name) for name in ("accuracy", "majority_accuracy", "auc", "mcc")),
        *((f"f1_{number}", "f1") for number in range(len(labels))),
        ("ece", "ece"),
        *([("threshold", "threshold")] if len(labels) == 2 else []),
    ]
    st.table(
        [
            {
                say("evaluation.column_figure"): _name(name, kind, labels),
                **{say(f"evaluation.column_{split}"): _value(figures[split], name, kind) for split in SPLITS},
                say("evaluation.column_meaning"): _meaning(kind, labels, int(name[3:]) if kind == "f1" else -1),
            }
            for name, kind in names
        ],
        hide_index=True,
        border="horizontal",
    )
    _readings(info)
    splits = [split for split in SPLITS if figures[split].confusion]
    for split, column in zip(splits, st.columns(2, gap="large"), strict=False):
        with column:
            figure = confusion_matrix(
                figures[split].confusion, get_task(info.task).labels, split, say, half_width(page_theme())
            )
            downloads.show(figure, f"confusion_{split}", alt=figure.layout.title.text)


def _readings(info: CheckpointInfo) -> None:
    """How often the test split was read for models of this name."""
    say = translator()
    st.caption(say("evaluation.chosen_on_validation"))
    if info.metrics.test is None and is_own_name(info.task):
        own_verdict.show_or_say_why(info.task)
    elif info.metrics.test is None:
        st.caption(say("evaluation.no_test"))
    try:
        count = len(readings_of(info.task, info.name))
    except Failure as failure:
        st.warning(escape_markdown(say(failure.message)), icon=":material/rule:")
        return
    if count:
        st.caption(say("evaluation.readings", count=count))


def _name(name: str, kind: str, labels: list[str]) -> str:
    say = translator()
    if kind == "f1":
        return f"**{say('evaluation.metric_f1', label=labels[int(name[3:])])}**"
    return f"**{say(f'evaluation.metric_{name}')}**"


def _meaning(kind: str, labels: list[str], number: int) -> str:
    """The sentence about a figure. number: of the class that it is about, by default the last."""
    key = "meaning_auc_classes" if kind == "auc" and len(labels) > 2 else f"meaning_{kind}"
    return translator()(f"evaluation.{key}", label=labels[number])


def _value(figures: Figures, name: str, kind: str) -> str:
    """The figure as text, or a dash where it was not measured."""
    value = getattr(figures, kind)
    if kind == "f1":
        value = value[int(name[3:])] if value and int(name[3:]) < len(value) else None
    if value is None:
        return "–"
    if kind == "n":
        return f"{value:,}"
    if kind == "accuracy" and figures.n:
        low, high = wilson(round(value * figures.n), figures.n)
        return translator()("evaluation.accuracy_between", value=value, low=low, high=high)
    return f"{value:.1%}" if kind in _SHARES else f"{value:.3f}"
