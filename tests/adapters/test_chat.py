"""Chat templates: what they put around a message is what the library puts there; others are refused with a sentence."""

import numpy as np
import pytest
import torch

from tests.adapters.test_language_model import network
from tests.adapters.tiny_networks import CHAT_TEMPLATE, byte_pairs
from tests.sampling import few
from viz_core.adapters import trial
from viz_core.adapters.chat import read_frame
from viz_core.adapters.checkpoint import adapt, with_chat
from viz_core.adapters.opening import open_model
from viz_core.analysis.attribution.methods import attributions
from viz_core.analysis.context import read_on, write_on, written_text
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.explain import explain
from viz_core.analysis.generation import chat_text, given_tokens
from viz_core.analysis.selection import attention_map
from viz_core.analysis.whatif import Changes, outcomes
from viz_core.language import Translator
from viz_core.records import Failure, Message
from viz_core.text.chat import ChatFrame, Turn

LOOP = "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}"
FRAME = ChatFrame(("<pad>u:", "</s><pad>a:"), ("<pad>s:", "</s><pad>u:", "</s><pad>a:"), "</s><pad>u:")
ONE_TURN = ChatFrame(FRAME.alone, FRAME.with_system)


def tokenizer(template: str | None = CHAT_TEMPLATE, tokens: int = 40):
    result = byte_pairs(tokens)
    result.chat_template = template
    return result


@pytest.mark.parametrize("system", ["", "a b"])
def test_its_tokens_are_those_of_the_library_and_the_first_comes_once(system):
    frame = read_frame(tokenizer(), "tiny")
    assert frame == FRAME
    messages = [{"role": "system", "content": system}] * bool(system) + [{"role": "user", "content": "the cat"}]
    theirs = tokenizer().apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
    checkpoint = adapt(network("GPT2"), tokenizer(), "tiny")
    encoding = given_tokens(checkpoint, frame.read("the cat", system))
    assert encoding.ids.tolist() == theirs
    special = [encoding.tokens[i] for i, token in enumerate(theirs) if token in checkpoint.text_encoder.special_ids]
    assert special == ["<s>", *["<pad>", "</s>"] * (1 + bool(system)), "<pad>"]


def test_a_tokenizer_without_a_template_has_none():
    assert read_frame(tokenizer(None), "tiny") is None


def test_a_template_that_knows_no_system_line_takes_none():
    """As Gemma's, which raises; another writes it after the message, where nobody would look for it."""
    raising = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}" + CHAT_TEMPLATE
    behind = CHAT_TEMPLATE.replace("in messages", "in messages | reverse")
    assert read_frame(tokenizer(raising), "tiny") == ChatFrame(FRAME.alone, None, FRAME.reply)
    for template in (behind, CHAT_TEMPLATE.replace("in messages", "in messages[-1:]")):
        assert read_frame(tokenizer(template), "tiny") == ChatFrame(FRAME.alone)


@pytest.mark.parametrize("system", ["", "a b"])
def test_the_tokens_of_several_turns_are_those_of_the_library(system):
    turns = (Turn("the cat", "sat"), Turn("a <pad>?", "the cat sat."), Turn("why", "'<&>'"))
    messages = [{"role": "system", "content": system}] * bool(system)
    for turn in turns:
        messages += [{"role": "user", "content": turn.message}, {"role": "assistant", "content": turn.answer}]
    messages.append({"role": "user", "content": "and then"})
    theirs = tokenizer(tokens=200).apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
    checkpoint = with_chat(adapt(network("GPT2", n_positions=200), byte_pairs(200), "tiny"), FRAME)
    text, notices = chat_text(checkpoint, "and then", system, turns)
    assert given_tokens(checkpoint, text).ids.tolist() == theirs and notices == ()
    answered, _ = chat_text(checkpoint, "", system, turns)
    assert theirs[: len(given_tokens(checkpoint, answered).ids)] == given_tokens(checkpoint, answered).ids.tolist()
    assert text.startswith(answered) and answered.endswith("'<&>'")


@torch.no_grad()
def test_a_reply_is_answered_as_with_the_library_and_only_its_tokens_are_computed(monkeypatch):
    net, size = network("GPT2", n_positions=200), 6
    checkpoint = with_chat(adapt(net, byte_pairs(200), "tiny"), FRAME)
    written = checkpoint.text_encoder.encode("cat sat cat").ids[1:-1].tolist()
    encoding, _ = written_text(checkpoint, chat_text(checkpoint, "the cat")[0], written)
    before = read_on(checkpoint, encoding.ids.tolist())
    text, _ = chat_text(checkpoint, "why", turns=(Turn("the cat", "cat sat cat"),))
    ids, computed, read = given_tokens(checkpoint, text).ids.tolist(), [], checkpoint.language_model.read
    monkeypatch.setattr(
        checkpoint.language_model,
        "read",
        lambda state, tokens, **options: computed.extend(tokens[0].tolist()) or read(state, tokens, **options),
    )
    context = read_on(checkpoint, ids, before)
    assert ids[: len(encoding.ids)] == encoding.ids.tolist() and computed == ids[len(encoding.ids) :]
    *_, context = write_on(checkpoint, context, Decoding(), size)
    inputs = torch.tensor([ids])
    theirs = net.generate(inputs, attention_mask=torch.ones_like(inputs), max_new_tokens=size, do_sample=False)[0]
    assert list(context.ids) == theirs.tolist() and len(context.ids) == len(ids) + size


@pytest.mark.parametrize(
    "template",
    [
        CHAT_TEMPLATE.replace("<pad>{{", "{% if not loop.first %}+{% endif %}{% if loop.last %}now{% endif %}<pad>{{"),
        CHAT_TEMPLATE.replace("</s>{%", "{% if not loop.last %}</s>{% endif %}{%").replace("<pad>{{", "{{"),
        "{% if messages | length > 3 %}{{ raise_exception('too many') }}{% endif %}" + CHAT_TEMPLATE,
        CHAT_TEMPLATE.replace("{{ message['content'] }}", "{{ message['content'] if loop.last else '…' }}"),
        CHAT_TEMPLATE.replace("{{ message['content'] }}", "{{ message['content'] }}{{ messages | length }}"),
        "{{ bos_token }}{% for message in messages %}{{ message['content'] }}{% endfor %}",
    ],
    ids=["marks the last", "ends differ", "two messages", "forgets", "counts", "no markers"],
)
def test_a_template_that_does_not_mark_each_turn_alike_has_chats_of_one_turn(template):
    frame = read_frame(tokenizer(template), "tiny")
    assert frame is not None and frame.reply is None
    checkpoint = with_chat(adapt(network("GPT2"), tokenizer(), "tiny"), frame)
    text, (notice,) = chat_text(checkpoint, "sat", turns=(Turn("the cat", "a"),))
    assert text == frame.read("sat") and notice.key == "generation.one_turn"
    assert all("tiny" in Translator(language)(notice) for language in ("en", "zh"))
    with pytest.raises(Failure):
        chat_text(checkpoint, " ", turns=(Turn("the cat", "a"),))


@pytest.mark.parametrize(
    "change, key",
    [
        ("{{ message['content'] }}{{ message['content'] }}", "adapters.chat_message"),
        ("{{ message['role'] }}", "adapters.chat_message"),
        ("{{ message['content'] | upper }}", "adapters.chat_message"),
        ("{{ message['content'] | tojson }}", "adapters.chat_message"),
        ("{{ message['content'] }}{{ ' ' * 2000 }}", "adapters.chat_long"),
    ],
)
def test_a_template_that_repeats_or_changes_a_message_or_adds_a_book_is_refused(change, key):
    template = CHAT_TEMPLATE.replace("{{ message['content'] }}", change)
    with pytest.raises(Failure) as failure:
        read_frame(tokenizer(template), "tiny")
    assert failure.value.message.key == key
    assert all("tiny" in Translator(language)(failure.value.message) for language in ("en", "zh"))


def test_the_markers_of_a_chat_are_neither_removed_nor_scored():
    """They are markers wherever they are read: on the page of a text, too. `<s><pad>u:cat sat</s><pad>a:</s>`."""
    checkpoint = with_chat(adapt(network("GPT2"), tokenizer(), "tiny"), FRAME)
    explanation = explain(checkpoint, FRAME.read("cat sat"))
    encoding = explanation.encoding
    assert [encoding.tokens[i] for i in np.flatnonzero(~explanation.fixed)] == ["cat", "␣sat"]
    assert np.flatnonzero(attributions(checkpoint, explanation)[0].values).tolist() == [4, 5]
    hidden = attention_map(explanation, 0, 0, special="hidden")
    assert hidden.keys == ("cat", "sat")
    with pytest.raises(Failure) as failure:
        outcomes(checkpoint, encoding, [Changes(removed=frozenset({2}))])
    assert failure.value.message.key == "analysis.whatif_special_token"
    only = explain(checkpoint, "<pad>")
    assert only.fixed.all() and outcomes(checkpoint, only.encoding, [Changes(masked=frozenset({(0, 0)}))]).size


@pytest.fixture
def folder(tmp_path):
    network("GPT2").save_pretrained(tmp_path / "tiny")
    tokenizer().save_pretrained(tmp_path / "tiny")
    return tmp_path / "tiny"


@pytest.mark.process
@pytest.mark.parametrize(
    "template, key",
    [
        *few(
            [
                ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "adapters.chat_failed"),
                (LOOP, "adapters.chat_no_end"),
                ("{% for i in range(10 ** 9) %}{% endfor %}", "adapters.chat_failed"),  # too many for the sandbox
                ("{{ raise_exception('not today') }}", "adapters.chat_failed"),
                ("{% if", "adapters.chat_failed"),
                ("{{ 'a' * 10 ** 10 }}", "adapters.chat_failed"),  # no memory
                ("{{ messages }}", "adapters.chat_message"),
            ]
        )
    ],
)
def test_a_model_opens_without_a_chat_if_its_template_is_of_no_use(folder, monkeypatch, template, key):
    monkeypatch.setattr(trial, "CHAT_SECONDS", 1.0)
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    chat = open_model(f"path:{folder}").chat
    assert isinstance(chat, Message) and chat.key == key
    assert all("tiny" in Translator(language)(chat) for language in ("en", "zh"))


@pytest.mark.process
def test_the_frame_of_an_opened_model_is_that_of_its_template(folder):
    assert open_model(f"path:{folder}").chat == FRAME
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE.replace("in messages", "in messages[-1:]"), "utf-8")
    assert open_model(f"path:{folder}").chat == ChatFrame(FRAME.alone)
    (folder / "chat_template.jinja").unlink()
    assert open_model(f"path:{folder}").chat is None
