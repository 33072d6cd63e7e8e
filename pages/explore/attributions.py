"""Five attribution methods on the same tokens: how far they agree, and how faithful they are to the model."""

import threading

import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.shared import downloads, evidence, links
from pages.shared.attribution_parts import (
    MethodComparison,
    compare,
    explain_methods,
    may_measure,
    show_attributions,
    show_measures,
)
from pages.shared.cache import explain_input, load_model, model_version
from pages.shared.own_tasks import task_theme
from pages.shared.visitor import show_failure, translator
from pages.shared.wording import escape_markdown, join_sentences
from viz_core.analysis.attribution.methods import contributions
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.faithfulness import NAME, read
from viz_core.evidence.kinds import evidence_kind
from viz_core.records import Explanation, Failure
from viz_core.rendering.attributions import attribution_bars
from viz_core.tables.downloads import attributions_csv
from viz_core.text.length import cut_text

CACHED = 256  # inputs, for all visitors; an input of 512 tokens takes 30 kB


def attribution_section(info: CheckpointInfo, explanation: Explanation) -> None:
    """The chart, agreement and faithfulness on this input and on validation, and what each method measures."""
    say, encoding = translator(), explanation.encoding
    with st.container(horizontal=True):
        target = pick_target(explanation)
        against = _pick_against(explanation, target)
    if explanation.label_ids and not may_measure(info, len(encoding.ids), encoding.texts):
        return
    try:
        with st.spinner(say("attribution.measuring")):
            comparison = compare_methods(info, target, *encoding.texts, against=against)
    except Failure as failure:
        show_failure(failure, "edit", st.info)
        return
    notes = [say("attribution.first_token")] if explanation.kind == "causal" else []
    show_attributions(comparison, explanation.labels, explanation.labels[explanation.predicted], notes, task=info.task)
    if NAME in evidence_kind(info.task).compute:
        st.markdown(f"### {say('attribution.on_validation')}")
        _validation(info)
    explain_methods(comparison)


def _validation(info: CheckpointInfo) -> None:
    """Agreement and faithfulness on the validation split, or the offer to compute them."""
    say, saved = translator(), read(evidence.result_or_offer(info, NAME))
    if saved is None:
        return
    show_measures(saved.agreement, "attribution.agreement_inputs", saved.measures, "validation")
    notes = [say("attribution.validation_sample")] if saved.data == "sample" else []
    if saved.unfinished > 0:
        notes.append(say("attribution.validation_gap", share=f"{saved.unfinished:.1%}"))
    if notes:
        st.caption(join_sentences(notes, say))


@st.cache_resource(show_spinner=False)
def _cache() -> tuple[LRUCache, threading.Lock]:
    return LRUCache(CACHED), threading.Lock()


def compare_methods(info: CheckpointInfo, target: str, *texts: str, against: str = "") -> MethodComparison:
    """The five methods on one input, for a label or, if it is empty, the predicted one, and against another or, if that
    is empty, all others; cached for all visitors."""
    version, (cache, lock) = model_version(info), _cache()

    @cached(cache, key=lambda: hashkey(info.path, version, target, against, *map(cut_text, texts)), lock=lock)
    def compute() -> MethodComparison:
        checkpoint, explanation = load_model(info), explain_input(info, *texts)
        chosen, other = (explanation.labels.index(label) if label else None for label in (target, against))
        return compare(checkpoint, explanation, chosen, other)

    return compute()


def pick_target(explanation: Explanation) -> str:
    """The label of a class, one of more than two, or empty for the predicted one."""
    if len(explanation.labels) <= 2:  # of two, what opposes a class supports the other; there may be none
        return ""
    say, choices = translator(), ["", *explanation.labels]
    name = "attribution.target_token" if explanation.label_ids else "attribution.target"
    return links.pick(
        st.selectbox,
        "target",
        say(name),
        choices,
        lambda label: say(f"rendering.label_{label}" if label else f"{name}_predicted"),
        width=280,
    )


def _pick_against(explanation: Explanation, target: str) -> str:
    """The label that the target is compared with, or empty for all others."""
    say, chosen = translator(), target or (explanation.labels[explanation.predicted] if explanation.labels else "")
    others = [label for label in explanation.labels if label != chosen]
    if len(others) < 2:
        return ""
    name = lambda label: say(f"rendering.label_{label}" if label else "attribution.against_all")  # noqa: E731
    return links.pick(st.selectbox, "against", say("attribution.against"), ["", *others], name, width=280)


def show_contributions(info: CheckpointInfo, explanation: Explanation) -> None:
    """A bar per token; nothing for other models."""
    attribution, say = contributions(load_model(info), explanation), translator()
    if attribution is None:
        return
    st.header(say("kinds.contributions_title"), anchor="contributions")
    label = say(f"rendering.label_{attribution.target}")
    note = "kinds.contributions_note" if len(explanation.labels) == 2 else "kinds.contributions_note_classes"
    st.caption(escape_markdown(say(note, label=label)))
    figure = attribution_bars([attribution], explanation.labels, say, task_theme(explanation.task))
    downloads.show(figure, "contributions", lambda: attributions_csv([attribution]), alt=figure.layout.title.text)
