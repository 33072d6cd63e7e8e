"""A model that a link, a lesson or a page names, and that ships but is not installed: how it is fetched is said."""

import shutil

import pytest

from pages.routes.explain import explain
from pages.shared.tasks import BEFORE_AND_AFTER
from tests.further_models import leave_out
from tests.pages.app import open_page, page_text
from tests.pages.routes.route_requests import REQUEST, refusal_message
from tests.tasks.own import table
from tests.tiny import save_checkpoint
from tests.words import says

FIELDS = {"task": "imdb", "texts": ["good"], "language": "en"}
COMMAND = "attention-microscope models fetch imdb/minilm"


@pytest.fixture
def absent(tmp_path, monkeypatch, runs_dir):
    """The folder of a model that ships but is not installed."""
    folder = save_checkpoint(tmp_path / "elsewhere", "imdb", "minilm")
    leave_out([folder], tmp_path / "shipped", monkeypatch)
    return folder


def hints(app) -> list[str]:
    return [info.value for info in app.info if says(info.value, "checkpoints.not_fetched", name="imdb/minilm")]


@pytest.mark.parametrize("page", ["sentiment", "inside", "head"])
def test_the_model_of_a_link_is_named_with_the_command_and_another_one_is_shown(absent, page):
    app = open_page(page, task="imdb", model="minilm")
    (hint,) = hints(app)
    assert COMMAND in hint and app.selectbox(key="model").value == "tiny"


def test_it_is_said_until_another_model_is_picked(absent, checkpoints_dir):
    save_checkpoint(checkpoints_dir, "imdb", "second")
    app = open_page("sentiment", model="minilm")
    assert app.run() and hints(app), "the link names it no longer"
    picked = app.selectbox(key="model")
    picked.set_value(({"tiny", "second"} - {picked.value}).pop()).run()
    assert not hints(app) and not app.exception


def test_once_it_is_there_it_is_shown(absent, checkpoints_dir):
    app = open_page("sentiment", model="minilm")
    assert hints(app)
    shutil.copytree(absent, checkpoints_dir / "imdb" / "minilm")
    assert not hints(app.run())
    assert open_page("sentiment", model="minilm").selectbox(key="model").value == "minilm"


@pytest.mark.parametrize("name", ["none", "../imdb/minilm", "minilm/", "<b>"])
def test_of_any_other_name_nothing_is_said(absent, name):
    app = open_page("sentiment", model=name)
    assert not app.exception and not hints(app) and name not in " ".join(info.value for info in app.info)


def test_the_second_model_of_a_comparison(absent, checkpoints_dir):
    save_checkpoint(checkpoints_dir, "imdb", "second")
    app = open_page("sentiment", evidence="models", model="second", other="minilm", text="a good film")
    assert COMMAND in hints(app)[0] and app.selectbox(key="other").value == "tiny"


def test_beside_the_card_of_a_lesson_about_it(absent):
    app = open_page("inside", lesson="encoder-block", card="diagram")
    app.button(key="lesson_back").click().run()
    assert says(page_text(app), "lessons.no_model", model="minilm") and COMMAND in hints(app)[0]
    assert app.selectbox(key="model").value == "tiny" and not app.exception


def test_the_scene_of_three_models_goes_on_with_two(absent, checkpoints_dir):
    for name in BEFORE_AND_AFTER.models[:2]:
        save_checkpoint(checkpoints_dir, "imdb", name)
    app = open_page("lessons")
    assert len([button for button in app.button if button.key.startswith("scene_")]) == 6
    assert COMMAND in hints(app)[0]


def test_a_table_whose_encoder_could_start_from_it(absent):
    app = open_page("your-data")
    app.file_uploader(key="own_file_0").set_value(("fruit.csv", table().to_csv(index=False).encode(), "text/csv")).run()
    assert COMMAND in hints(app)[0] and not app.exception
    assert not [radio for radio in app.radio if radio.key == "own_encoder_1"]


def test_the_page_of_models_counts_them(absent):
    assert says(page_text(open_page("models", task="imdb")), "pages.models_absent", count=1)


def test_a_route_that_is_asked_for_it_says_how_it_is_fetched(absent):
    message = refusal_message(explain, REQUEST | {"model": "minilm"} | FIELDS, 404)
    assert says(message, "checkpoints.not_fetched", name="imdb/minilm") and message.endswith(COMMAND)
