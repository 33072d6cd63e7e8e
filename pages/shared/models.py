"""Models and explanations, cached for all visitors, and the pickers that choose among them."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.shared import links
from pages.shared.gallery import PAIRS, REVIEWS
from pages.shared.visitor import plain, translator
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.checkpoints import Checkpoint, Listing
from viz_core.records import Explanation, Failure
from viz_core.tasks import TASKS

FIRST = {"imdb": REVIEWS[0][1].values(), "afqmc": PAIRS[0][1].values()}  # what a page shows before anything is typed
# The figures in the table of models: by what they are multiplied, and their digits. Not "percent", which drops the zeros
# of 62.00%.
TABLE = {"accuracy": (100, "%.2f%%"), "majority_accuracy": (100, "%.2f%%"), "auc": (1, "%.3f"), "mcc": (1, "%.3f"),
         "threshold": (100, "%.2f%%")}
CACHED_BYTES = 256 * 2**20  # of attention, for all visitors together; one input of 512 tokens can take 33 MB


@st.cache_resource(max_entries=8, show_spinner=False)
def _load(path: Path, task: str, stamp: float) -> Checkpoint:
    return checkpoints.load_folder(path, task)


@st.cache_resource(show_spinner=False)
def _explanations() -> tuple[LRUCache, threading.Lock]:
    return LRUCache(CACHED_BYTES, getsizeof=lambda explanation: explanation.attention.nbytes), threading.Lock()


def warm_up() -> None:
    """Loads what the first visitor would else wait for: the model of each task, the word lists, the first examples."""
    for task, texts in FIRST.items():
        for listing in checkpoints.usable(task)[:1]:
            try:
                explained(listing, *texts)
            except Failure:
                continue  # the visitor is told on the page


def stamp(listing: Listing) -> float:
    """When the weights were written: what was made with others must be made again."""
    weights = listing.path / checkpoints.WEIGHTS
    return weights.stat().st_mtime if weights.exists() else 0.0  # without weights, loading says what is missing


def settle() -> None:
    """Tells the garbage collector that what is loaded by now stays.

    Streamlit collects after every run of a page: to look through all of torch and plotly again took 130 ms each time, in
    which nothing was sent to any visitor.
    """
    gc.collect()
    gc.freeze()


def loaded(listing: Listing) -> Checkpoint:
    """The model itself, shared by all visitors: not to be changed. Raises Failure."""
    return _load(listing.path, listing.task, stamp(listing))


def explained(listing: Listing, *texts: str) -> Explanation:
    """The explanation of one input; its arrays are shared and read-only. Raises Failure."""
    written, (cache, lock) = stamp(listing), _explanations()

    @cached(cache, key=lambda: hashkey(listing.path, written, *texts), lock=lock)
    def compute() -> Explanation:
        return explain(_load(listing.path, listing.task, written), *texts)

    return compute()


def pick_task_and_model() -> Listing | None:
    """The two pickers beside each other, for pages that serve every task; None where the task has no model."""
    say = translator()
    chosen, picked = st.columns([1, 2], vertical_alignment="bottom", gap="large")
    with chosen:
        links.restore("task", next(iter(TASKS)), list(TASKS))
        task = st.segmented_control(say("health.task"), list(TASKS), key="task", required=True, persist_state="session",
                                    format_func=lambda name: say(f"pages.training_task_{name}"))
        links.record("task", next(iter(TASKS)))
    with picked:
        return pick_model(task)


def pick_model(task: str) -> Listing | None:
    """The picker; says which checkpoints cannot be used, and returns None where none can."""
    say = translator()
    for failure in checkpoints.listings()[1]:
        st.warning(plain(say(failure.message)), icon=":material/broken_image:")
    choices = {listing.name: listing for listing in checkpoints.usable(task)}
    if not choices:
        st.error(say("checkpoints.no_models", task=task))
        return None
    names = list(choices)
    links.restore("model", names[0], names)
    labels = {name: _described(listing) for name, listing in choices.items()}
    name = st.selectbox(say("pages.model"), names, key="model", format_func=labels.get)
    links.record("model", names[0])
    return choices[name]


def _described(listing: Listing) -> str:
    say, encoder = translator(), listing.settings.encoder
    return say("pages.model_option", name=listing.name, layers=encoder.layers, heads=encoder.heads, width=encoder.width)


def shown_or_said(listing: Listing, *texts: str) -> Explanation | None:
    """The explanation, or None after its failure was said to the visitor."""
    try:
        return explained(listing, *texts)
    except Failure as failure:
        st.warning(plain(translator()(failure.message)), icon=":material/edit:")
        return None


def models_table() -> None:
    """Every checkpoint at hand with its figures on the test; what cannot be used is named below."""
    say = translator()
    found, broken = checkpoints.listings()
    rows = [{
        say("pages.column_model"): f"{listing.task} / {listing.name}",
        say("pages.column_size"): say("pages.size", layers=listing.settings.encoder.layers,
                                      heads=listing.settings.encoder.heads, width=listing.settings.encoder.width),
        say("pages.column_parameters"): listing.metrics.get("parameters"),
        **{say(f"pages.column_{name}"): None if (value := listing.metrics.get(name)) is None else value * factor
           for name, (factor, _) in TABLE.items()},
        say("pages.column_remark"): say("pages.bad_example") if listing.settings.caution else "",
    } for listing in sorted(found, key=lambda listing: bool(listing.settings.caution))]
    st.dataframe(rows, hide_index=True, column_config={
        say("pages.column_parameters"): st.column_config.NumberColumn(format="compact"),
        **{say(f"pages.column_{name}"): st.column_config.NumberColumn(format=digits) for name, (_, digits) in TABLE.items()}})
    for failure in broken:
        st.warning(plain(say(failure.message)), icon=":material/broken_image:")
