"""A text is read and continued by a table of bigrams over bytes: every figure can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest
import torch
from torch import Tensor, nn

from tests.adapters.test_language_model import network
from tests.adapters.tiny_networks import byte_pairs
from viz_core import checkpoints
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.generation import chat_text, continue_text, given_tokens, read_text
from viz_core.models.decoding import Vocabulary
from viz_core.models.protocol import Hook, Output
from viz_core.records import Failure, Generation, Message
from viz_core.text.chat import ChatFrame

TOKENS = 12  # of the longest text
END = 2
# After each token the probabilities of the next; after any other the text ends.
NEXT = {
    "<s>": {"a": 0.5, "b": 0.5},
    "a": {"b": 0.75, "a": 0.25},
    "b": {"a": 0.5, "Ã": 0.25, "</s>": 0.25},
    "Ã": {"©": 1.0},
}
NEVER = -1e9


class Count(NamedTuple):
    """How many tokens were read of a single text."""

    count: int

    def at(self, rows: Tensor) -> Count:
        return self


class Table(nn.Module):
    special_ids = Vocabulary(0, END)

    def __init__(self, config, token_id) -> None:
        super().__init__()
        self.config, self.attention_kinds = config, ("causal",)
        self.table = torch.full((270, 270), NEVER)
        self.table[:, END] = 0.0
        for token, following in NEXT.items():
            self.table[token_id(token)] = NEVER
            for after, probability in following.items():
                self.table[token_id(token), token_id(after)] = torch.tensor(probability).log()

    def start(self, ids: Tensor, mask: Tensor, hook: Hook | None = None) -> Count:
        return Count(ids.shape[1])

    def advance(self, state: Count, tokens: Tensor, hook: Hook | None = None) -> tuple[Tensor, Count]:
        return self.table[tokens], Count(state.count + 1)

    def read(self, state: Count, ids: Tensor, need_attention: bool = False, hook: Hook | None = None):
        T = ids.shape[1]
        return Output(self.table[ids], {"causal": torch.eye(T)[None, None, None]}), Count(state.count + T)


@pytest.fixture(scope="module")
def checkpoint():
    tokenizer = byte_pairs(TOKENS)
    adapted = adapt(network("GPT2"), tokenizer, "table")
    return replace(adapted, model=Table(adapted.model.config, tokenizer.convert_tokens_to_ids))


def last(events) -> Generation:
    *_, generation = events
    return generation


def test_what_was_expected_at_each_token(checkpoint):
    """p(a b a a) = 0.5 · 0.75 · 0.5 · 0.25; at the first token nothing was read before."""
    reading = read_text(checkpoint, given_tokens(checkpoint, "abaa"))
    begin, *steps = reading.steps
    assert begin is None and [step.output.token for step in steps] == ["a", "b", "a", "a"]
    assert [step.output.probability for step in steps] == pytest.approx([0.5, 0.75, 0.5, 0.25])
    assert [step.rank for step in steps] == [1, 1, 1, 2]
    assert {c.token: c.probability for c in steps[2].candidates[:3]} == pytest.approx(
        {"a": 0.5, "</s>": 0.25, "<0xC3>": 0.25}
    )
    assert reading.perplexity == pytest.approx((0.5 * 0.75 * 0.5 * 0.25) ** (-1 / 4))
    assert reading.explanation.labels[:2] == ("b", "a") and reading.written == ""


def test_the_end_that_a_tokenizer_appends_is_not_read(checkpoint):
    assert given_tokens(checkpoint, "ab").tokens == ("<s>", "a", "b")


def test_the_likeliest_token_is_taken_until_the_limit(checkpoint):
    *steps, generation = continue_text(checkpoint, "a", Decoding(), 3)
    assert [step.output.token for step in steps] == ["b", "a", "b"]
    assert (generation.text, generation.written, generation.given, generation.complete) == ("abab", "bab", 2, False)
    assert generation.steps[2:] == tuple(steps) and [n.key for n in generation.notices] == ["generation.stopped"]


def test_it_goes_on_from_tokens_that_were_chosen(checkpoint):
    """The first byte of é is only a part of a character; the second completes it."""
    ids = {0: byte_pairs().convert_tokens_to_ids("Ã")}
    *steps, generation = continue_text(checkpoint, "ab", Decoding(), 5, ids)
    assert (generation.written, generation.complete) == ("é", True)
    assert [step.rank for step in steps] == [2, 1, 1]
    encoding = generation.explanation.encoding
    assert encoding.offsets[-2:].tolist() == [[2, 2], [2, 3]] and encoding.label(4) == "é"


def test_where_the_context_is_full_it_stops(checkpoint):
    generation = last(continue_text(checkpoint, "ab", Decoding(), 100))
    assert len(generation.steps) == TOKENS and [n.key for n in generation.notices] == ["generation.context_full"]
    with pytest.raises(Failure, match="generation.full"):
        continue_text(checkpoint, "ab" * TOKENS, Decoding(), 1)


def test_samples_depend_on_the_seed_alone_and_top_k_bounds_them(checkpoint):
    texts = [last(continue_text(checkpoint, "a", Decoding("sample", seed=seed), 6)).written for seed in (1, 1, 2, 3, 4)]
    assert texts[0] == texts[1] and len(set(texts)) > 1
    likeliest = Decoding("sample", seed=2, top_k=1)
    assert last(continue_text(checkpoint, "a", likeliest, 4)).written == "baba"


@pytest.mark.parametrize("setting", [{"top_k": -1}, {"top_p": 0.0}, {"top_p": 1.5}, {"temperature": 0.0}])
def test_settings_that_mean_nothing_are_refused(checkpoint, setting):
    with pytest.raises(Failure):
        continue_text(checkpoint, "a", Decoding("sample", **setting), 1)


def test_a_model_that_continues_nothing_says_so():
    with pytest.raises(Failure, match="generation.no_language_model"):
        continue_text(checkpoints.load("imdb", "small"), "a", Decoding(), 1)


@torch.no_grad()
def test_a_real_network_writes_what_the_library_writes():
    net, tokenizer = network("GPT2"), byte_pairs(40)
    checkpoint = adapt(net, tokenizer)
    net.generation_config.eos_token_id = None
    ids = torch.tensor([given_tokens(checkpoint, "the cat sat").ids.tolist()])
    theirs = net.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=8, do_sample=False)[0]
    generation = last(continue_text(checkpoint, "the cat sat", Decoding(), 8))
    assert generation.explanation.encoding.ids.tolist() == theirs.tolist()
    assert generation.explanation.encoding.texts[0] == tokenizer.decode(theirs, skip_special_tokens=True)
    expected = net(input_ids=theirs[None]).logits[0, :, :266].softmax(-1)  # of the 270 ids 266 have a token
    chances = [step.output.probability for step in generation.steps[1:]]
    torch.testing.assert_close(torch.tensor(chances), expected[:-1].gather(1, theirs[1:, None])[:, 0])


@pytest.fixture
def chatting(checkpoint):
    return replace(checkpoint, chat=ChatFrame(("<pad>", "</s>a")))


def test_a_message_of_a_chat_is_read_between_the_markers_and_answered(chatting):
    """After the a of the template: b, three quarters; then a, a half; then b again."""
    text, notices = chat_text(chatting, "c ")
    assert (text, notices) == ("<pad>c</s>a", ())
    generation = last(continue_text(chatting, text, Decoding(), 3))
    assert generation.written == "bab"
    assert [step.output.probability for step in generation.steps[-3:]] == pytest.approx([0.75, 0.5, 0.75])


def test_without_a_template_or_a_system_line_a_notice_says_so(checkpoint, chatting):
    assert chat_text(checkpoint, "ab") == ("ab", (Message("generation.no_chat", {"name": "table"}),))
    refused = Message("adapters.chat_no_end", {"name": "table", "seconds": 2})
    assert chat_text(replace(checkpoint, chat=refused), "ab") == ("ab", (refused,))
    text, notices = chat_text(chatting, "c", "briefly")
    assert text == "<pad>c</s>a" and [notice.key for notice in notices] == ["generation.no_system"]
    assert chat_text(chatting, "c", " ")[1] == ()


@pytest.mark.parametrize(
    "message, key",
    [("", "text.blank"), (" \n", "text.blank"), ("a\ud800", "text.not_unicode"), ("a" * 100_000, "generation.full")],
)
def test_a_message_that_cannot_be_answered_is_refused(chatting, message, key):
    with pytest.raises(Failure) as failure:
        chat_text(chatting, message)
    assert failure.value.message.key == key


def test_a_message_that_loses_its_end_to_the_limit_is_refused(chatting):
    """Else what stands after it would be cut off, and the model would go on with the message."""
    lined = replace(chatting, chat=ChatFrame(("", ""), ("", " ", "")))
    for message, system in (("a" + " " * 19_990 + "b", ""), ("a", "b" * 100_000)):
        with pytest.raises(Failure, match="generation.full"):
            chat_text(lined if system else chatting, message, system)
