"""Cards, each with a picture for both themes, and a sentence that a visitor can type in at once."""

import pytest
import streamlit as st
from PIL import Image
from streamlit.testing.v1 import AppTest

from pages.home import cards
from tests.pages.app import explorer, header, link_parameters, open_page, switch, trigger
from tests.words import english

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("url", cards.CARDS)
def test_a_picture_is_crisp_and_small(url, mode):
    file = cards._PICTURES / f"{url}_{mode}.webp"
    with Image.open(file) as picture:
        assert picture.size == (256, 256)  # for 83 px, and 104 in projector mode
    assert file.stat().st_size < 40_000


def test_every_card_has_its_name_and_its_picture():
    app = open_page("home")
    pictures = [element for element in app.get("html") if "<img" in element.proto.body]
    assert len(pictures) == len(cards.CARDS) and all('alt=""' in picture.proto.body for picture in pictures)
    names = [f"**{english(f'home.card_{url}')}**" for url in cards.CARDS]
    assert [link.label for link in app.get("page_link")] == names


def compact(app: AppTest):
    """The protocol message of the component."""
    (proto,) = (element.proto for element in app.get("bidi_component") if element.proto.component_name == "compact")
    return proto


@pytest.mark.parametrize(
    ("language", "texts"), [("en", ["The film is not good."]), ("zh", ["花呗怎么还款", "花呗如何还钱"])]
)
def test_each_language_has_a_sentence_or_a_pair_of_its_own(language, texts):
    fields = header(compact(open_page("home", lang=language)).bytes)
    assert (fields["instrument"]["texts"], fields["selection"]["views"]) == (texts, "4")


def test_what_is_typed_there_is_on_the_page_of_its_task_alone(runs_dir):
    app = open_page("home")
    trigger(app, compact(app).id, "texts", {"texts": ["a bad film"], "selection": {}})
    (button,) = (button for button in app.button if button.label == english("home.explore"))
    button.click().run()
    assert app.title[0].value == english("imdb.title") and explorer(app)["instrument"]["texts"] == ["a bad film"]
    assert explorer(switch(app, "matching").run())["instrument"]["texts"] == ["花呗怎么还款", "花呗如何还钱"]
    assert not app.exception


def test_what_is_typed_survives_a_click_that_interrupts_its_run(runs_dir, monkeypatch):
    app = open_page("home")
    with monkeypatch.context() as interrupted:
        interrupted.setattr("pages.home.page.mount_compact", lambda *_: st.stop())
        trigger(app, compact(app).id, "texts", {"texts": ["a bad film"], "selection": {}})
    assert explorer(switch(app, "sentiment").run())["instrument"]["texts"] == ["a bad film"]


def test_a_button_leads_to_a_table_of_ones_own(runs_dir):
    app = open_page("home")
    (button,) = (button for button in app.button if button.label == english("home.own_data"))
    button.click().run()
    assert not app.exception and app.title[0].value == english("own_data.title")


def test_a_test_opens_on_the_page_of_the_task_with_its_changes(runs_dir):
    app = open_page("home")
    trigger(app, compact(app).id, "test", {"texts": ["a bad film"], "changes": {"deleted": [2]}})
    switch(app, "sentiment").run()
    assert explorer(app)["instrument"]["texts"] == ["a bad film"] and not app.exception
    assert [link_parameters(app)[name] for name in ("evidence", "deleted")] == ["whatif", "3"]
