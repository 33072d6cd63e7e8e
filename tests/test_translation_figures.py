"""The figures of a translation, as they are stored."""

import json
from dataclasses import replace

import pytest

from viz_core.records import Figures, Reading, TranslationFigures

FIGURES = TranslationFigures(1424, 20.5, 40.25, 1, 4, 21.5, 41.0, 0, 9.5, 25.0)
READING = Reading("2026-11-20T19:35:15+00:00", "0" * 40, "tatoeba", "small", "full", "all", "f" * 64, FIGURES)


def test_a_reading_of_a_translation_is_stored_and_read_again():
    assert Reading.from_dict(json.loads(json.dumps(READING.to_dict()))) == READING


@pytest.mark.parametrize("change", [{"bleu": None}, {"n": 3.0}, {"beam": True}, {"chrf": "high"}, {"more": 1}])
def test_incomplete_or_other_figures_are_refused(change):
    values = READING.to_dict()
    with pytest.raises((ValueError, KeyError, TypeError)):
        Reading.from_dict({**values, "figures": {**values["figures"], **change}})


def test_rounding_makes_no_other_reading_but_another_figure_does():
    assert READING.repeats(replace(READING, date="2026-11-21T00:00:00+00:00", figures=replace(FIGURES, bleu=20.55)))
    for figures in (replace(FIGURES, bleu=21.0), replace(FIGURES, n=3), replace(FIGURES, beam=5), Figures(n=1424)):
        assert not READING.repeats(replace(READING, figures=figures))
    assert not READING.repeats(replace(READING, weights_sha256="e" * 64))
