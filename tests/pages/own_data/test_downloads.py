"""The downloads of a model: the zip for this app, and what transformers opens, or why it cannot."""

import io
import zipfile

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from tests.pages.app import open_page, page_text
from tests.pages.own_data.tables import ROWS, make_model, make_task
from tests.words import says
from viz_core import checkpoints
from viz_core.adapters.export import export_zip
from viz_core.analysis.explain import explain
from viz_core.tasks import own

pytestmark = pytest.mark.usefixtures("runs_dir")
AS_BERT = dict(norm="post", embedding_norm=True, pooling="cls")


def open_downloads(task: str) -> AppTest:
    app = open_page("your-data")
    app.session_state[f"own_download_{task}"] = True
    app.run()
    assert not app.exception and not app.error
    return app


def offered(app: AppTest, task: str) -> set[str]:
    """The forms in which a model of the task is offered."""
    return {form for form in ("zip", "bert") if f"own_download_{form}_{task}" in str(app)}


def test_a_model_like_bert_is_offered_for_transformers_too_before_its_weights_are_read(checkpoints_dir):
    task = make_task()
    make_model(task, checkpoints_dir / task / "small", **AS_BERT)
    (checkpoints_dir / task / "small" / checkpoints.WEIGHTS).write_bytes(b"")
    assert offered(open_page("your-data"), task) == set(), "until the menu is opened"
    app = open_downloads(task)
    assert offered(app, task) == {"zip", "bert"} and not says(page_text(app), "own_data.no_bert")


@pytest.mark.parametrize(("fields", "tokens", "key"), [({}, "words", "differs"), (AS_BERT, "chinese_words", "jieba")])
def test_of_another_model_the_page_says_why_it_is_not(checkpoints_dir, fields, tokens, key):
    task = make_task(tokens=tokens)
    make_model(task, checkpoints_dir / task / "small", **fields)
    app = open_downloads(task)
    assert offered(app, task) == {"zip"} and says(page_text(app), f"export.{key}")


@pytest.mark.slow
def test_transformers_opens_what_is_downloaded(checkpoints_dir, tmp_path):
    task = make_task()
    make_model(task, checkpoints_dir / task / "small", **AS_BERT)
    ours = checkpoints.load(task, "small")
    export_zip(ours, content := io.BytesIO(), "weather")
    zipfile.ZipFile(content).extractall(tmp_path)
    network = AutoModelForSequenceClassification.from_pretrained(tmp_path / "weather").eval()
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "weather")
    texts = [text for text, _ in ROWS[:8]]
    with torch.no_grad():
        logits = network(**tokenizer(texts, padding=True, return_tensors="pt")).logits
    expected = np.stack([explain(ours, text).probabilities for text in texts])
    np.testing.assert_allclose(logits.softmax(-1).numpy(), expected, atol=1e-5)
    assert network.config.id2label == dict(enumerate(own.require_definition(task).labels))
