"""Verdicts on the heads of made-up health records."""

import pytest

from tests.analysis.fake_health import heads
from viz_core.analysis.verdicts.heads import _TARGETS, group_verdicts, head_verdicts
from viz_core.language import Translator

ENGLISH, CHINESE = Translator("en"), Translator("zh")


@pytest.mark.parametrize(
    ("statistics", "kind", "sentence"),
    [
        ({"entropy": 0.99, "entropy_cls": 0.98}, "uniform", "Head 2.1 is uniform: normalised entropy 0.99."),
        ({"entropy": 0.96, "entropy_cls": 0.77}, "chooses", "but less so for [CLS]: entropy of [CLS] 0.77"),
        ({"previous": 0.6}, "previous", "Head 2.1 attends to the previous token: 60% of its weight."),
        ({"next": 0.6}, "next", "next token"),
        ({"self": 0.5}, "self", "the token itself"),
        ({"sep": 0.8}, "sep", "rests on [SEP]"),
        ({"cls": 0.8}, "cls", "rests on [CLS]"),
        ({"other": 0.7}, "other", "the other sentence"),
        ({"same": 0.3, "other": 0.7}, "same", "the same token"),
        ({"dependence": 0.01}, "query_independent", "whatever the query"),
        ({}, None, ""),
    ],
)
def test_head_verdicts(statistics, kind, sentence):
    profile = heads(2, 2, pair=True)
    for name, value in statistics.items():
        profile.statistics[name][1, 0] = value
    verdicts = head_verdicts(profile)
    assert [(verdict.layer, verdict.head, verdict.kind) for verdict in verdicts] == ([(1, 0, kind)] if kind else [])
    assert sentence in "".join(ENGLISH(verdict.message) for verdict in verdicts)
    assert all(CHINESE(verdict.message) for verdict in verdicts)


def test_a_duplicate_head_names_the_earlier_head():
    profile = heads(2, 2, pair=False)
    profile.redundancy[1, 2] = profile.redundancy[2, 1] = 0.97
    (verdict,) = head_verdicts(profile)
    assert ENGLISH(verdict.message) == "Head 2.1 duplicates head 1.2: redundancy 0.97."


def test_heads_with_the_same_pattern_share_a_sentence():
    """Two uniform heads and one that attends to the previous token, between them."""
    profile = heads(1, 3, pair=False)
    for head, value in ((0, 0.96), (2, 0.99)):
        profile.statistics["entropy"][0, head] = profile.statistics["entropy_cls"][0, head] = value
    profile.statistics["previous"][0, 1] = 0.6
    patterns = group_verdicts(head_verdicts(profile))
    assert [ENGLISH(pattern) for pattern in patterns] == [
        "Heads 1.1, 1.3 are uniform: normalised entropy 0.96 to 0.99.",
        "Head 1.2 attends to the previous token: 60% of its weight.",
    ]
    assert CHINESE(patterns[0]) == "头 1.1、1.3 均匀关注所有词元：归一化熵 0.96～0.99。"


def test_every_pattern_has_a_sentence_for_several_heads():
    for kind in ("uniform", "chooses", "duplicate", "query_independent", *_TARGETS):
        values = {"heads": ["1.1", "1.2"], "low": 0.5, "high": 0.75, "other": "1.3"}
        for say in (ENGLISH, CHINESE):
            assert say(f"health.heads_{kind}", **values)


def test_duplicates_of_different_heads_stay_apart():
    profile = heads(2, 2, pair=False)
    for first, second in ((0, 2), (1, 3)):
        profile.redundancy[first, second] = profile.redundancy[second, first] = 0.97
    patterns = group_verdicts(head_verdicts(profile))
    assert [ENGLISH(pattern) for pattern in patterns] == [
        "Head 2.1 duplicates head 1.1: redundancy 0.97.",
        "Head 2.2 duplicates head 1.2: redundancy 0.97.",
    ]
