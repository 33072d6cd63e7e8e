"""Selected attention of a translation: rectangles, and what a causal mask lets it reach."""

import numpy as np
import pytest

from tests.rendering import translations
from viz_core.analysis.selection import translation_map
from viz_core.language import LANGUAGES, Translator


def test_cross_attention_has_the_words_that_are_produced_as_rows():
    translation = translations.translation()
    map_ = translation_map(translation, "cross", 1, 2)
    assert map_.queries == ("we", "go", "to", "school", "tomorrow", ".", "[SEP]") and map_.keys[1:3] == ("我", "们")
    np.testing.assert_array_equal(map_.weights, translation.attention["cross"][1, 2])
    assert map_.query_groups.tolist() == [0] * 6 + [-1] and map_.key_groups.tolist() == [-1, *[0] * 8, -1]
    assert map_.reach is None and not map_.unreachable.any()


def test_words_of_a_rectangle_by_hand():
    """Words of the source sum over their characters; a word of the target is a single token."""
    translation = translations.translation()
    weights = translation.attention["cross"][0].mean(0)  # 7 x 10
    map_ = translation_map(translation, "cross", 0, None, "hidden", "word")
    assert map_.keys == translations.SOURCE and map_.queries == translations.TARGET
    expected = np.stack([weights[:6, 1:3].sum(1), weights[:6, 3:5].sum(1), weights[:6, 5]], 1)
    np.testing.assert_allclose(map_.weights[:, :3], expected, rtol=1e-6)


@pytest.mark.parametrize(("special", "reach"), [("shown", [1, 2, 3, 4, 5, 6, 7]), ("hidden", [1, 2, 3, 4, 5, 6])])
def test_causal_attention_reaches_the_tokens_so_far(special, reach):
    map_ = translation_map(translations.translation(), "causal", 0, 0, special)
    assert map_.reach.tolist() == reach
    np.testing.assert_array_equal(map_.unreachable, np.triu(np.ones((len(reach),) * 2, bool), 1))
    assert (map_.weights[map_.unreachable] == 0).all()


@pytest.mark.parametrize("kind", ["self", "causal", "cross"])
def test_titles_of_each_kind_are_sentences_in_both_languages(kind):
    title = translation_map(translations.translation(), kind, 0, 1).title
    for language in LANGUAGES:
        assert "2" in Translator(language)(title)
