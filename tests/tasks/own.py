"""A table of somebody's own, and the task made of it."""

import pandas as pd

from viz_core.datasets.own import Columns, Understanding, understand
from viz_core.tasks import own
from viz_core.tasks.own.definition import Definition, define

FRUITS = {"sour": ("lemons", "limes", "sloes"), "sweet": ("figs", "dates", "pears")}
ROWS = [
    (f"{count} {fruit} {where}", taste)
    for count in ("two", "three", "some", "many", "no")
    for where in ("in a bowl", "on the table", "for tea", "from the garden")
    for taste, fruits in FRUITS.items()
    for fruit in fruits
]


def table() -> pd.DataFrame:
    """Sentences about fruit, 120, and their taste: one word decides."""
    return pd.DataFrame(ROWS, columns=["text", "label"])


def understood() -> Understanding:
    """What is understood of the table."""
    return understand(table(), Columns("text", "label"))


def add_task(title: str = "Fruit", **values: object) -> Definition:
    """The task, written to the folder of tasks."""
    rows = understood()
    definition = define(rows, title, **{"owner": "anna", "keeps_rows": True, **values})
    own.create(definition, rows.rows)
    return definition
