"""A table of one's own in a real browser, from the file to the attention and the link, for two people at once."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import PATIENCE, running_app
from tests.tasks.own import table
from tests.words import english

TASTES, PAIRS = table(), table().assign(text_b=lambda rows: rows["text"].str.upper())


@pytest.fixture
def class_address(tmp_path, checkpoints_dir, monkeypatch):
    """The address of an app for several people, with empty folders."""
    monkeypatch.setenv("VIZ_TEACHER_KEY", "a long key for teachers")
    with running_app(VIZ_RUNS_FREE_MB="1") as address:
        yield address
    for file in tmp_path.glob("runs/*/request.json"):
        (file.parent / "stop").touch()  # no job outlives the test


@pytest.fixture
def other_page(browser):
    """A page of somebody else, with cookies of their own."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    yield page
    context.close()


def upload(page: Page, address: str, frame, name: str) -> None:
    page.goto(f"{address}/your-data?lang=en")
    file = {"name": name, "mimeType": "text/csv", "buffer": frame.to_csv(index=False).encode()}
    page.locator("input[type=file]").first.set_input_files(file)


def button(page: Page, name: str):
    """A button of the card, whose label ends with the title of the task for screen readers."""
    return page.get_by_role("button", name=re.compile(f"^{re.escape(english(f'own_data.{name}'))}")).first


def type_text(page: Page) -> None:
    """Types a text, since neither a row nor a test is there to begin with, and waits for its attention."""
    page.locator(".instrument textarea").first.fill("two figs on the table")
    page.wait_for_selector(".explorer[data-drawn]")


@pytest.mark.slow
def test_two_people_get_a_model_each_and_one_sends_the_link(page, other_page, class_address):
    pages = (page, other_page)
    for one, frame, name in zip(pages, (TASTES, PAIRS), ("tastes.csv", "pairs.csv"), strict=True):
        upload(one, class_address, frame, name)
    for one in pages:
        expect(one.get_by_text(english("own_data.rows", read=120, usable=120))).to_be_visible()
        one.get_by_role("button", name=english("own_data.train"), exact=True).click()
    for one, title, other_title in zip(pages, ("tastes", "pairs"), ("pairs", "tastes"), strict=True):
        expect(one.get_by_role("heading", name=title)).to_be_visible()
        expect(one.get_by_role("cell", name=english("own_data.model_majority"))).to_be_visible(timeout=5_000 * PATIENCE)
        expect(one.get_by_role("heading", name=other_title)).to_have_count(0)
    button(page, "see").click()
    type_text(page)
    address = page.url.partition("?")[0]
    other_page.goto(f"{address}?lang=en")
    expect(other_page.get_by_text(english("own.gone"))).to_be_visible()
    page.goto(f"{class_address}/your-data?lang=en")
    button(page, "link").click()
    page.get_by_text(english("own_data.link_shared")).click()
    expect(page.get_by_text(english("own_data.link_note"))).to_be_visible()
    other_page.goto(f"{address}?lang=en")
    type_text(other_page)
    other_page.goto(f"{class_address}/your-data?lang=en")
    expect(other_page.get_by_role("heading", name="pairs")).to_be_visible()
    expect(other_page.get_by_role("heading", name="tastes")).to_have_count(0)
