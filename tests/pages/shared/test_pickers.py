"""What is said of a model besides its name."""

import json

from pages.shared.wording import escape_markdown
from tests.pages.app import open_page, page_text
from viz_core import checkpoints
from viz_core.language import Translator

ENGLISH = Translator("en")


def test_a_fine_tuned_model_names_what_it_started_from(checkpoints_dir):
    sentence = escape_markdown(ENGLISH("kinds.pretrained", name="tiny-bert"))
    assert sentence not in page_text(open_page("sentiment", lang="en"))
    file = checkpoints_dir / "imdb" / "tiny" / checkpoints.METRICS
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "pretrained": {"name": "tiny-bert"}}), "utf-8")
    assert sentence in page_text(open_page("sentiment", lang="en"))
