"""What tests of the training page share: a folder of runs that no worker looks after, and one visitor."""

from __future__ import annotations

import pytest

from tests.pages.runs_by_hand import OWNER


@pytest.fixture
def runs_dir(tmp_path, monkeypatch, checkpoints_dir):
    import streamlit as st

    st.cache_resource.clear()
    st.cache_data.clear()
    root = tmp_path / "runs"
    root.mkdir()
    monkeypatch.setenv("VIZ_RUNS_DIR", str(root))
    monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
    monkeypatch.setattr("pages.shared.ownership.visitor", lambda: OWNER)
    monkeypatch.setattr("pages.shared.estimates._seconds", lambda asked: 75.0)  # nothing is timed
    return root
