"""A model that translates: how well, and whether its cross-attention aligns words."""

from functools import partial

import streamlit as st

from pages.shared import downloads, evidence, head_names
from pages.shared.opening import open_translation
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.verdicts.translation import alignment_verdict, beats_retrieval, translation_verdict
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence import alignment as alignment_evidence
from viz_core.records import WordAlignment
from viz_core.rendering.head_alignment import head_alignment
from viz_core.tables.downloads import alignment_csv
from viz_core.tasks import get_task

# Rows of the table of figures, with the prefix of their names in metrics.json.
METHODS = {"greedy": "", "beam": "beam_", "retrieval": "retrieval_"}
SPLITS = ("validation", "test")
# The box and the icon of a verdict.
_GOOD, _OPEN, _BAD = ((st.info, "check_circle"), (st.info, "info"), (st.error, "do_not_disturb_on"))
_BOXES = {"better": _GOOD, "unclear": _OPEN, "worse": (st.warning, "info")}


def figures(info: CheckpointInfo) -> None:
    """The verdict, BLEU and chrF of greedy translations, of a beam search and of the baseline, by split."""
    say, measured = translator(), {split: info.metrics.numbers(split) for split in SPLITS}
    better = beats_retrieval(measured["validation"])
    box, icon = _OPEN if better is None else _GOOD if better else _BAD
    verdict = escape_markdown(say(translation_verdict(measured["validation"])))
    if better is None:
        verdict += f" `python -m viz_core evaluate --task {info.task} --model {info.name} --record`"
    box(verdict, icon=f":material/{icon}:")
    for column, (split, numbers) in zip(st.columns(2, gap="large"), measured.items(), strict=True):
        with column:
            if numbers:
                _table(split, numbers)
    st.caption(say("translation_figures.about"))


def _table(split: str, numbers: dict[str, float]) -> None:
    """The figures of a split, and below them those of the next token."""
    say = translator()
    st.markdown(f"**{say(f'translation_figures.{split}', n=numbers.get('n', 0))}**")
    rows = [
        {
            say("translation_figures.method"): say(f"translation_figures.{name}", width=numbers.get("beam", 0)),
            "BLEU": numbers.get(f"{prefix}bleu"),
            "chrF": numbers.get(f"{prefix}chrf"),
            say("translation_figures.incomplete"): numbers.get(f"{prefix}incomplete"),
        }
        for name, prefix in METHODS.items()
        if f"{prefix}bleu" in numbers
    ]
    score = st.column_config.NumberColumn(format="%.1f")
    st.dataframe(rows, hide_index=True, placeholder="–", column_config={"BLEU": score, "chrF": score})
    if {"token_accuracy", "validation_loss"} <= set(numbers):
        values = {"accuracy": numbers["token_accuracy"], "loss": numbers["validation_loss"]}
        st.caption(escape_markdown(say("translation_figures.next_token", **values)))


def alignment(info: CheckpointInfo) -> None:
    """Whether cross-attention aligns words, and in which head: from saved evidence, or the offer to compute it."""
    if not get_task(info.task).aligned_file:
        return
    say = translator()
    st.header(say("alignment.title"), anchor="alignment")
    result = evidence.result_or_offer(info, alignment_evidence.NAME)
    measured = alignment_evidence.read(result)
    if measured:
        _alignment(info, measured)
    elif result:  # saved by another version of the app
        st.caption(say("alignment.missing"))


def _alignment(info: CheckpointInfo, measured: WordAlignment) -> None:
    say, verdict = translator(), alignment_verdict(measured)
    box, icon = _BOXES[verdict.level]
    box(f"**{escape_markdown(say(verdict.verdict))}**", icon=f":material/{icon}:")
    chart, text = st.columns([3, 2], gap="large")
    with chart:
        downloads.show(
            head_alignment(measured, say, page_theme()),
            "head_alignment",
            partial(alignment_csv, measured),
            alt=say("alignment.chart"),
        )
    with text:
        st.markdown("\n".join(f"- {escape_markdown(say(reason))}" for reason in verdict.reasons))
        best = measured.best.name
        named = head_names.label(best, head_names.names_of(info, "cross"))
        if st.button(escape_markdown(say("alignment.open", head=named)), icon=":material/translate:", type="tertiary"):
            open_translation(info, best)
        counts = {"pairs": measured.pairs, "sure": measured.sure, "other": measured.possible - measured.sure}
        st.caption(escape_markdown(say("alignment.note", **counts)))
        with st.expander(say("alignment.how")):
            st.caption(escape_markdown(say("alignment.method")))
