"""Verdicts on word alignments, from records written by hand."""

import pytest

from tests.analysis.fake_alignment import alignment
from viz_core.analysis.verdicts.translation import alignment_verdict
from viz_core.language import LANGUAGES, Translator


def keys(**values) -> list[str]:
    return [reason.key.partition(".")[2] for reason in alignment_verdict(alignment(**values)).reasons]


@pytest.mark.parametrize(
    "gain, level", [((0.1, 0.01, 0.2), "better"), ((0.1, -0.01, 0.2), "unclear"), ((-0.1, -0.2, -0.01), "worse")]
)
def test_the_level_follows_from_the_interval_of_the_gain(gain, level):
    verdict = alignment_verdict(alignment(gain=gain))
    assert verdict.level == level and verdict.verdict.key == f"alignment.verdict_{level}"


def test_the_verdict_names_the_best_head_with_its_figures():
    values = alignment_verdict(alignment()).verdict.values
    assert values == {"head": "2.1", "rate": 0.41, "low": 0.36, "high": 0.46, "diagonal": 0.5, "random": 0.84}


def test_the_reasons_follow_from_the_figures():
    assert keys() == ["links", "mean_better", "leave_one_out_better", "by_produces", "selected"]
    assert keys(mean=0.45, leave_one_out=0.6)[1:3] == ["mean_worse", "leave_one_out_worse"]
    assert keys(mean=0.1)[2] == "leave_one_out_worse", "the mean aligns better than leaving out"


def test_the_other_query_is_that_with_the_higher_error_rates():
    """Heads of the reading query: 0.85, 0.8, 0.9 and 0.88."""
    reasons = {reason.key: reason.values for reason in alignment_verdict(alignment()).reasons}
    assert reasons["alignment.links"] == pytest.approx({"precision": 0.58, "recall": 0.6})
    assert reasons["alignment.by_produces"] == {"rate": 0.8}
    assert reasons["alignment.selected"] == pytest.approx(
        {"count": 8, "rate": 0.43, "gain": 7.0, "low": 1.0, "high": 13.0}
    )
    assert keys(reads=(0.3, 0.8, 0.9, 0.88))[3] == "by_reads"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_a_sentence_with_percentages(language):
    say, verdict = Translator(language), alignment_verdict(alignment())
    for message in (verdict.verdict, *verdict.reasons):
        assert "%" in say(message) and "{" not in say(message)
