"""Attribution beside attention: five methods on the same tokens, whether they agree, and whether the answer follows them."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.shared import downloads, evidence
from pages.shared.cache import explain_input, load_model, weights_time
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.agreement import agreement
from viz_core.analysis.attribution import METHODS, attributions, no_token_matters
from viz_core.analysis.faithfulness import faithfulness
from viz_core.analysis.integrated_gradients import TOLERANCE
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.faithfulness import NAME, read
from viz_core.records import Agreement, Attribution, Explanation, Faithfulness, Message
from viz_core.rendering.agreement import agreement_matrix
from viz_core.rendering.attributions import attribution_bars
from viz_core.rendering.faithfulness import faithfulness_bars
from viz_core.rendering.probabilities import percent
from viz_core.tables.downloads import attributions_csv

CACHED = 256  # inputs, for all visitors together; one of 512 tokens takes 30 kB
PAPERS = {
    "leave_one_out": ("Li, Monroe, Jurafsky 2016", "https://arxiv.org/abs/1612.08220"),
    "integrated_gradients": ("Sundararajan, Taly, Yan 2017", "https://arxiv.org/abs/1703.01365"),
    "gradient_attention": ("Chefer, Gur, Wolf 2021", "https://arxiv.org/abs/2103.15679"),
    "rollout": ("Abnar, Zuidema 2020", "https://arxiv.org/abs/2005.00928"),
    "attention": ("Jain, Wallace 2019", "https://arxiv.org/abs/1902.10186"),
}


@dataclass(frozen=True, eq=False)
class _Compared:
    attributions: tuple[Attribution, ...]
    agreement: Agreement
    measures: tuple[Faithfulness, ...]


def methods(info: CheckpointInfo, explanation: Explanation) -> None:
    """The section: the chart, what it means on this input, what is known from the validation split, and the fine print."""
    say, look = translator(), page_theme()
    with st.spinner(say("attribution.measuring")):
        found = _compared(info, *explanation.encoding.texts)
    if no_token_matters(found.attributions):
        st.info(say("attribution.nothing_to_attribute"), icon=":material/block:")
    figure = attribution_bars(found.attributions, explanation.labels, say, look)
    downloads.show(figure, "attributions", lambda: attributions_csv(found.attributions), alt=figure.layout.title.text)
    integrated = found.attributions[METHODS.index("integrated_gradients")]
    st.caption(
        escape_markdown(
            say(
                "attribution.completeness" if integrated.gap < TOLERANCE else "attribution.completeness_gap",
                gap=percent(integrated.gap),
                steps=integrated.steps,
            )
        )
    )
    st.markdown(f"##### {say('attribution.on_input')}")
    _beside(found.agreement, "attribution.agreement_input", found.measures, "input")
    st.markdown(f"##### {say('attribution.on_validation')}")
    _validation(info)
    with st.expander(say("attribution.methods_explained"), icon=":material/menu_book:"):
        for method, (paper, address) in ((shown.method, PAPERS[shown.method]) for shown in found.attributions):
            name, shows = say(f"attribution.{method}"), say(f"attribution.{method}_shows")
            st.markdown(f"**{name}** · {shows} [{paper}]({address})")
        st.caption(say("attribution.removal_bias"))


def _validation(info: CheckpointInfo) -> None:
    """What is known from the validation split, or how to get it."""
    say, kept = translator(), read(evidence.result_or_offer(info, NAME))
    if kept is None:
        return
    _beside(kept.agreement, "attribution.agreement_inputs", kept.measures, "validation")
    notes = [say("attribution.validation_sample")] if kept.data == "sample" else []
    if kept.unfinished > 0:
        notes.append(say("attribution.validation_gap", share=f"{kept.unfinished:.1%}"))
    if notes:
        st.caption(" ".join(notes))


def _beside(agreed: Agreement, note: str, measures: tuple[Faithfulness, ...], name: str) -> None:
    """Agreement and faithfulness side by side where there is room, else one below the other."""
    say, look = translator(), page_theme()
    with st.container(horizontal=True, gap="medium", key=f"beside_{name}"):
        for figure, called in (
            (agreement_matrix(agreed, Message(note, {"count": agreed.count}), say, look), f"agreement_{name}"),
            (faithfulness_bars(measures, say, look), f"faithfulness_{name}"),
        ):
            with st.container(width="content", key=f"one_{called}"):
                downloads.show(figure, called, alt=figure.layout.title.text)


@st.cache_resource(show_spinner=False)
def _cache() -> tuple[LRUCache, threading.Lock]:
    return LRUCache(CACHED), threading.Lock()


def _compared(info: CheckpointInfo, *texts: str) -> _Compared:
    """The five methods on one input; kept for all visitors."""
    written, (cache, lock) = weights_time(info), _cache()

    @cached(cache, key=lambda: hashkey(info.path, written, *texts), lock=lock)
    def compute() -> _Compared:
        checkpoint, explanation = load_model(info), explain_input(info, *texts)
        found = attributions(checkpoint, explanation)
        return _Compared(found, agreement(found), faithfulness(checkpoint, explanation, found))

    return compute()
