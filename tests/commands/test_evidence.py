"""The command `evidence`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from viz_core.evidence import health
from viz_core.evidence.results import read_result


@pytest.fixture
def sample_model(checkpoints_dir) -> Path:
    """The folder of `imdb/tiny`, with metrics of a training on the sample."""
    folder = checkpoints_dir / "imdb" / "tiny"
    (folder / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
    return folder


def test_health_is_saved_and_its_verdicts_are_printed(call, json_output, sample_model):
    output = json_output("evidence", "health", "--task", "imdb", "--model", "tiny")
    assert (output["pass"], output["data"], output["n"], output["skill"]) == ("health", "sample", 48, "none")
    assert health.read(json.loads(Path(output["file"]).read_text(encoding="utf-8")))
    assert health.read(read_result(sample_model, "health"))
    assert output["verdict"].startswith("This model ") and output["reasons"]
    _, out, _ = call("evidence", "health", "--task", "imdb", "--model", "tiny", lang="zh")
    assert "这个模型" in out


def test_missing_corpus_or_model_is_named(error_sentences, checkpoints_dir):
    assert "aclImdb_v1.tar.gz" in error_sentences("evidence", "health", "--task", "imdb", "--model", "tiny")[0]
    assert "no model named “big”" in error_sentences("evidence", "health", "--task", "imdb", "--model", "big")[0]
