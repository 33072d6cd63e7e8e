"""The button to log in is there only where a login is configured."""

import pytest

from pages.shared import settings
from tests.pages.app import open_page

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]


class User:
    def __init__(self, **claims: object) -> None:
        self._claims = claims

    def to_dict(self) -> dict:
        return self._claims


def buttons() -> dict[str, str]:
    return {button.key: button.help for button in open_page().button if button.key in ("log_in", "log_out")}


def test_without_a_configured_login_there_is_no_button():
    assert buttons() == {}


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({"is_logged_in": False}, {"log_in": ""}),
        ({"is_logged_in": True, "name": "Anna"}, {"log_out": "Anna"}),
        ({"is_logged_in": True, "email": "a@school.edu"}, {"log_out": "a@school.edu"}),
    ],
)
def test_a_visitor_logs_in_or_out(monkeypatch, claims, expected):
    monkeypatch.setattr(settings.st, "user", User(**claims))
    monkeypatch.setattr(settings.st, "secrets", {"auth": {"client_id": "viz"}})
    assert buttons() == expected


@pytest.mark.parametrize(
    ("auth", "provider"),
    [
        ({"client_id": "viz", "school": {"client_id": "x"}}, None),
        ({"redirect_uri": "https://viz.school.edu/oauth2callback", "school": {"client_id": "x"}}, "school"),
        ({"redirect_uri": "x"}, None),
    ],
)
def test_the_provider_is_the_configured_one(monkeypatch, auth, provider):
    monkeypatch.setattr(settings.st, "secrets", {"auth": auth})
    assert settings._provider() == provider
