"""Marks: tests with a browser and tests that start another Python process are marked, and skipped by quick runs."""

import subprocess
import sys

import pytest


def test_tests_that_use_chromium_are_marked(request):
    for item in request.session.items:
        assert ("chromium" in item.fixturenames) <= ("browser" in item.keywords), item.nodeid


def test_starting_python_without_the_mark_is_an_error():
    with pytest.raises(AssertionError, match="process"):
        subprocess.run([sys.executable, "--version"], check=True)
