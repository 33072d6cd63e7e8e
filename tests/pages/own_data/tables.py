"""A table about the weather, the task that the page makes of it, and a model: what the tests of the page begin with."""

import json
import time
from pathlib import Path

from tests.pages.app import open_page
from tests.pages.fake_runs import FIGURES, OWNER
from viz_core import checkpoints
from viz_core.checkpoints import Settings
from viz_core.datasets.own import Columns, understand
from viz_core.jobs import runs
from viz_core.models.encoder import Encoder
from viz_core.tables.reading import read_table
from viz_core.tasks import get_task, own
from viz_core.tasks.own.definition import define
from viz_core.training.settings import model_config

PLACES = ("harbour", "garden", "station", "market", "museum", "valley", "bridge", "island", "library", "forest")
WORDS = {"wet": ("puddle", "umbrella", "drizzle"), "dry": ("dust", "sunshine", "drought")}
ROWS = [(f"the {place} saw {thing}", label) for place in PLACES for label in WORDS for thing in WORDS[label]]
TABLE = "text,label,town\n" + "".join(f"{text},{label},{number % 7}\n" for number, (text, label) in enumerate(ROWS))
TESTS = "nothing but drizzle | wet\nnothing but dust | dry"


def upload(content: str | bytes = TABLE, name: str = "weather_2026.csv"):
    app = open_page("your-data")
    content = content if isinstance(content, bytes) else content.encode()
    app.file_uploader(key="own_file_0").set_value((name, content, "text/csv")).run()
    assert not app.exception
    return app


def train(app, keeps: bool = True, tests: str = TESTS):
    app.text_area(key="own_tests_1").set_value(tests)
    app.toggle(key="own_keep_1").set_value(keeps)
    app.button(key="own_train").click().run()
    assert not app.exception
    return app


def make_task(owner: str = OWNER, tests: tuple = (("nothing but drizzle", "wet"),), **values) -> str:
    """A task of this owner, as the page makes it."""
    table = read_table(TABLE.encode(), "weather.csv")
    understood = understand(table.frame, Columns("text", "label"), table.lines)
    definition = define(understood, "Weather", owner=owner, tests=tests, created=time.time(), **values)
    own.create(definition, understood.rows)
    return definition.name


def make_model(task: str, folder: Path, **fields: object) -> None:
    """An untrained encoder of the task, with these other settings."""
    record = get_task(task)
    tokenizer = record.build_tokenizer([text for text, _ in ROWS], record.max_tokens)
    text = record.text_encoder(tokenizer)
    sizes = dict(layers=2, heads=2, width=8, feedforward=16, dropout=0.0) | fields
    config = model_config(record, "encoder", sizes, text.vocabulary)
    metrics = FIGURES | {"task": task}
    checkpoints.save(folder, Settings(task, config), Encoder(config).eval(), text, metrics)


def finish(run: runs.Run, accuracy: float) -> None:
    """As if the training had ended, with a checkpoint."""
    best = {"step": 10, "accuracy": accuracy, "majority_accuracy": 0.5}
    status = json.loads((run.path / "status.json").read_text()) | {"state": "finished", "best": best, "last": best}
    (run.path / "status.json").write_text(json.dumps(status))
    make_model(run.request.settings["task"], run.path / "checkpoints/10")
    (run.path / "checkpoints/10" / checkpoints.CARD).write_text("# Weather\n")


def everything(app) -> str:
    """All that a page sends to the browser."""
    return "\n".join(str(getattr(node, "proto", "")) for node in app._tree)
