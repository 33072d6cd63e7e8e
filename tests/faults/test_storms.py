"""Floods of one visitor or address: bounded, and whoever types beside them has every answer.

How long that took is printed (`make faults PYTEST_FLAGS="-n 0 -s"`): it says as much of the machine as of the app.
"""

import asyncio

import pytest

from tests.browser import running_app
from tests.faults import storms
from tests.pages.fake_runs import make_run
from viz_core.jobs.request import owner_hash
from viz_core.variables import TEACHER_KEY

pytestmark = [pytest.mark.process, pytest.mark.slow]
KEY = "correct horse battery"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A runs folder with a run of somebody, which the server and the cookies of this module are of."""
    root = tmp_path_factory.mktemp("storms")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("VIZ_RUNS_DIR", str(root / "runs"))
        patched.setenv("VIZ_RUNS_FREE_MB", "1")
        patched.setenv(TEACHER_KEY, KEY)
        patched.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
        make_run("failed", 0, owner=owner_hash("f" * 32))
        yield root


@pytest.fixture(scope="module")
def log(folders):
    return folders / "log.txt"


@pytest.fixture(scope="module")
def server(folders, log):
    with running_app(log_file=log) as address:
        yield address


@pytest.fixture(autouse=True)
def same_folders(own_folders, folders, monkeypatch):
    """In place of those of each test."""
    monkeypatch.setenv("VIZ_RUNS_DIR", str(folders / "runs"))


def storm(server: str, name: str, happens) -> object:
    """What a storm returns, during which nobody who types beside it is refused."""
    typed, result = asyncio.run(storms.beside(server, happens))
    print(f"\n{name}: {result}; {typed}")
    assert set(typed.statuses) == {"200"}
    return result


@pytest.mark.parametrize(("route", "count", "seconds"), [("inside", 24, 1), ("heads", 24, 1), ("explain", 200, 12)])
def test_requests_that_are_abandoned(server, route, count, seconds):
    statuses = storm(server, f"{count} abandoned {route}", storms.abandoned(server, route, count, seconds))
    assert set(statuses) <= {0, 200, 503} and statuses.total() == count


def test_more_words_than_a_translation_has(server):
    assert storm(server, "40,000 words fed, five times", storms.words_fed(server)) == {422: 5}


@pytest.mark.parametrize("megabytes", [1.1, 31])
def test_messages_that_are_too_large(server, megabytes):
    codes = storm(server, f"messages of {megabytes} MB", storms.large_messages(server, megabytes))
    assert set(codes) <= {1009, 1006}  # 1006: the server has closed it while it was being sent


@pytest.mark.parametrize(("signed", "taken"), [(False, 64), (True, 384)])
def test_sockets_of_invented_cookies(server, log, signed, taken):
    name = f"512 web sockets {'of 16 cookies' if signed else 'without a cookie'}"
    assert storm(server, name, storms.invented_cookies(server, signed)) == taken
    assert "pages: refused 192.0.2.1" in log.read_text()


@pytest.mark.parametrize(
    ("page", "tabs", "rate"),
    [("models", 8, 5), ("training", 8, 5), ("home", 30, 50)],
    ids=["models", "training", "30 tabs"],
)
def test_reruns_without_end(server, page, tabs, rate):
    name = f"{tabs} tabs of {page}, {rate} reruns a second each"
    runs, said = storm(server, name, storms.reruns(server, page, tabs, rate, seconds=10))
    assert 0 < runs < tabs * rate * 10 / 2 and said


def test_guesses_of_the_teachers_key(server, log):
    seconds = storm(server, "48 guesses of the key", storms.guesses(server, 48))
    lines = log.read_text().count("A wrong teacher's key from 192.0.2.1")
    assert 5 <= lines <= 5 + seconds / 10 + 1 and KEY not in log.read_text()
