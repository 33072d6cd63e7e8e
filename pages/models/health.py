"""The health of one model: verdict, figures, errors and calibration, and what its heads do."""

import streamlit as st

from pages.shared import downloads, links
from pages.shared.health import draw_skill, sentences
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.verdicts.heads import head_patterns
from viz_core.analysis.verdicts.model import EVEN, calibration_remark, skill
from viz_core.records import HeadProfile, Health, Message
from viz_core.rendering.calibration import calibration_curve
from viz_core.rendering.confusion import confusion_matrix
from viz_core.rendering.head_profile import head_profile
from viz_core.rendering.redundancy import head_redundancy
from viz_core.rendering.slices import slice_accuracy

PREDICTIONS, HEADS = "health_predictions", "head_table"  # expanders, in the session
RANK_BY = "rank_by"  # in the session and in the link


def verdict(health: Health) -> None:
    """The verdict with all its reasons, in a box of its severity."""
    draw_skill(skill(health), translator())


def figures(health: Health) -> None:
    """Accuracy, majority baseline, AUC, MCC and ECE on validation, with 95% confidence intervals; F1 of each class."""
    say, measured = translator(), health.figures
    values = [
        (
            "accuracy_short",
            f"{measured.accuracy:.1%}",
            say("health.between", **_interval_values(health.accuracy_interval)),
        ),
        ("majority_short", f"{measured.majority_accuracy:.1%}", None),
        ("auc_short", f"{measured.auc:.3f}", say("health.between_numbers", **_interval_values(health.auc_interval))),
        ("mcc_short", f"{measured.mcc:.3f}", None),
    ]
    fitted, ece = _cross_fitted(health), health.cross_fitted.ece if health.cross_fitted else measured.ece
    with st.container(horizontal=True, gap="medium", key="health_figures"):
        for name, value, interval in values:
            style = {"delta_color": "off", "delta_arrow": "off", "width": "content"}
            meaning = say("evaluation.meaning_mcc") if name == "mcc_short" else None
            st.metric(say(f"health.{name}"), value, delta=interval, help=meaning, **style)
        st.metric(say("health.ece_short"), f"{ece:.1%}", width="content", help=say(fitted) if fitted else None)
    classes = zip(health.labels, measured.f1, health.predicted_shares, strict=True)
    st.caption(
        " · ".join(
            escape_markdown(say("health.of_class", label=say(f"rendering.label_{label}"), f1=f1, share=share))
            for label, f1, share in classes
        )
    )


def _cross_fitted(health: Health) -> Message | None:
    """Why the calibration error is cross-fitted, with the figures that a fitted threshold makes optimistic; None where
    nothing was fitted, or in files of earlier versions."""
    fitted = health.cross_fitted
    if fitted is None:
        return None
    values = {"accuracy": fitted.accuracy, "mcc": fitted.mcc, "uncorrected": health.figures.ece}
    if health.figures.threshold not in (EVEN, None):
        return Message("health.cross_fitted", values)
    return Message("health.cross_fitted_temperature", values) if fitted.ece != health.figures.ece else None


def _interval_values(interval: tuple[float, float]) -> dict[str, float]:
    return dict(zip(("low", "high"), interval, strict=True))


def predictions(health: Health) -> None:
    """An expander with the confusion matrix, the calibration curve, and accuracy by slices of the inputs."""
    label = translator()("health.predictions")
    expander = st.expander(label, key=PREDICTIONS, icon=":material/grid_on:", on_change="rerun")
    if expander.open:
        with expander:
            _predictions(health)


def _predictions(health: Health) -> None:
    say, theme = translator(), page_theme()
    confusion_column, calibration_column = st.columns(2, gap="large")
    with confusion_column:
        downloads.show(
            confusion_matrix(health.figures.confusion, health.labels, "validation", say, theme),
            "health_confusion",
            alt=say("rendering.confusion_validation"),
        )
    with calibration_column:
        downloads.show(calibration_curve(health.calibration, say, theme), "calibration", alt=say("health.calibration"))
        if remark := calibration_remark(health):
            st.caption(sentences(say, remark), help=say("health.cross_fitted_help"))
    kinds = list(dict.fromkeys(slice_.kind for slice_ in health.slices))
    for column, kind in zip(st.columns(2, gap="large"), kinds, strict=False):
        with column:
            downloads.show(
                slice_accuracy([slice_ for slice_ in health.slices if slice_.kind == kind], say, theme),
                f"slices_{kind}",
                alt=say(f"health.{kind}"),
            )


def heads(health: Health) -> None:
    """An expander with the attention profile of each head, as a chart and in words, and which heads are redundant."""
    is_linked = RANK_BY in st.query_params
    expander = st.expander(
        translator()("health.heads"), is_linked, key=HEADS, icon=":material/table:", on_change="rerun"
    )
    if expander.open:
        with expander:
            _heads(health.heads)


def _heads(profile: HeadProfile) -> None:
    say, theme = translator(), page_theme()
    st.caption(say("health.heads_rows", rows=profile.rows, pairs=profile.pair_rows))
    rank_by = links.pick(
        st.selectbox,
        RANK_BY,
        say("health.rank_by"),
        ["", *profile.statistics],
        lambda name: say(f"health.statistic_{name}" if name else "health.not_ranked"),
        width=280,
    )
    downloads.show(head_profile(profile, say, theme, rank_by), "head_profile", alt=say("health.profile"))
    layers, count = profile.statistics["entropy"].shape
    text_column, redundancy_column = st.columns([2, 3], gap="large")
    with text_column:
        st.markdown(f"**{say('health.heads_summary')}**")
        draw_patterns(profile)
    if layers * count == 1:  # nothing to be redundant with
        return
    with redundancy_column:
        downloads.show(
            head_redundancy(profile.redundancy, count, say, theme), "redundancy", alt=say("health.redundancy")
        )


def draw_patterns(profile: HeadProfile) -> None:
    """What each head does, in words."""
    say = translator()
    if patterns := head_patterns(profile):
        st.markdown("\n".join(f"- {escape_markdown(say(pattern))}" for pattern in patterns))
    else:
        st.caption(say("health.heads_nothing"))
