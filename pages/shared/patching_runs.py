"""The passes behind the maps of patching: at once where they are quick, else on request and with a bar."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from pages.shared.cache import load_model, model_version
from pages.shared.visitor import translator
from viz_core.analysis.explain import encode
from viz_core.analysis.patching.estimate import estimate
from viz_core.analysis.patching.next_word import as_classifier, contrast_of
from viz_core.analysis.patching.patch import (
    Cell,
    Report,
    explain_patched,
    largest_of_other,
    no_report,
    patch_all,
    shown_sites,
)
from viz_core.analysis.patching.paths import trace_paths
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.models.protocol import AttentionKind
from viz_core.records import Contrast, Explanation, Failure, Patching, Paths, Site

QUICK = 1e11  # parts × tokens × parameters: some seconds on two cores
# In the session: the model and the texts whose parts are all to be patched; what took long, with what it is of.
_ASKED, _HELD = "patching_asked", "patching_held"
_Texts = tuple[str, ...]
_by_path = {CheckpointInfo: lambda info: str(info.path)}
_cached = st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=_by_path)
Measured = tuple[Patching, Patching, float | None]
Result = TypeVar("Result")


def measure(
    info: CheckpointInfo, found: Contrast, unrelated: _Texts | None, site: Site, kind: AttentionKind = "self"
) -> Measured | None:
    """Exact and estimated effects, and the largest one of an unrelated text, if there is one. None where that takes
    long, unless the visitor asks for it, for all parts of these texts."""
    columns = info.settings.config.heads if site == "heads" else len(found.pairs)
    return _run(info, found, info.settings.config.layers * columns, _measure, _measure_cached, unrelated, site, kind)


def trace(info: CheckpointInfo, found: Contrast, sender: tuple[int, int]) -> Paths | None:
    """What a head feeds; None where that takes long, unless the visitor asks for it."""
    config = info.settings.config
    receivers = 3 * config.heads * (config.layers - 1 - sender[0])
    return _run(info, found, receivers, _trace, _trace_cached, sender)


@_cached
def _sites(info: CheckpointInfo, version: tuple, _text: _Texts) -> tuple[Site, ...]:
    checkpoint = as_classifier(load_model(info))
    return shown_sites(checkpoint, encode(checkpoint, *_text))


def sites_of(info: CheckpointInfo, text: _Texts) -> tuple[Site, ...]:
    """The sites that a model shows, which is seen in a pass of any text; none if it cannot read that."""
    try:
        return _sites(info, model_version(info), text)
    except Failure:
        return ()


@_cached
def explain_with(
    info: CheckpointInfo, version: tuple, source: _Texts, target: _Texts, cell: Cell, kind: AttentionKind = "self"
) -> Explanation:
    """The target's run with one part of the source's."""
    return explain_patched(*contrast_of_texts(info, source, target, kind), cell)


def _run(
    info: CheckpointInfo,
    found: Contrast,
    passes: int,
    compute: Callable[..., Result],
    cached: Callable[..., Result],
    *about: object,
) -> Result | None:
    """The result; of long computations, which a cached function could not report, the visit keeps the last."""
    texts = found.source.texts, found.target.texts
    arguments = model_version(info), *texts, *about
    if passes * len(found.target.ids) * info.settings.config.parameters() <= QUICK:
        return cached(info, *arguments)
    say, key = translator(), (str(info.path), *arguments)
    held, result = st.session_state.get(_HELD, (None, None))
    if held == key:
        return result
    asked = str(info.path), arguments[0], texts
    if st.session_state.get(_ASKED) != asked:
        if st.button(say("patching.exact"), icon=":material/swap_horiz:"):
            st.session_state[_ASKED] = asked
            st.rerun()
        return None
    bar = st.progress(0.0, text=say("attribution.measuring"))
    result = compute(info, *arguments, report=bar.progress)
    st.session_state[_HELD] = key, result
    bar.empty()
    return result


def _measure(
    info: CheckpointInfo,
    version: tuple,
    source: _Texts,
    target: _Texts,
    unrelated: _Texts | None,
    site: Site,
    kind: AttentionKind,
    report: Report = no_report,
) -> Measured:
    checkpoint, found = contrast_of_texts(info, source, target, kind)
    exact = patch_all(checkpoint, found, [site], lambda share: report(share / 2))
    control = None
    if unrelated:
        other = encode(checkpoint, *unrelated)
        control = largest_of_other(checkpoint, found, site, other, lambda share: report((1 + share) / 2))
    return exact, estimate(checkpoint, found, [site]), control


def _trace(
    info: CheckpointInfo,
    version: tuple,
    source: _Texts,
    target: _Texts,
    sender: tuple[int, int],
    report: Report = no_report,
) -> Paths:
    return trace_paths(*contrast_of_texts(info, source, target), sender, report)


@_cached
def _contrast(
    info: CheckpointInfo, version: tuple, source: _Texts, target: _Texts, kind: AttentionKind
) -> tuple[Checkpoint, Contrast]:
    checkpoint = load_model(info)
    return contrast_of(checkpoint, *(encode(checkpoint, *texts) for texts in (source, target)), kind)


def contrast_of_texts(
    info: CheckpointInfo, source: _Texts, target: _Texts, kind: AttentionKind = "self"
) -> tuple[Checkpoint, Contrast]:
    """As `contrast_of`. Raises Failure."""
    return _contrast(info, model_version(info), source, target, kind)


_measure_cached, _trace_cached = _cached(_measure), _cached(_trace)
