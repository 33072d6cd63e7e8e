"""The runs folder of the tests; a Reporter that takes its run from a killed one of the same attempt."""

import pytest

from viz_core.variables import RUN_ATTEMPT


@pytest.fixture
def folder(tmp_path, root, monkeypatch):
    """An empty folder for a writer, which has the runs folder and the checkpoints folder of the test in it."""
    monkeypatch.setenv(RUN_ATTEMPT, "1")
    return tmp_path
