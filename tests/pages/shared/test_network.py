"""What is printed where others reach the server."""

import sys

import pytest

from pages.shared.network import MOST_FILES, allow_connections, describe_network, is_open
from tests.faults.children import DONE, exit_code, fork
from tests.words import says
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Message
from viz_core.variables import ALONE, TEACHER_KEY


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in (ALONE, TEACHER_KEY):
        monkeypatch.delenv(name, raising=False)


def keys(address: str) -> list[str]:
    """Of the messages, in both languages whole sentences."""
    messages = describe_network(address, 8501, 120)
    assert all(Translator(language)(message) for language in LANGUAGES for message in messages)
    return [message.key.removeprefix("network.") for message in messages]


@pytest.mark.parametrize("address", ["localhost", "127.0.0.1", "127.0.0.9", "::1", "[::1]", "unix:///run/viz.sock"])
def test_a_server_of_this_machine_alone_says_nothing(address):
    assert not is_open(address) and keys(address) == []


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "", "192.168.1.5", "viz.school.edu"])
def test_an_open_server_says_who_reaches_it_and_what_they_can_do(address):
    assert is_open(address) and keys(address) == ["open", "visitors", "no_key", "proxy"]


def test_the_key_is_mentioned_but_not_printed(monkeypatch):
    monkeypatch.setenv(TEACHER_KEY, "correct horse battery")
    assert keys("0.0.0.0")[2] == "key"
    sentences = [Translator("en")(message) for message in describe_network("0.0.0.0", 8501, 120)]
    assert says(sentences[0], "network.open", address=Message("network.every_address"), port=8501)
    assert says(sentences[1], "network.visitors", count=3)
    assert not any("horse" in sentence for sentence in sentences)


@pytest.mark.parametrize("address", ["localhost", "0.0.0.0"])
def test_a_key_that_is_too_short_is_said_even_behind_a_proxy(monkeypatch, address):
    monkeypatch.setenv(TEACHER_KEY, "short")
    assert "key_too_short" in keys(address)


def test_an_unusable_limit_is_named(monkeypatch):
    monkeypatch.setenv("VIZ_RUN_MINUTES", "long")
    message = describe_network("0.0.0.0", 8501, 120)[1]
    assert "VIZ_RUN_MINUTES" in Translator("en")(message)


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_a_low_limit_of_connections_is_raised_and_a_high_one_stays():
    import resource

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)

    def raise_limit() -> None:
        for before, after in ((most, most), (256, most)):
            resource.setrlimit(resource.RLIMIT_NOFILE, (before, hard))
            allow_connections()
            assert resource.getrlimit(resource.RLIMIT_NOFILE) == (after, hard)

    assert exit_code(fork(raise_limit)) == DONE
