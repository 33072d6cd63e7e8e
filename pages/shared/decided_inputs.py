"""The inputs that a head decides: those on which masking it changes the probability of the true label most."""

import streamlit as st

from pages.shared import head_names
from pages.shared.corpus_rows import CorpusRows
from pages.shared.opening import open_input
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown, row_label
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.importance import HeadEffect, Importance
from viz_core.rendering.labels import excerpt
from viz_core.tasks import get_task

_HEIGHT = 520  # px of a list of rows; longer lists scroll
_COLUMNS = 240  # text width in the list, in Latin letters


def decided_inputs(
    info: CheckpointInfo, importance: Importance, corpus: CorpusRows, name: str, head: tuple[int, int]
) -> None:
    """Two lists side by side: where the head helps, and where it hurts."""
    say, named = translator(), head_names.label(name, head_names.names_of(info, "self"))
    for column, kind, effects in zip(
        st.columns(2, gap="large"),
        ("helped", "harmed"),
        (importance.helped[head], importance.harmed[head]),
        strict=True,
    ):
        with column:
            st.markdown(f"**{escape_markdown(say(f'importance.{kind}', head=named))}**")
            if not effects:
                st.caption(say(f"importance.{kind}_none"))
            with st.container(height=_HEIGHT if effects else "content", border=bool(effects), gap="xsmall"):
                for number, effect in enumerate(effects):
                    _row(info, corpus, effect, name, f"{kind}_{number}")


def _row(info: CheckpointInfo, corpus: CorpusRows, effect: HeadEffect, head: str, key: str) -> None:
    """One input: text, label, prediction with and without the head, and a button that opens it."""
    say, labels = translator(), get_task(info.task).labels
    label, prediction, prediction_without = (
        say(f"rendering.label_{labels[number]}")
        for number in (effect.label, effect.prediction, effect.prediction_without)
    )
    outcome = "same" if effect.prediction == effect.prediction_without else "flipped"
    texts = corpus.texts_of(effect.row)
    with st.container(border=True):
        text_column, open_column = st.columns([9, 1], vertical_alignment="center", gap="small")
        with text_column.container(gap="xxsmall"):
            for text in texts:
                st.markdown(escape_markdown(excerpt(text, _COLUMNS)))
            st.caption(
                escape_markdown(
                    say(
                        "importance.row",
                        row=effect.row + 1,
                        truth=label,
                        before=effect.probability,
                        after=effect.probability_without,
                    )
                    + " · "
                    + say(f"importance.prediction_{outcome}", before=prediction, after=prediction_without)
                )
            )
        label = say("importance.open", row=effect.row + 1)
        if texts and open_column.button(
            row_label("", label), key=f"importance_{key}", icon=":material/visibility:", type="tertiary", help=label
        ):
            open_input(info, texts, head)
