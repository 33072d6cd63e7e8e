"""Models from elsewhere that were opened in this process, and the form that opens one.

Only whoever is alone on the machine, or a teacher with the key, may open a model: it is read from this machine or the
web, and takes memory. Whatever is open, all visitors see.
"""

import logging
from collections.abc import Container, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import streamlit as st

from pages.shared import model_references, navigation, teacher
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.adapters.apart import Waiting, no_hurry
from viz_core.adapters.folder import read_folder
from viz_core.adapters.opening import LargeModel, load
from viz_core.adapters.references import HUB, PATH, display_name, find_folder, is_reference
from viz_core.analysis.inside.passes import find_anatomy
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.models.protocol import LanguageModel
from viz_core.records import ELSEWHERE, OTHER, Failure
from viz_core.servers import place

URL = "other"  # the last part of the address of their page
MOST_OPEN = 4  # models; another closes the one that was opened first
JUST_OPENED = "just_opened"  # in the session: the name of the model that its page shows next
_ESTIMATE = "large_model"  # in the session: the reference and the estimate of a model that is to be accepted


@dataclass(frozen=True)
class _Open:
    info: CheckpointInfo
    checkpoint: Checkpoint


@dataclass
class _Followed:
    """What this server has read of the models that are open on all. numbers: by name, of those that it has opened."""

    version: tuple[int, ...] | None = None
    numbers: dict[str, int] = field(default_factory=dict)


_models: dict[str, _Open] = {}  # by name, the oldest first
_lock = Lock()
_followed, _following = _Followed(), Lock()
_log = logging.getLogger(__name__)


def open_models(tasks: Container[str] = (OTHER,)) -> list[CheckpointInfo]:
    """The models from elsewhere that are open, the newest first; by default those that read a text or a pair."""
    with _lock:
        infos = [model.info for model in reversed(_models.values())]
    return [info for info in infos if info.task in tasks]


def open_tasks() -> list[str]:
    """The tasks of the models from elsewhere that are open."""
    return [task for task in ELSEWHERE if open_models((task,))]


def open_language_models() -> list[CheckpointInfo]:
    """Those that continue a text."""
    with _lock:
        models = list(reversed(_models.values()))
    return [model.info for model in models if isinstance(model.checkpoint.model, LanguageModel)]


def find_opened(name: str, task: str = OTHER) -> CheckpointInfo | None:
    """The open model of this name and task; None if there is none."""
    return next((info for info in open_models((task,)) if info.name == name), None)


def opened_checkpoint(name: str) -> Checkpoint:
    """The open model of this name. Raises Failure if it was closed."""
    return _find(name).checkpoint


def opened_transformer(name: str) -> Checkpoint:
    """The same, of whose steps all are known. Raises Failure, also if they are not."""
    checkpoint = opened_checkpoint(name)
    find_anatomy(checkpoint)
    return checkpoint


def _find(name: str) -> _Open:
    with _lock:
        if name not in _models:
            raise Failure("other.closed", name=name)
        return _models[name]


def open_model(reference: str, accept_large: bool = False, waiting: Waiting = no_hurry) -> CheckpointInfo:
    """Opens the model of a reference for all visitors. Raises Failure, LargeModel as `adapters.opening.open_model`."""
    is_shared = place().count > 1
    with _taking_turns(waiting) if is_shared else nullcontext():
        info = _load(reference, accept_large, waiting)
        found = f"{PATH}{info.path.resolve()}" if reference.startswith(PATH) else reference
        model_references.remember(info.name, found)
        if is_shared:
            _followed.numbers[info.name] = model_references.note_open(info.name, found, MOST_OPEN)
    return info


def _load(reference: str, accept_large: bool, waiting: Waiting) -> CheckpointInfo:
    name, folder = display_name(reference), find_folder(reference, waiting)
    checkpoint = load(read_folder(folder, name), name, accept_large, waiting)
    info = CheckpointInfo(checkpoint.task.name, name, folder, checkpoint.settings, checkpoint.metrics)
    with _lock:
        _models.pop(name, None)
        _models[name] = _Open(info, checkpoint)
        while len(_models) > MOST_OPEN:
            del _models[next(iter(_models))]
    return info


def follow_servers(waiting: Waiting = no_hurry) -> None:
    """Has the same models open as the other servers: opens what was opened on them, closes what was closed. What cannot
    be opened here is a line in the log, and is not tried again until somebody opens it."""
    with _taking_turns(waiting):
        if place().count == 1 or (version := model_references.open_version()) == _followed.version:
            return
        everywhere = model_references.open_everywhere()
        for name, opened in everywhere.items():
            if _followed.numbers.get(name) != opened.number:
                try:
                    _load(opened.reference, True, waiting)  # whoever opened it has accepted its size
                except Failure as failure:
                    _log.warning("A model that another server has opened is not opened here: %s", failure.message.key)
                _followed.numbers[name] = opened.number
        with _lock:
            ordered = {name: _models[name] for name in everywhere if name in _models}
            _models.clear()
            _models.update(ordered)
        _followed.version = version


@contextmanager
def _taking_turns(waiting: Waiting) -> Iterator[None]:
    """Those who open models that all servers share wait for each other: none closes what another is opening."""
    while not _following.acquire(timeout=0.1):
        waiting()
    try:
        yield
    finally:
        _following.release()


def reopen_linked() -> None:
    """If the link names a model that is not open: opens it where it was opened before, as after a restart of the
    server, or says how. Only for whoever may open models; others are told."""
    say, name = translator(), st.query_params.get("model")
    if name is None or name == st.session_state.get("model") or name in {info.name for info in open_models(ELSEWHERE)}:
        return
    if place().count > 1 and name in model_references.open_everywhere():
        with _cancellable() as waiting:
            follow_servers(waiting)
        if name in {info.name for info in open_models(ELSEWHERE)}:
            st.rerun()
    reference = model_references.reference_of(name)
    if reference is None or not teacher.may_manage_all():
        st.info(escape_markdown(say("other.not_open", name=name)), icon=":material/folder_off:")
        return
    try:
        with _cancellable() as waiting:
            open_model(reference, accept_large=True, waiting=waiting)  # whoever opened it has accepted that
    except Failure as failure:
        st.error(escape_markdown(say(failure.message)), icon=":material/broken_image:")
    else:
        st.rerun()  # the navigation may have another page now


@contextmanager
def _cancellable() -> Iterator[Waiting]:
    """Shows that a model is being opened, and a button to cancel; yields what the wait for it calls.

    Streamlit ends a script whose visitor has left or clicked anything, the button too, at its next element.
    """
    say, shown = translator(), st.empty()
    with shown.container(horizontal=True, vertical_alignment="center"):
        place = st.container()
        st.button(say("other.cancel"), key="cancel_opening", icon=":material/close:")
    try:
        with place, st.spinner(say("other.opening")):
            yield st.empty().empty
    finally:
        shown.empty()


def as_reference(typed: str) -> str:
    """What was typed, a reference or without its beginning: a folder if there is one, else an id."""
    typed = typed.strip()
    if is_reference(typed):
        return typed
    try:
        is_folder = typed.startswith(("/", "~", ".")) or Path(typed).is_dir()
    except (OSError, ValueError):
        is_folder = False
    return f"{PATH if is_folder else HUB}{typed}"


def open_section() -> None:
    """The form for those who may open a model; for others who may, where there is a key, the box for it."""
    say = translator()
    st.header(say("other.open"), anchor="elsewhere")
    st.caption(say("other.open_note"))
    if not teacher.may_manage_all():
        st.caption(say("other.not_allowed"))
        teacher.key_box()
        return
    with st.form("open_model", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input(say("other.reference"), key="reference", placeholder=say("other.placeholder"))
        is_submitted = st.form_submit_button(say("other.open_button"), icon=":material/folder_open:")
    if is_submitted and typed.strip():
        st.session_state.pop(_ESTIMATE, None)
        _open(as_reference(typed))
    if _ESTIMATE in st.session_state:
        reference, estimate = st.session_state[_ESTIMATE]
        st.warning(escape_markdown(say(estimate)), icon=":material/memory:")
        if st.button(say("other.open_large")):
            _open(reference, accept_large=True)


def _open(reference: str, accept_large: bool = False) -> None:
    """Opens a model and goes to its page, or says why not."""
    say = translator()
    try:
        with _cancellable() as waiting:
            info = open_model(reference, accept_large, waiting)
    except LargeModel as failure:
        st.session_state[_ESTIMATE] = (reference, failure.message)
    except Failure as failure:
        st.error(escape_markdown(say(failure.message)), icon=":material/broken_image:")
    else:
        st.session_state.pop(_ESTIMATE, None)
        st.session_state[JUST_OPENED] = info.name
        navigation.switch(URL)
