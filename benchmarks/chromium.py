"""The browser for all measurements, and the memory of its renderers."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser import FLAGS, executable

VIEWPORT = {"width": 1280, "height": 900}


@contextmanager
def chromium() -> Iterator[Browser]:
    """A fresh browser, so that no memory of an earlier measurement remains."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(whole=True), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def renderers(browser: Browser) -> list[int]:
    """The process ids of the browser's renderers."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return [process["id"] for process in processes if process["type"] == "renderer"]


def renderer_memory(processes: Iterable[int]) -> int | None:
    """Bytes used by processes: private and shared memory, without program code. None outside Linux."""
    if not Path("/proc/self/status").exists():
        return None
    return sum(map(_resident, processes))


def _resident(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except FileNotFoundError:  # it ended meanwhile
        return 0
    values = dict(line.split(":", 1) for line in lines)
    return sum(int(values[name].split()[0]) * 1024 for name in ("RssAnon", "RssShmem") if name in values)
