"""What a word of a translation owes to heads of the cross-attention and to source tokens."""

import pytest

from tests.tiny_translation import SOURCE, translation_checkpoint
from viz_core.analysis import control
from viz_core.analysis.translation.changes import TranslationChanges, changes_hook
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.analysis.translation.live import translate_stepwise
from viz_core.analysis.translation.word_effects import word_effects
from viz_core.records import Failure

HEADS = frozenset((layer, head) for layer in range(2) for head in range(2))
WORD, HEAD, TOKENS = 1, (1, 0), frozenset([3, 4])


@pytest.fixture(scope="module")
def checkpoint():
    return translation_checkpoint(end=3.0)


@pytest.fixture(scope="module")
def translation(checkpoint):
    source = checkpoint.text_encoder.encode(SOURCE)
    return explain_translation(checkpoint, source, [step.output.id for step in translate_stepwise(checkpoint, source)])


def changed(checkpoint, translation, **changes):
    """The word as it is after changes, all words before it kept."""
    hook = changes_hook(checkpoint, translation.source, TranslationChanges(**changes))
    outputs = [step.output.id for step in translation.steps]
    return explain_translation(checkpoint, translation.source, outputs, hook).steps[WORD]


def test_each_change_is_made_alone(checkpoint, translation):
    effects = word_effects(checkpoint, translation, WORD, frozenset([HEAD]), TOKENS)
    assert effects.original == pytest.approx(translation.steps[WORD].output.probability)
    masked = changed(checkpoint, translation, masked=frozenset([HEAD]))
    blocked = changed(checkpoint, translation, blocked=TOKENS)
    assert effects.masked.probability == pytest.approx(masked.output.probability)
    assert effects.blocked.probability == pytest.approx(blocked.output.probability)
    others = [changed(checkpoint, translation, masked=frozenset([head])) for head in sorted(HEADS - {HEAD})]
    assert sorted(effects.others) == pytest.approx(sorted(step.output.probability for step in others))


def test_what_would_stand_there_is_named_only_if_it_is_another(checkpoint, translation):
    effects = word_effects(checkpoint, translation, WORD, HEADS, TOKENS)
    likeliest = translation.steps[WORD].candidates[0].token
    masked = changed(checkpoint, translation, masked=HEADS).candidates[0].token
    blocked = changed(checkpoint, translation, blocked=TOKENS).candidates[0].token
    assert effects.masked.instead == (None if masked == likeliest else masked)
    assert effects.blocked.instead == (None if blocked == likeliest else blocked)
    assert {masked, blocked} != {likeliest}, "one of the changes must change the word, or nothing is tested"


def test_all_heads_have_no_others(checkpoint, translation):
    assert word_effects(checkpoint, translation, WORD, HEADS, TOKENS).others == ()


def test_other_heads_are_not_tried_where_that_would_be_slow(checkpoint, translation, monkeypatch):
    monkeypatch.setattr(control, "QUICK", 1)
    effects = word_effects(checkpoint, translation, WORD, frozenset([HEAD]), TOKENS)
    assert effects.slow and effects.others == ()
    masked = changed(checkpoint, translation, masked=frozenset([HEAD]))
    assert effects.masked.probability == pytest.approx(masked.output.probability)


@pytest.mark.parametrize(
    ("word", "heads", "tokens"), [(99, {HEAD}, TOKENS), (-1, {HEAD}, TOKENS), (0, {(7, 0)}, TOKENS), (0, {HEAD}, {99})]
)
def test_what_does_not_exist_is_refused(checkpoint, translation, word, heads, tokens):
    with pytest.raises(Failure):
        word_effects(checkpoint, translation, word, frozenset(heads), frozenset(tokens))


def test_a_pass_that_is_given_up_is_the_last(checkpoint, translation):
    passes = []

    def give_up() -> None:
        passes.append(None)
        raise TimeoutError

    with pytest.raises(TimeoutError):
        word_effects(checkpoint, translation, WORD, frozenset([HEAD]), TOKENS, give_up)
    assert len(passes) == 1
