"""Tasks, and kinds of tasks, that appear while the server runs: navigation, pickers and routes know them at once."""

import contextlib
from dataclasses import replace

import pytest
import streamlit as st

from pages.routes.explain import explain
from pages.routes.heads import heads, of_texts
from pages.shared import kinds
from pages.shared.kinds import PageKind, page_kind, register_page_kind, task_page
from tests.pages.app import explorer, open_page, page_text
from tests.pages.routes.route_requests import post
from tests.tiny import encoder, text_encoder
from tests.words import english
from viz_core import checkpoints
from viz_core.checkpoints import Settings
from viz_core.language import Translator
from viz_core.tasks import Measure, TaskKind, get_task, register, unregister

VERSE = TaskKind("verse", "verse", (Measure("loss", falls=True),), vocabulary_splits=("train",))
WORDS = {"en": {"name": "Films", "page": "Films", "title": "A good film?"}}

pytestmark = pytest.mark.usefixtures("runs_dir")


def add(root, name: str, **fields):
    """Registers a task that reads what the first one reads, with an untrained model of its own."""
    task = replace(get_task("imdb"), name=name, **fields)
    register(task)
    text = text_encoder("imdb")
    model = encoder(vocabulary=text.vocabulary, max_tokens=text.max_tokens)
    checkpoints.save(root / name / "tiny", Settings(name, model.config), model, text, {"task": name})
    return task


@pytest.fixture
def registry():
    """Removes what a test registers."""
    yield
    for name in ("films", "poems", "matching", "models"):
        with contextlib.suppress(KeyError):
            unregister(name)
    kinds._KINDS._records.pop(VERSE.name, None)


def addresses(app) -> list[str]:
    return [*app.session_state["pages"]]


def test_a_task_appears_in_navigation_and_pickers_and_has_a_page_of_its_sample(registry, checkpoints_dir):
    app = open_page()
    assert "films" not in addresses(app)
    task = add(checkpoints_dir, "films", words=WORDS)
    assert "films" in addresses(app.run())
    page, rows = open_page("films"), task.read("validation", "sample")["text"]
    assert page.title[0].value == "A good film?"
    fields = explorer(page)["instrument"]
    assert fields["texts"] == [rows[0]] and [example["texts"] for example in fields["examples"]] == [
        [text] for text in rows[:3]
    ]
    assert fields["boxes"] == [english("tasks.box_text")] and fields["request"]["body"]["task"] == "films"
    for tool in ("models", "evaluation", "inside", "training"):
        assert "Films" in open_page(tool, task="films").segmented_control(key="task").options
    unregister("films")
    assert "films" not in addresses(app.run()) and not app.exception


@pytest.mark.parametrize("name", ["matching", "models"])
def test_the_address_of_another_page_is_not_taken(registry, checkpoints_dir, name):
    add(checkpoints_dir, name, words=WORDS)
    urls = addresses(open_page())
    assert f"{name}-task" in urls and len(urls) == len(set(urls))


def test_a_task_whose_sample_cannot_be_read_has_a_page_with_empty_boxes(registry, checkpoints_dir):
    add(checkpoints_dir, "films", words=WORDS, sample=("missing.jsonl",))
    assert task_page("films").examples == (("", ("",)),)
    assert "films" in addresses(open_page())


def draw_page(page) -> None:
    st.title(f"Verse of {page.task}")


def draw_model(info) -> None:
    st.caption(f"A poet: {info.name}")


def draw_part(info) -> None:
    st.caption(f"Errors of {info.name}")


def test_a_kind_without_a_record_has_no_page_and_disturbs_no_other(registry, checkpoints_dir):
    add(checkpoints_dir, "poems", kind=VERSE, labels=(), words=WORDS)
    app = open_page("models", task="poems")
    assert "poems" not in addresses(app) and page_kind("poems") == PageKind()
    assert "Films" not in open_page("evaluation").segmented_control(key="task").options
    assert post(explain, {"task": "poems", "model": "tiny", "texts": ["a"], "language": "en"}).status_code == 404


def test_a_kind_is_one_record(registry, checkpoints_dir):
    add(checkpoints_dir, "poems", kind=VERSE, labels=(), words=WORDS)
    record = PageKind(
        page=draw_page, models=draw_model, evaluation={"errors": draw_part}, routes=("heads",), heads=of_texts
    )
    register_page_kind(VERSE, record)
    assert open_page("poems").title[0].value == "Verse of poems"
    assert "A poet: tiny" in page_text(open_page("models", task="poems"))
    evaluation = open_page("evaluation", task="poems")
    assert "Errors of tiny" in page_text(evaluation)
    assert evaluation.segmented_control(key="part").options == [Translator("en")("evaluation.part_errors")]
    request = {"task": "poems", "model": "tiny", "texts": ["a good film"], "heads": [[0, 0]], "language": "en"}
    assert [post(route, request).status_code for route in (heads, explain)] == [200, 404]
