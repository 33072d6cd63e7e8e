"""Which tests are left out while working: those with a browser, and those that start Python once more."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_who_asks_for_chromium_directly_or_not_is_marked(request):
    for item in request.session.items:
        assert ("chromium" in item.fixturenames) <= ("browser" in item.keywords), item.nodeid


def test_who_starts_python_without_saying_so_is_told():
    with pytest.raises(AssertionError, match="process"):
        subprocess.run([sys.executable, "--version"], check=True)
