"""Pages of the browser that tests use one after another: opening a new one takes longer than most tests do."""

import json
import re

from playwright.sync_api import Browser, Page

from tests.browser import PATIENCE

_THROWN = re.compile("(Type|Reference|Range|Syntax)Error: (?!Failed to fetch)")
_JUMP, _JUMPS = 100, 200  # milliseconds


def wait_in_fast_time(page: Page, selector: str) -> None:
    """Waits for an element of a page of `ReusedPages`, whose clock runs ahead meanwhile: timers fire at once."""
    for _ in range(_JUMPS):
        if page.locator(selector).count():
            return
        page.clock.run_for(_JUMP)
    page.wait_for_selector(selector)


class ReusedPages:
    """Offline pages, by their settings. problems: the errors that were thrown, and dialogs."""

    def __init__(self, browser: Browser, init_script: str) -> None:
        self.browser, self.init_script = browser, init_script
        self.problems: list[str] = []
        self._free: dict[str, list[Page]] = {}
        self._taken: list[tuple[str, Page]] = []

    def take(self, **context: object) -> Page:
        """A page that nobody uses. Keyword arguments are the browser's."""
        context = {"viewport": {"width": 1280, "height": 1000}, **context}
        settings = json.dumps(context, sort_keys=True)
        free = self._free.setdefault(settings, [])
        page = free.pop() if free else self._open(context)
        self._taken.append((settings, page))
        return page

    def give_back(self) -> None:
        """Ends what the taken pages show and forgets what they remember."""
        for settings, page in self._taken:
            if page.is_closed():
                continue
            page.evaluate("() => { try { localStorage.clear(); } catch { /* a page without an origin has none */ } }")
            page.unroute_all()
            page.clock.resume()
            page.emulate_media(reduced_motion="null")
            page.goto("about:blank")
            page.mouse.move(0, 0)
            page.set_viewport_size(json.loads(settings)["viewport"])
            self._free[settings].append(page)
        self._taken.clear()

    def _open(self, context: dict) -> Page:
        page = self.browser.new_context(offline=True, **context).new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.add_init_script(self.init_script)
        page.clock.install()  # runs as usual; a test that waits for rest may let it run faster
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        # What timers and frames throw, the page's installed clock only logs.
        page.on("console", lambda message: _THROWN.match(message.text) and self.problems.append(message.text))
        page.on("dialog", lambda dialog: (self.problems.append(dialog.message), dialog.dismiss()))
        return page
