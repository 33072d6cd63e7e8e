"""The app in a frame of another site's page, such as Moodle's, with the card of a lesson."""

from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect

from tests.browser import PATIENCE, PROJECT, running_app
from viz_core.lessons.reading import read_lesson

FILE = PROJECT / "tests/lessons/own/1-looking.md"
LESSON = read_lesson(FILE)
CARD = LESSON.cards[0].sides["en"]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Nothing."""


@contextmanager
def course_site(folder):
    """A site that serves the files of a folder, at an address that is not the app's; yields it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def tab(browser):
    tab = browser.new_page()
    tab.set_default_timeout(1000 * PATIENCE)
    yield tab
    tab.close()


@pytest.mark.slow
@pytest.mark.process
def test_a_lesson_opens_in_the_page_of_a_site_that_is_named_and_of_no_other(tab, tmp_path):
    lesson = {"VIZ_LESSONS_DIR": str(FILE.parent)}
    with (
        course_site(tmp_path) as site,
        course_site(tmp_path) as other,
        running_app(VIZ_FRAME_ANCESTORS=site, **lesson) as app,
    ):
        page = tmp_path / "course.html"
        page.write_text(f'<iframe src="{app}/{LESSON.address(0, "en")}" width="1200" height="800"></iframe>', "utf-8")
        refused = []
        tab.on("console", lambda line: refused.append(line.text) if "frame-ancestors" in line.text else None)

        tab.goto(f"{site}/course.html")
        card = tab.frame_locator("iframe").locator(".st-key-lesson")
        expect(card).to_contain_text(CARD.title)
        card.locator(".st-key-lesson_next button").click()
        expect(card).to_contain_text(LESSON.cards[1].sides["en"].title)
        assert not refused

        with tab.expect_event("console", lambda line: "frame-ancestors" in line.text):
            tab.goto(f"{other}/course.html")
        expect(card).to_have_count(0)
