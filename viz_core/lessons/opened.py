"""What the link of a card shows: the model and the texts it reads, as a call in a notebook needs them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from viz_core.lessons.lesson import Card
from viz_core.tasks import all_tasks

PATCHING = "patching"  # the `evidence` of a link
_LANGUAGE_MODEL = "language-model"  # its `model` names the task, too: `imdb-text/small`


@dataclass(frozen=True)
class Opened:
    """A page of a task with texts.

    Attributes:
        task: Name of the task.
        model: Name of the model.
        texts: What it reads.
        head: Layer and head that are shown first, from 0; None for a mean, or if the link names none.
        kind: Which attention of a translation.
        source: The other texts of patching; empty without it.
        link: All parameters.
    """

    task: str
    model: str
    texts: tuple[str, ...]
    head: tuple[int | None, int | None] = (None, None)
    kind: str = "cross"
    source: tuple[str, ...] = ()
    link: Mapping[str, str] = field(default_factory=dict)

    @property
    def reference(self) -> str:
        """The model as `show` and its like take it."""
        return f"{self.task}/{self.model}"


def opened(card: Card, language: str, first_model: Callable[[str], str]) -> Opened | None:
    """What a card opens; None if that is no page of a task, or its link names no texts.

    Args:
        first_model: The model of a task that a page shows if the link names none.
    """
    page, link = card.state(language)
    tasks = {task.page: task for task in all_tasks().values()}
    boxes: tuple[str, ...] = ("text",)
    if page == _LANGUAGE_MODEL and link.get("model", "").count("/") == 1:
        task, model = link["model"].split("/")
    elif page in tasks:
        task, boxes = tasks[page].name, ("a", "b") if tasks[page].pair else boxes
        model = link.get("model") or first_model(task)
    else:
        return None
    texts = tuple(link.get(box, "") for box in boxes)
    if not all(texts):
        return None
    source = tuple(link.get(f"source_{box}", "") for box in boxes) if link.get("evidence") == PATCHING else ()
    kind = link.get("kind", "cross")
    return Opened(task, model, texts, _head(link.get("head", "")), kind, source if all(source) else (), link)


def _head(head: str) -> tuple[int | None, int | None]:
    """Layer and head, from 0, of the first one in a link: `2.1`, `2.*`."""
    layer, _, number = head.partition(" ")[0].partition(".")
    first, second = (int(part) - 1 if part.isdecimal() and int(part) else None for part in (layer, number))
    return first, second
