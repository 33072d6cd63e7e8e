"""The picker of a model, and what is said of a model besides its name."""

import json
import shutil

from pages.shared.wording import escape_markdown
from tests.pages.app import open_page, page_text, switch
from viz_core import checkpoints
from viz_core.language import Translator

ENGLISH = Translator("en")


def test_a_fine_tuned_model_names_what_it_started_from(checkpoints_dir):
    sentence = escape_markdown(ENGLISH("kinds.pretrained", name="tiny-bert"))
    assert sentence not in page_text(open_page("sentiment", lang="en"))
    file = checkpoints_dir / "imdb" / "tiny" / checkpoints.METRICS
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "pretrained": {"name": "tiny-bert"}}), "utf-8")
    assert sentence in page_text(open_page("sentiment", lang="en"))


def test_each_task_keeps_its_own_model(checkpoints_dir):
    """Two tasks may have models of the same name: picked for one, it is not picked for the other."""
    for task in ("imdb", "afqmc"):
        shutil.copytree(checkpoints_dir / task / "tiny", checkpoints_dir / task / "second")
    app = open_page("sentiment")
    first = app.selectbox(key="model").value
    other = next(name for name in ("tiny", "second") if name != first)
    app.selectbox(key="model").set_value(other).run()
    app.query_params.clear()  # as the browser does on another page
    switch(app, "matching").run()
    assert app.selectbox(key="model").value == first and not app.exception
    app.query_params.clear()
    switch(app, "sentiment").run()
    assert app.selectbox(key="model").value == other and not app.exception
