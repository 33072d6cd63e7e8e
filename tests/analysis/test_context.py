"""What a language model has read is not computed again, and what it writes does not depend on where it began."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.adapters.test_language_model import network
from tests.adapters.tiny_networks import byte_pairs
from tests.analysis.test_generation import END, TOKENS, Table
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.context import next_token, read_on, shaped_candidates, write_on, written_text
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.generation import continue_text, given_tokens, read_text
from viz_core.analysis.whatif import Changes, outcomes
from viz_core.models.decoding import Shaping
from viz_core.records import Failure, Generation


@pytest.fixture(scope="module", params=["GPT2", "Llama", "Gemma2"])
def checkpoint(request):
    return adapt(network(request.param), byte_pairs(40), request.param)


@pytest.fixture(scope="module")
def table():
    tokenizer = byte_pairs(TOKENS)
    adapted = adapt(network("GPT2"), tokenizer, "table")
    return replace(adapted, model=Table(adapted.model.config, tokenizer.convert_tokens_to_ids))


class Counted:
    """A model that counts the tokens that it reads."""

    def __init__(self, model) -> None:
        self.model, self.count = model, 0

    def __getattr__(self, name):
        return getattr(self.model, name)

    def start(self, ids, mask, hook=None):
        return self.model.start(ids, mask, hook)

    def advance(self, state, tokens, hook=None):
        return self.model.advance(state, tokens, hook)

    def read(self, state, ids, need_attention=False, hook=None):
        self.count += ids.shape[1]
        return self.model.read(state, ids, need_attention, hook)


def ids_of(checkpoint, text: str) -> list[int]:
    return given_tokens(checkpoint, text).ids.tolist()


def same(context, checkpoint, text: str) -> None:
    """The context has what a single pass over the text has."""
    whole = read_text(checkpoint, given_tokens(checkpoint, text))
    for mine, theirs in zip(context.steps, whole.steps, strict=True):
        assert (mine is None) == (theirs is None)
        if mine:
            assert (mine.output.id, mine.rank) == (theirs.output.id, theirs.rank)
            assert mine.output.probability == pytest.approx(theirs.output.probability, abs=1e-6)
            assert [c.id for c in mine.candidates] == [c.id for c in theirs.candidates]


# The text before, the text now, and how many tokens are read again: from the first that differs, and the one before it.
CHANGES = [
    pytest.param("", "abcdef", 7, id="nothing was read"),
    pytest.param("abcd", "abcdef", 2, id="typed on"),
    pytest.param("abcdef", "abcdef", 0, id="the same"),
    pytest.param("abxdef", "abcdef", 5, id="a letter in the middle"),
    pytest.param("abcdefgh", "abcdef", 1, id="taken back"),
    pytest.param("xyz", "abcdef", 7, id="another text"),
]


@pytest.mark.parametrize("before, now, count", CHANGES)
def test_only_what_differs_is_read(checkpoint, before, now, count):
    counted = replace(checkpoint, model=Counted(checkpoint.model))
    context = read_on(counted, ids_of(checkpoint, before)) if before else None
    counted.model.count = 0
    context = read_on(counted, ids_of(checkpoint, now), context)
    assert counted.model.count == count and context.state.mask.shape == (1, len(context.ids))
    same(context, checkpoint, now)


def test_it_writes_what_the_command_writes_and_reads_each_token_once(checkpoint):
    counted = replace(checkpoint, model=Counted(checkpoint.model))
    context = read_on(counted, ids_of(checkpoint, "abc"))
    *_, last = write_on(counted, context, Decoding(), 6)
    assert counted.model.count == len(last.ids) == 10
    generation = next(e for e in continue_text(checkpoint, "abc", Decoding(), 6) if isinstance(e, Generation))
    assert last.ids == tuple(generation.explanation.encoding.ids.tolist())
    assert [step.rank for step in last.steps[1:]] == [step.rank for step in generation.steps[1:]]
    assert context.bytes < last.bytes


def test_masked_heads_take_no_part_in_reading_or_writing(checkpoint):
    ids, masked = ids_of(checkpoint, "abc"), frozenset([(0, 1), (2, 0), (2, 3)])
    whole = read_on(checkpoint, ids)
    context = read_on(checkpoint, ids, whole, masked)  # nothing of what was read with all heads is used
    (expected,) = outcomes(checkpoint, given_tokens(checkpoint, "abc"), [Changes(masked=masked)])
    np.testing.assert_allclose(context.logits.double().softmax(-1), expected, atol=1e-6)
    assert (context.logits - whole.logits).abs().max() > 0.01
    *_, longer = write_on(checkpoint, context, Decoding(), 4)
    again = read_on(checkpoint, longer.ids, None, masked)
    assert [step and step.rank for step in longer.steps] == [step and step.rank for step in again.steps]
    torch.testing.assert_close(longer.logits, again.logits, atol=1e-5, rtol=0)
    with pytest.raises(Failure) as failure:
        read_on(checkpoint, ids, None, frozenset([(9, 0)]))
    assert failure.value.message.key == "analysis.whatif_unknown_head"


def test_a_seed_writes_the_same_in_one_go_and_in_pieces(checkpoint):
    decoding, context = Decoding("sample", 1.5, 7, top_k=50, top_p=0.95), read_on(checkpoint, ids_of(checkpoint, "abc"))
    *_, whole = write_on(checkpoint, context, decoding, 8)
    *_, part = write_on(checkpoint, context, decoding, 3)
    *_, rest = write_on(checkpoint, read_on(checkpoint, part.ids), decoding, 5)
    assert rest.ids == whole.ids
    assert next_token(checkpoint, part, replace(decoding, seed=8)) != next_token(checkpoint, part, decoding)


def test_it_stops_at_the_end_of_the_text_and_of_its_room(checkpoint, table):
    room = checkpoint.text_encoder.max_tokens
    *_, last = write_on(checkpoint, read_on(checkpoint, ids_of(checkpoint, "ab")), Decoding(), 100)
    assert len(last.ids) == room or last.ids[-1] != END
    ending = written_text(table, "abÃ", [])[0].ids.tolist()  # after anything but a, b and Ã the table ends the text
    assert list(write_on(table, read_on(table, ending), Decoding(), 3)) == []


def test_each_step_of_shaping_by_hand(table):
    """b is followed by a (1/2), the end (1/4) and a byte (1/4); at temperature 1/2 by 2/3, 1/6 and 1/6."""
    context = read_on(table, ids_of(table, "ab"))
    shaped = {one.token: one.probabilities for one in shaped_candidates(table, context, Shaping(0.5, 1, 1.0))[:3]}
    assert shaped["a"] == pytest.approx((1 / 2, 2 / 3, 1, 1))
    assert shaped["</s>"] == pytest.approx((1 / 4, 1 / 6, 0, 0))
    nucleus = shaped_candidates(table, context, Shaping(1.0, 0, 0.6))
    assert nucleus[0].probabilities == pytest.approx((1 / 2, 1 / 2, 1 / 2, 2 / 3))
    assert sum(one.probabilities[3] for one in nucleus) == pytest.approx(1)


@pytest.mark.parametrize(
    "text, written, key",
    [
        ("ab" * TOKENS, [], "generation.full"),
        ("ab", [5] * TOKENS, "generation.full"),
        ("ab", [270], "generation.unknown_token"),
        ("ab", [-1], "generation.unknown_token"),
        ("", [], "text.blank"),
    ],
)
def test_what_cannot_be_read_is_refused(table, text, written, key):
    with pytest.raises(Failure, match=key):
        written_text(table, text, written)


def test_numbers_that_are_not_finite_are_a_failure(table):
    model = Table(table.model.config, byte_pairs(TOKENS).convert_tokens_to_ids)
    model.table[:, 7] = torch.nan
    with pytest.raises(Failure, match="analysis.no_numbers"):
        read_on(replace(table, model=model), ids_of(table, "ab"))
