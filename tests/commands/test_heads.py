"""The command `heads`."""

import json

import pytest

from tests.adapters.test_opening import save_model
from tests.tiny_translation import save_translation
from tests.words import english
from viz_core.evidence import heads, surveyed
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.results import read_result


@pytest.fixture
def survey(sample_models):
    """The stored survey of `afqmc/tiny`."""
    compute_evidence(heads.NAME, "afqmc", "tiny", lambda *step: None)
    (stored,) = heads.read(read_result(sample_models["afqmc"], heads.NAME))
    return stored


def test_heads_are_ranked_by_a_statistic_with_interval_and_control(json_output, survey):
    output = json_output("heads", "--task", "afqmc", "--model", "tiny", "--by", "same", "--top", "3")
    assert (output["model"], output["data"], output["n"], output["by"]) == ("afqmc/tiny", "sample", 48, "same")
    statistic = survey.statistics["same"]
    means = [head["mean"] for head in output["heads"]]
    assert means == sorted(statistic.mean.ravel().tolist(), reverse=True)[:3]
    layer, head = (int(number) - 1 for number in output["heads"][0]["head"].split("."))
    assert statistic.mean[layer, head] == means[0]
    assert output["heads"][0]["low"] <= means[0] <= output["heads"][0]["high"]
    assert output["heads"][0]["control"] == statistic.control(layer, head) and output["uniform"] == statistic.uniform


def test_without_a_statistic_it_says_what_stands_out(json_output, survey, sample_models):
    file = sample_models["afqmc"] / "evidence" / "heads.json"
    stored = json.loads(file.read_text())
    entropy = stored["surveys"][0]["statistics"]["entropy"]
    entropy["interval"] = [[[0.1, 0.2]] * 2] * 2
    file.write_text(json.dumps(stored))
    output = json_output("heads", "--task", "afqmc")
    assert output["stand_out"] == [english("heads.nothing")]
    entropy["interval"] = [[[0.97, 0.99]] * 2] * 2
    file.write_text(json.dumps(stored))
    assert english("heads.stands_even") in json_output("heads", "--task", "afqmc")["stand_out"][0]


def test_the_attention_of_a_translation_is_chosen(json_output, checkpoints_dir):
    save_translation(checkpoints_dir)
    compute_evidence(heads.NAME, "tatoeba", "tiny", lambda *step: None)
    assert json_output("heads", "--task", "tatoeba", "--by", "entropy")["kind"] == "cross"
    output = json_output("heads", "--task", "tatoeba", "--kind", "causal", "--by", "first", "--top", "2")
    assert output["kind"] == "causal" and len(output["heads"]) == 2


def test_what_is_missing_is_named(error_sentences, survey):
    sentence, _ = error_sentences("heads", "--task", "imdb", "--model", "tiny")
    assert sentence == english("heads.not_surveyed", task="imdb", model="tiny")
    sentence, _ = error_sentences("heads", "--task", "afqmc", "--by", "charm")
    assert sentence == english("heads.not_measured", name="charm", kind="self", known=list(survey.statistics))
    assert error_sentences("heads", "--by", "same")[0]
    assert error_sentences("heads", "--task", "thucnews")[0]


@pytest.mark.process  # a trial of the tokenizer
def test_a_model_from_elsewhere_is_surveyed_on_texts_of_ours(json_output, tmp_path, monkeypatch):
    texts = [("the cat sat", "the cat lay")] * 3
    monkeypatch.setattr(surveyed, "own_texts", lambda checkpoint: texts)
    reference = f"path:{save_model(tmp_path / 'base', kind='Model')}"
    output = json_output("heads", "--model", reference, "--by", "self", "--top", "1")
    assert (output["model"], output["data"], output["n"]) == ("base", "ours", 3) and len(output["heads"]) == 1
