"""Passes over the validation split from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from viz_core.evidence import health
from viz_core.evidence.results import read_result


@pytest.fixture
def sampled(checkpoints_dir) -> Path:
    """The folder of `imdb/tiny`, which says that it was trained on the sample."""
    folder = checkpoints_dir / "imdb" / "tiny"
    (folder / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
    return folder


def test_a_model_is_examined_and_the_verdicts_are_said(call, answer, sampled):
    found = answer("evidence", "health", "--task", "imdb", "--model", "tiny")
    assert (found["pass"], found["data"], found["n"], found["skill"]) == ("health", "sample", 48, "none")
    assert health.read(json.loads(Path(found["file"]).read_text(encoding="utf-8")))
    assert (
        health.read(read_result(sampled, "health")) and found["verdict"].startswith("This model ") and found["reasons"]
    )
    _, out, _ = call("evidence", "health", "--task", "imdb", "--model", "tiny", lang="zh")
    assert "这个模型" in out


def test_what_is_not_at_hand_is_a_sentence(sentences, checkpoints_dir):
    assert "aclImdb_v1.tar.gz" in sentences("evidence", "health", "--task", "imdb", "--model", "tiny")[0]
    assert "no model named “big”" in sentences("evidence", "health", "--task", "imdb", "--model", "big")[0]
