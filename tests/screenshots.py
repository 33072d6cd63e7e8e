"""Screenshots of every page × language × theme × width in `screenshots/`, for inspection: `make screenshots`."""

from playwright.sync_api import sync_playwright

from tests.browser import FLAGS, PROJECT, executable, running_app
from tests.e2e.test_accessibility import READY

WIDTHS = (1280, 1920)


def main() -> None:
    folder = PROJECT / "screenshots"
    folder.mkdir(exist_ok=True)
    with running_app() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        for language in ("en", "zh"):
            for theme in ("light", "dark"):
                for width in WIDTHS:
                    page = browser.new_page(viewport={"width": width, "height": 1000}, color_scheme=theme)
                    for path, ready in READY.items():
                        page.set_viewport_size({"width": width, "height": 1000})
                        page.goto(f"{address}/{path}{'&' if '?' in path else '?'}lang={language}")
                        wait_until_drawn(page, ready)
                        page.set_viewport_size({"width": width, "height": page_height(page)})
                        page.wait_for_timeout(800)
                        name = path.replace("?", "_").replace("=", "_") or "home"
                        file = folder / f"{name}_{language}_{theme}_{width}.png"
                        page.screenshot(path=file)
                        print(file.relative_to(PROJECT))
                    page.close()
        browser.close()


def wait_until_drawn(page, ready: str) -> None:
    """Waits until the page has run and its views are drawn."""
    page.wait_for_selector(ready)
    page.wait_for_selector("[data-test-script-state=notRunning]")
    page.wait_for_selector("[data-testid=stSkeleton]", state="detached")
    page.wait_for_timeout(1000)


def page_height(page) -> int:
    """The height in px that shows the whole page without scrolling."""
    return page.evaluate("document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight") + 20


if __name__ == "__main__":
    main()
