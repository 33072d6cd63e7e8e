"""Verdicts on the heads of made-up health records."""

from __future__ import annotations

import pytest

from tests.analysis.fake_health import good_health, heads
from viz_core.analysis.head_verdicts import head_verdicts
from viz_core.language import Translator

ENGLISH, CHINESE = Translator("en"), Translator("zh")


@pytest.mark.parametrize(
    ("statistics", "kind", "sentence"),
    [
        ({"entropy": 0.99, "entropy_cls": 0.98}, "uniform", "Head 2.1 is uniform: normalised entropy 0.99."),
        ({"entropy": 0.96, "entropy_cls": 0.77}, "chooses", "but selective for [CLS]: entropy of [CLS] 0.77"),
        ({"previous": 0.6}, "previous", "Head 2.1 attends to the previous token: 60% of its weight."),
        ({"next": 0.6}, "next", "next token"),
        ({"self": 0.5}, "self", "the token itself"),
        ({"sep": 0.8}, "sep", "rests on [SEP]"),
        ({"cls": 0.8}, "cls", "rests on [CLS]"),
        ({"other": 0.7}, "other", "the other sentence"),
        ({"same": 0.3, "other": 0.7}, "same", "the same character"),
        ({"dependence": 0.01}, "query_independent", "whatever the query"),
        ({}, None, ""),
    ],
)
def test_head_verdicts(statistics, kind, sentence):
    profile = heads(2, 2, pair=True)
    for name, value in statistics.items():
        profile.statistics[name][1, 0] = value
    verdicts = head_verdicts(good_health(heads=profile))
    assert [(verdict.layer, verdict.head, verdict.kind) for verdict in verdicts] == ([(1, 0, kind)] if kind else [])
    assert sentence in "".join(ENGLISH(verdict.message) for verdict in verdicts)
    assert all(CHINESE(verdict.message) for verdict in verdicts)


def test_a_duplicate_head_names_the_earlier_head():
    profile = heads(2, 2, pair=False)
    profile.redundancy[1, 2] = profile.redundancy[2, 1] = 0.97
    (verdict,) = head_verdicts(good_health(heads=profile))
    assert ENGLISH(verdict.message) == "Head 2.1 duplicates head 1.2: redundancy 0.97."
