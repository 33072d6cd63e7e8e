"""Tasks of people's own: which of them a visitor sees, and who sees their rows.

Its owner may use the models of such a task, and share it: then everybody may who knows its address. Its rows, and the
runs that were trained on them, are shown to its owner alone. A teacher who has turned on the switch for what belongs to
others has the rights of the owner. To anybody else, a task that is not shared is one that does not exist.
"""

import time
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

import pandas as pd
import streamlit as st

from pages.shared import closed_tasks, ownership
from pages.shared.teacher import is_alone
from pages.shared.visitor import page_theme
from pages.shared.wording import escape_markdown
from viz_core.analysis.turns import Client
from viz_core.files import file_version
from viz_core.jobs.request import owner_hash
from viz_core.jobs.runs import Run
from viz_core.records import Failure
from viz_core.rendering.theme import Theme
from viz_core.tasks import all_tasks, find_task, get_task, own
from viz_core.tasks.own import Definition, is_own_name
from viz_core.tasks.own.folder import ROWS

_OPENED, _MOST_OPENED = "own_tasks_opened", 20  # in the session: names of the tasks whose links were opened


def mine() -> list[Definition]:
    """The tasks of this visitor, the newest first."""
    return [task for task in own.definitions(ownership.visitor()) if _is_current(task)]


def managed() -> list[Definition]:
    """The tasks that this visitor may change: with the teacher's switch, those of others, too."""
    return [task for task in own.definitions() if _is_current(task) and ownership.may_change(task.owner)]


def owns(task: str) -> bool:
    """Whether this visitor may see the rows and the runs of a task. Those of the tasks that ship are for everybody."""
    if not is_own_name(task):
        return True
    definition = own.find_definition(task)
    return definition is not None and ownership.may_change(definition.owner)


def is_open(task: str) -> bool:
    """Whether this visitor may use the models of a task; those of the tasks that ship are for everybody."""
    return not is_own_name(task) or _find(task) is not None


def leave_if_closed(task: str) -> None:
    """Runs the whole page again if its owner has closed the task meanwhile; for fragments, which run alone."""
    if not is_open(task):
        st.rerun()


def opens_for(task: str, client: Client) -> bool:
    """The same of a route, which has no session."""
    if not is_own_name(task):
        return True
    definition = own.find_definition(task)
    if definition is None or not _is_current(definition):
        return False
    is_owner = client.visitor is not None and definition.owner == owner_hash(client.visitor)
    return definition.shared or is_alone() or is_owner or closed_tasks.opens_on_a_page(task, client)


def is_closed(task: str) -> bool:
    """Whether the address of a task opens it for its owner alone."""
    definition = _find(task)
    return definition is not None and not definition.shared


def visible_tasks() -> list[str]:
    """The names of the tasks that ship, of those that this visitor may change, and of those opened by a link."""
    opened = [name for name in _opened() if _find(name)]
    names = [*all_tasks(), *(task.name for task in managed()), *opened]
    for name in names:
        get_task(name)  # its words are in the catalogues from now on
    return list(dict.fromkeys(names))


def trainable_tasks() -> list[str]:
    """The tasks that this visitor may train on."""
    return [task for task in visible_tasks() if owns(task)]


def note_opened() -> None:
    """Remembers the tasks that the address of this page names, and tells routes which this visitor may change; called
    before the navigation is built."""
    closed_tasks.note(task.name for task in managed())
    known = _opened()
    for name in addressed():
        if name not in known and _find(name):
            known.append(name)
    st.session_state[_OPENED] = known[-_MOST_OPENED:]


def addressed() -> list[str]:
    """The names of tasks of one's own in the address, as its page or as `task=`, whether or not there are such."""
    path = urlsplit(st.context.url or "").path.rstrip("/").rpartition("/")[2]
    return [name for name in (path, st.query_params.get("task", "")) if is_own_name(name)]


def missing() -> list[str]:
    """Those in the address that are not there for this visitor, or not any more."""
    return [name for name in addressed() if not _find(name)]


def shown_runs(runs: Iterable[Run]) -> list[Run]:
    """The runs that this visitor may see, in their order."""
    seen: dict[str, bool] = {}
    shown = []
    for run in runs:
        task = str(run.request.settings.get("task", ""))
        if task not in seen:
            seen[task] = owns(task)
        if seen[task] or ownership.is_own(run.request.owner):
            shown.append(run)
    return shown


def check_rows(task: str) -> None:
    """Raises Failure where the rows of a task are not this visitor's to see. Called before anything that is cached for
    all visitors."""
    if not owns(task):
        raise Failure("own.rows_private")


def read_rows(task: str, split: str, data: str) -> pd.DataFrame:
    """The rows of a split that this visitor may see. Raises Failure."""
    check_rows(task)
    return get_task(task).read(split, data)


def rows_version(task: str) -> tuple[int, ...] | None:
    """Part of the key of what is cached of the rows of a task; None of the tasks that ship, and once they are
    deleted."""
    return file_version(own.folder() / task / ROWS) if is_own_name(task) else None


def first_examples(task: str, count: int) -> list[tuple[str, ...]]:
    """Texts to begin with: behavioural tests of its owner, then, for the owner, rows of validation.

    Others begin with empty boxes where there are no tests: a sentence of ours would be of words that the model does not
    know. Raises Failure if the task is unknown.
    """
    tests = [test.texts for test in get_task(task).own_tests]
    rows = _first_rows(task, count, own.folder(), rows_version(task)) if owns(task) else ()
    return [*tests, *rows][:count]


@lru_cache(maxsize=64)
def _first_rows(task: str, count: int, folder: Path, version: tuple | None) -> tuple[tuple[str, ...], ...]:
    """None where the sample cannot be read: that is no reason not to open the page."""
    try:
        frame = get_task(task).read("validation", "sample").head(count)
    except (Failure, OSError, ValueError):
        return ()
    return tuple(zip(*(frame[column] for column in ("text", "text_b") if column in frame), strict=True))


def task_theme(task: str) -> Theme:
    """The theme of the page, with the colours that the owner of a task has given its classes."""
    record = find_task(task)
    return page_theme().with_colours(record.colours if record else ())


def escaped(task: str, words: str) -> str:
    """Words of a task as Markdown: its owner has typed them."""
    return escape_markdown(words) if is_own_name(task) else words


def rows_from(task: str, source: str) -> str:
    """Where the rows of a survey come from, as the keys of sentences end: `own`, of a task of one's own."""
    return "own" if is_own_name(task) else source


def title(task: str) -> str:
    """What the owner calls a task; the name of a task that ships."""
    definition = own.find_definition(task)
    return definition.title if definition else task


def _opened() -> list[str]:
    return list(st.session_state.get(_OPENED, ()))


def _find(name: str) -> Definition | None:
    definition = own.find_definition(name)
    return definition if definition and _is_current(definition) and _may_open(definition) else None


def _may_open(task: Definition) -> bool:
    """Whoever is alone on the machine is another visitor in each browser, and on the command line."""
    return task.shared or is_alone() or ownership.may_change(task.owner)


def _is_current(task: Definition) -> bool:
    return task.expires is None or task.expires > time.time()
