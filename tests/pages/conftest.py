"""Fixtures of the page tests: empty caches, and runs of one visitor without a worker or timing."""

import pytest

from pages import kinds  # noqa: F401  (registers what the pages do for each kind of task)
from pages.training.estimates import Measurement
from tests.pages.fake_runs import OWNER


@pytest.fixture(autouse=True)
def empty_caches():
    import streamlit as st

    from pages.shared import cache

    cache._explain_ours.cache_clear()
    cache._explain_elsewhere.cache_clear()
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def runs_dir(tmp_path, monkeypatch, checkpoints_dir):
    root = tmp_path / "runs"
    root.mkdir()
    monkeypatch.setenv("VIZ_RUNS_DIR", str(root))
    monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
    monkeypatch.setattr("pages.shared.ownership.visitor", lambda: OWNER)
    monkeypatch.setattr("pages.training.estimates._measure", lambda arguments: Measurement(75.0))
    monkeypatch.setattr("viz_core.training.door.machine_is_busy", lambda: False)
    return root


@pytest.fixture
def as_other(monkeypatch):
    """Makes whoever opens pages from now on another visitor."""
    return lambda: monkeypatch.setattr("pages.shared.ownership.visitor", lambda: "the other visitor")
