"""The command `evidence`."""

import ast
import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.tiny_translation import save_translation
from tests.words import english, says
from viz_core.checkpoints import WEIGHTS
from viz_core.evidence import alignment, health
from viz_core.evidence.results import read_result
from viz_core.language import LANGUAGES


@pytest.fixture
def sample_model(checkpoints_dir) -> Path:
    """The folder of `imdb/tiny`, with metrics of a training on the sample."""
    folder = checkpoints_dir / "imdb" / "tiny"
    (folder / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
    return folder


def test_health_is_saved_and_its_verdicts_are_printed(call, json_output, sample_model):
    output = json_output("evidence", "health", "--task", "imdb", "--model", "tiny")
    assert (output["pass"], output["data"], output["n"], output["skill"]) == ("health", "sample", 48, "unclear")
    assert health.read(json.loads(Path(output["file"]).read_text(encoding="utf-8")))
    assert health.read(read_result(sample_model, "health"))
    assert says(output["verdict"], "health.too_few_one_label") and output["reasons"] and output["calibration"] is None
    assert says(output["heads_note"], "health.heads_rows", rows=48)
    _, out, _ = call("evidence", "health", "--task", "imdb", "--model", "tiny", lang="zh")
    assert says(ast.literal_eval(out)["verdict"], "health.too_few_one_label", "zh")


@pytest.mark.parametrize("command", [("evidence", "health"), ("evaluate", "--data", "sample")])
def test_weights_that_are_no_numbers_are_a_sentence(error_sentences, sample_model, command):
    file = sample_model / WEIGHTS
    save_file({name: torch.full_like(weight, torch.nan) for name, weight in load_file(file).items()}, file)
    values = {"invalid": 1490, "total": 1490, "name": "imdb/tiny"}
    for language, sentence in zip(
        LANGUAGES, error_sentences(*command, "--task", "imdb", "--model", "tiny"), strict=True
    ):
        assert says(sentence, "checkpoints.not_finite", language, **values)


def test_missing_corpus_or_model_is_named(error_sentences, checkpoints_dir):
    assert "aclImdb_v1.tar.gz" in error_sentences("evidence", "health", "--task", "imdb", "--model", "tiny")[0]
    sentence, _ = error_sentences("evidence", "health", "--task", "imdb", "--model", "big")
    assert says(sentence, "checkpoints.missing", name="big")


def test_an_analysis_of_some_rows_says_how_many(json_output, sample_model):
    output = json_output("evidence", "word_order", "--task", "imdb", "--model", "tiny", "--rows", "7")
    assert output["n"] == read_result(sample_model, "word_order")["n"] == 7


@pytest.mark.parametrize("analysis, rows, key", [("health", "7", "not_sampled"), ("importance", "0", "no_rows")])
def test_a_number_of_rows_that_cannot_be(error_sentences, sample_model, analysis, rows, key):
    sentence, _ = error_sentences("evidence", analysis, "--task", "imdb", "--model", "tiny", "--rows", rows)
    assert says(sentence, f"evidence.{key}")


def test_the_alignment_of_a_translation_is_saved_and_its_verdict_is_printed(call, json_output, checkpoints_dir):
    folder = save_translation(checkpoints_dir)
    output = json_output("evidence", "alignment", "--task", "tatoeba", "--model", "tiny")
    assert (output["pass"], output["n"], output["file"]) == (
        "alignment",
        60,
        str(folder / "evidence" / "alignment.json"),
    )
    saved = alignment.read(read_result(folder, "alignment"))
    assert f"{saved.best.error_rate:.1%}" in output["verdict"] and len(output["reasons"]) == 5
    assert output["aligns"] in ("better", "unclear", "worse") and len(output["scores"]) == len(saved.scores)
    _, out, _ = call("evidence", "alignment", "--task", "tatoeba", "--model", "tiny", lang="zh")
    assert says(ast.literal_eval(out)["verdict"], f"alignment.verdict_{output['aligns']}", "zh")


def test_each_analysis_names_those_of_the_task(error_sentences, checkpoints_dir):
    save_translation(checkpoints_dir)
    sentence, _ = error_sentences("evidence", "health", "--task", "tatoeba", "--model", "tiny")
    assert sentence == english("evidence.unknown", name="health", task="tatoeba", known="alignment, heads")
