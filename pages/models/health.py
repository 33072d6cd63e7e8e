"""What is known of a model before anything is read into its heads: a banner for every page, and the figures of one model."""

from __future__ import annotations

import streamlit as st

from pages.shared import downloads
from pages.shared.health import warn_no_skill, sentences
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.verdicts import calibration_remark, head_verdicts, skill
from viz_core.records import Health
from viz_core.rendering.calibration import calibration_curve
from viz_core.rendering.confusion import confusion_matrix
from viz_core.rendering.head_profile import head_profile
from viz_core.rendering.redundancy import head_redundancy
from viz_core.rendering.slices import slice_accuracy

SHOWN = 12  # verdicts on heads; a list of more scrolls


def verdict(health: Health) -> None:
    """The verdict with all its reasons, in the colour of what it says."""
    say, judged = translator(), skill(health)
    if judged.level == "none":
        warn_no_skill(judged, say)
        return
    box, icon = (st.success, ":material/check_circle:") if judged.level == "good" else (st.warning, ":material/info:")
    box(f"**{sentences(say, judged.verdict)}** {sentences(say, *judged.reasons)}", icon=icon)


def figures(health: Health) -> None:
    """The numbers that every model card has."""
    say, found = translator(), health.figures
    told = [
        ("accuracy_short", f"{found.accuracy:.1%}", say("health.between", **_ends(health.accuracy_interval))),
        ("majority_short", f"{found.majority_accuracy:.1%}", None),
        ("auc_short", f"{found.auc:.3f}", say("health.between_numbers", **_ends(health.auc_interval))),
        ("mcc_short", f"{found.mcc:.3f}", None),
        ("ece_short", f"{found.ece:.1%}", None),
    ]
    with st.container(horizontal=True, gap="medium", key="health_figures"):
        for name, value, between in told:
            _figure(say(f"health.{name}"), value, between)
        for number, label in enumerate(say(f"rendering.label_{label}") for label in health.labels):
            _figure(say("health.f1_short", label=label), f"{found.f1[number]:.3f}", None)
            _figure(say("health.predicted_share", label=label), f"{health.predicted_shares[number]:.1%}", None)


def _figure(name: str, value: str, between: str | None) -> None:
    st.metric(name, value, delta=between, delta_color="off", delta_arrow="off", width="content")


def _ends(interval: tuple[float, float]) -> dict[str, float]:
    return dict(zip(("low", "high"), interval, strict=True))


def answers(health: Health) -> None:
    """What was answered for what, how far the confidence can be believed, and on which inputs it is right."""
    say, look = translator(), page_theme()
    left, right = st.columns(2, gap="large")
    with left:
        downloads.show(
            confusion_matrix(health.figures.confusion, health.labels, say, look),
            "health_confusion",
            alt=say("rendering.confusion"),
        )
    with right:
        downloads.show(calibration_curve(health.calibration, say, look), "calibration", alt=say("health.calibration"))
        st.caption(sentences(say, calibration_remark(health)))
    kinds = list(dict.fromkeys(one.kind for one in health.slices))
    for column, kind in zip(st.columns(2, gap="large"), kinds, strict=False):
        with column:
            downloads.show(
                slice_accuracy([one for one in health.slices if one.kind == kind], say, look),
                f"slices_{kind}",
                alt=say(f"health.{kind}"),
            )


def heads(health: Health) -> None:
    """Where the weight of each head lies, in pictures and in words, and which heads do the same."""
    say, look, profile = translator(), page_theme(), health.heads
    st.subheader(say("health.heads"), anchor="heads")
    st.caption(say("health.heads_rows", rows=profile.rows, pairs=profile.pair_rows))
    downloads.show(head_profile(profile, say, look), "head_profile", alt=say("health.profile"))
    words, alike = st.columns([2, 3], gap="large")
    with words:
        st.markdown(f"**{say('health.heads_summary')}**")
        if found := head_verdicts(health):
            with st.container(height=460 if len(found) > SHOWN else "content", border=False, key="head_verdicts"):
                st.markdown("\n".join(f"- {escape_markdown(say(one.message))}" for one in found))
        else:
            st.caption(say("health.heads_nothing"))
    with alike:
        count = profile.statistics["entropy"].shape[1]
        downloads.show(
            head_redundancy(profile.redundancy, count, say, look), "redundancy", alt=say("health.redundancy")
        )
