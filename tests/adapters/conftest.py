"""Loading is not tried out in a process of its own, but in tests of that."""

import pytest


@pytest.fixture(autouse=True)
def no_trials(request, monkeypatch):
    if "process" not in request.keywords:
        monkeypatch.setattr("viz_core.adapters.opening.start_trials", lambda: None)
        for name in ("try_loading", "try_chat"):
            monkeypatch.setattr(f"viz_core.adapters.opening.{name}", lambda *arguments: None)
