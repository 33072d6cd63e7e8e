"""The pickers of a replayed head: a layer and a head."""

from __future__ import annotations

import streamlit as st

from pages.shared.visitor import translator
from viz_core.jobs.runs import Run


def pick_head(run: Run, layers: int, heads: int) -> tuple[int, int]:
    """Layer and head, from 0; at first, the first head of the last layer."""
    return _number(run, "layer", layers, layers - 1), _number(run, "head", heads, 0)


def _number(run: Run, name: str, count: int, first: int) -> int:
    """A picker of a layer or head, shown from 1, returned from 0."""
    return st.selectbox(
        translator()(f"pages.training_{name}"),
        range(count),
        key=f"replay_{name}_{run.id}",
        index=first,
        format_func=lambda index: str(index + 1),
    )
