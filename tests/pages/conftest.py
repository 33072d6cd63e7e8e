"""What tests of the pages share: caches as a server has them at its start; runs that no worker looks after, one visitor."""

from __future__ import annotations

import pytest

from tests.pages.fake_runs import OWNER


@pytest.fixture(autouse=True)
def fresh_caches():
    import streamlit as st

    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def runs_dir(tmp_path, monkeypatch, checkpoints_dir):
    root = tmp_path / "runs"
    root.mkdir()
    monkeypatch.setenv("VIZ_RUNS_DIR", str(root))
    monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
    monkeypatch.setattr("pages.shared.ownership.visitor", lambda: OWNER)
    monkeypatch.setattr("pages.training.estimates._seconds", lambda asked: 75.0)  # nothing is timed
    return root
