"""What the pages do for the tasks of a kind: a record each. They are in `pages/kinds.py`; more can be registered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pages.shared.own_tasks import first_examples, visible_tasks
from pages.shared.tasks import PAGES, TaskPage
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.records import ELSEWHERE, Encoding
from viz_core.records.inside import ClassLens, Inside, QueryKeyPlane, TokenLens
from viz_core.rendering.labels import shorten
from viz_core.tasks import OfKind, get_task

Section = Callable[[CheckpointInfo], None]  # draws something about a model
# The record of a weight, the tokens of queries and keys, and their labels where those of the tokens do not do.
LabelledInside = tuple[Inside, tuple[Encoding, Encoding], tuple[tuple[str, ...], tuple[str, ...]]]
_OTHERS = {"home", "inside", "models", "head", "evaluation", "training", "your-data", "other", "language-model"}
_TAKEN = _OTHERS | {page.url for page in PAGES.values()}
_HEIGHT, _EXAMPLES, _LABEL_COLUMNS = 80, 3, 24  # of a page that is made of the sample


@dataclass(frozen=True)
class InsideInput:
    """What the model reads on the page about the inside of attention. outputs: of a translation, the ids of its tokens;
    empty for what greedy decoding produces."""

    texts: tuple[str, ...]
    outputs: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class InsideKind:
    """How the page about the inside of attention follows an input. What it calls may raise Failure.

    sections: those that offer tasks of the kind. pick_input(info): draws the text boxes. attention(info, input): by
    kind of attention, `(L, H, Q, K)`. first_kind: the one that is shown first, by default the only one. compute(info,
    request): the record of a weight, of a `routes.inside.InsideRequest`. lens(info, input): the logit lens.
    plane(checkpoint, kind, layer, head): the queries and keys in one plane, of each of plane_kinds;
    plane_notes(checkpoint): keys of the sentences below it.
    """

    sections: tuple[str, ...] = ("head", "lens", "plane")
    pick_input: Callable[[CheckpointInfo], InsideInput]
    attention: Callable[[CheckpointInfo, InsideInput], Mapping[str, np.ndarray]]
    first_kind: str | None = None
    compute: Callable[[CheckpointInfo, Any], LabelledInside]
    lens: Callable[[CheckpointInfo, InsideInput], ClassLens | TokenLens]
    plane: Callable[[Checkpoint, Any, int, int], QueryKeyPlane]
    plane_kinds: tuple[str, ...] = ("self",)
    plane_notes: Callable[[Checkpoint], tuple[str, ...]] = lambda checkpoint: ()


def _draw_nothing(info: CheckpointInfo) -> None:
    """The default of a section."""


@dataclass(frozen=True, kw_only=True)
class PageKind:
    """What the pages do for the tasks of a kind; by default nothing.

    page: draws the page of a task; None if the tasks have none. is_shown: whether the navigation leads to it. boxes: by
    number of texts in a row of the sample, the keys of the text boxes of a task that has no page in PAGES. input_pages:
    by number of texts, where a model reads one or two. warm_up: computes what a page shows first, so that no visitor
    waits for a model to be loaded. routes: those that serve the models (`pages/routes/`). heads: reads what the route
    of that name is asked for, and returns a function of a model. banner: says how good a model is. models: what the
    page of the models says of one, below the sentence models_note. evidence: below the explorer, by name. evaluation:
    the parts of that page, by name. is_compared: whether a training is compared with another model on the same input.
    pinned: what becomes of the inputs to watch during a training (`pages.training_pinned_<pinned>`).
    """

    page: Callable[[TaskPage], None] | None = None
    is_shown: Callable[[], bool] = lambda: True
    boxes: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: {1: ("text",), 2: ("a", "b")})
    input_pages: Mapping[int, TaskPage] | None = None
    warm_up: Callable[[CheckpointInfo, TaskPage], None] | None = None
    routes: tuple[str, ...] = ()
    heads: Callable[[Mapping[str, Any]], Callable[..., Any]] | None = None
    banner: Section = _draw_nothing
    models: Section = _draw_nothing
    models_note: str = "health.note"
    evidence: tuple[str, ...] = ()
    evaluation: Mapping[str, Section] = field(default_factory=dict)
    is_compared: bool = False
    pinned: str = "single"
    inside: InsideKind | None = None


_KINDS: OfKind[PageKind] = OfKind(default=PageKind())
page_kind, register_page_kind = _KINDS.of, _KINDS.register


def tasks_with_page() -> list[str]:
    """The tasks that have a page for this visitor, models from elsewhere among them, in the order of the records of
    their kinds."""
    tasks = [get_task(name) for name in visible_tasks()]
    return [
        task
        for kind in _KINDS.names()
        for task in ([kind] if kind in ELSEWHERE else [task.name for task in tasks if task.kind.name == kind])
        if page_kind(task).page
    ]


def task_page(task: str, texts: int | None = None) -> TaskPage:
    """The page of a task: the one written for it, else one made of its sample. texts: of a model that reads one or two,
    how many it is given, by default as at first. Raises Failure for an unknown task."""
    if pages := page_kind(task).input_pages:
        return pages[texts or next(iter(pages))]
    return PAGES.get(task) or _page_of_sample(task)


def _page_of_sample(task: str) -> TaskPage:
    """Its examples are behavioural tests of its owner and the first rows of the sample, as far as this visitor may see
    them; without any, its boxes are empty."""
    rows = first_examples(task, _EXAMPLES) or [("",) * get_task(task).input_texts]
    boxes = page_kind(task).boxes[len(rows[0])]
    examples = tuple((shorten(texts[0], _LABEL_COLUMNS), texts) for texts in rows)
    return TaskPage(task, f"{task}-task" if task in _TAKEN else task, boxes, _HEIGHT, examples)
