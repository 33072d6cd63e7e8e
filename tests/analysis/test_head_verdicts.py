"""Verdicts on the heads of made-up health records."""

import pytest

from tests.analysis.fake_health import heads
from viz_core.analysis.verdicts.heads import _TARGETS, head_patterns, head_verdicts
from viz_core.language import has_sentence
from viz_core.records import Message


def duplicate(head: str, other: str) -> Message:
    return Message("health.head_duplicate", {"head": head, "other": other, "value": pytest.approx(0.97)})


@pytest.mark.parametrize(
    ("statistics", "kind", "value"),
    [
        ({"entropy": 0.99, "entropy_cls": 0.98}, "uniform", 0.99),
        ({"entropy": 0.96, "entropy_cls": 0.77}, "chooses", 0.77),
        ({"previous": 0.6}, "previous", 0.6),
        ({"next": 0.6}, "next", 0.6),
        ({"self": 0.5}, "self", 0.5),
        ({"sep": 0.8}, "sep", 0.8),
        ({"cls": 0.8}, "cls", 0.8),
        ({"other": 0.7}, "other", 0.7),
        ({"same": 0.3, "other": 0.7}, "same", 0.3),
        ({"dependence": 0.01}, "query_independent", 0.01),
    ],
)
def test_head_verdicts(statistics, kind, value):
    profile = heads(2, 2, pair=True)
    assert head_verdicts(profile) == ()
    for name, share in statistics.items():
        profile.statistics[name][1, 0] = share
    (verdict,) = head_verdicts(profile)
    assert (verdict.layer, verdict.head, verdict.kind) == (1, 0, kind)
    assert verdict.message == Message(f"health.head_{kind}", {"head": "2.1", "value": pytest.approx(value)})
    assert has_sentence(verdict.message)


def test_a_duplicate_head_names_the_earlier_head():
    profile = heads(2, 2, pair=False)
    profile.redundancy[1, 2] = profile.redundancy[2, 1] = 0.97
    (verdict,) = head_verdicts(profile)
    assert verdict.message == duplicate("2.1", "1.2")


def test_heads_with_the_same_pattern_share_a_sentence():
    """Two uniform heads and one that attends to the previous token, between them."""
    profile = heads(1, 3, pair=False)
    for head, value in ((0, 0.96), (2, 0.99)):
        profile.statistics["entropy"][0, head] = profile.statistics["entropy_cls"][0, head] = value
    profile.statistics["previous"][0, 1] = 0.6
    uniform, previous = head_patterns(profile)
    assert uniform.key == "health.heads_uniform" and uniform.values["heads"] == Message(
        "health.these_heads", {"heads": ["1.1", "1.3"]}
    )
    assert (uniform.values["low"], uniform.values["high"]) == (0.96, 0.99)
    assert (previous.key, previous.values["head"]) == ("health.head_previous", "1.2")


def test_a_pattern_of_all_heads_gives_their_number_instead_of_a_list():
    profile = heads(2, 2, pair=False)
    profile.statistics["previous"][:] = 0.6
    (pattern,) = head_patterns(profile)
    assert pattern.key == "health.heads_previous" and pattern.values["heads"] == Message(
        "health.all_heads", {"count": 4}
    )
    assert has_sentence(pattern)


def test_every_pattern_has_a_sentence_for_several_heads():
    for kind in ("uniform", "chooses", "duplicate", "query_independent", *_TARGETS):
        values = {"heads": ["1.1", "1.2"], "low": 0.5, "high": 0.75, "other": "1.3"}
        assert has_sentence(Message(f"health.heads_{kind}", values))


def test_duplicates_of_different_heads_stay_apart():
    profile = heads(2, 2, pair=False)
    for first, second in ((0, 2), (1, 3)):
        profile.redundancy[first, second] = profile.redundancy[second, first] = 0.97
    patterns = head_patterns(profile)
    assert list(patterns) == [duplicate("2.1", "1.1"), duplicate("2.2", "1.2")]
