"""Text of a language model: what it expects at each token, and how it goes on, token by token."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import torch

from viz_core.analysis.decoding import Decoding, log_probabilities, special_ids, step
from viz_core.analysis.explain import explanation, input_tensors, is_deferred, open_ended
from viz_core.checkpoints import Checkpoint
from viz_core.models.decoding import steps
from viz_core.models.protocol import Hook, Network
from viz_core.records import Encoding, Failure, Generation, Message, Step
from viz_core.text.chat import ChatFrame, Turn
from viz_core.text.length import is_cut


def continue_text(
    checkpoint: Checkpoint,
    text: str,
    decoding: Decoding,
    most: int,
    forced: Mapping[int, int] | None = None,
    hook: Hook | None = None,
) -> Iterator[Step | Generation]:
    """Continue a text: yield each token as soon as it is known, then everything about the whole text.

    Args:
        checkpoint: A language model.
        text: What it reads first.
        decoding: Greedy or sampling.
        most: Number of tokens after which it stops; also where its context is full.
        forced: Maps places after the text, from 0, to the tokens taken there.
        hook: As in `models.protocol`.

    Raises:
        Failure: At once, if the model continues no texts, or for a text or setting that is not possible.
    """
    encoding = given_tokens(checkpoint, text)
    decoding.check()
    if most < 1:
        raise Failure("generation.no_tokens", count=most)
    room = checkpoint.text_encoder.max_tokens - len(encoding.ids)
    if room < 1 or any(notice.key == "text.truncated" for notice in encoding.notices):
        raise Failure("generation.full", most=checkpoint.text_encoder.max_tokens)
    return _continue(checkpoint, encoding, decoding, min(most, room), room, forced or {}, hook)


def chat_text(
    checkpoint: Checkpoint, message: str, system: str = "", turns: Sequence[Turn] = ()
) -> tuple[str, tuple[Message, ...]]:
    """Return what a model reads of a chat, up to where its next answer begins, and notices.

    Without a chat template that can be used, it reads the message as it stands.

    Args:
        checkpoint: A language model.
        message: Of the user; blank for the chat up to the last answer.
        system: A line before all messages; blank for that of the template.
        turns: Earlier messages with their answers.

    Raises:
        Failure: If the message has no tokens, or the chat has no room in the context.
    """
    frame, encoder = checkpoint.chat, checkpoint.text_encoder
    if not isinstance(frame, ChatFrame):
        return message, (frame or Message("generation.no_chat", {"name": checkpoint.name}),)
    notices = list[Message]()
    if turns and frame.reply is None:
        turns = ()
        notices.append(Message("generation.one_turn", {"name": checkpoint.name}))
    if not turns:
        encoder.encode(message)  # blank between the markers, too
    text = frame.read(message, system, turns)
    if is_cut(text):
        raise Failure("generation.full", most=encoder.max_tokens)
    if system.strip() and not frame.with_system:
        notices.append(Message("generation.no_system", {"name": checkpoint.name}))
    return text, tuple(notices)


def given_tokens(checkpoint: Checkpoint, text: str) -> Encoding:
    """Encode a text to be continued: without the token that ends texts, which a tokenizer may put behind it.

    Raises:
        Failure: If the model continues no texts, or the text has no tokens.
    """
    encoding, _ = checkpoint.text_encoder.encode(text), checkpoint.language_model
    return open_ended(checkpoint, encoding)


def read_text(
    checkpoint: Checkpoint, encoding: Encoding, given: int | None = None, hook: Hook | None = None
) -> Generation:
    """Read a text in one pass.

    Args:
        checkpoint: A language model.
        encoding: The tokens.
        given: Number of tokens that the model did not write; by default all.
        hook: As in `models.protocol`.

    Raises:
        Failure: If its numbers are not finite.
    """
    model, tokens = checkpoint.language_model, encoding.ids.tolist()
    nothing, network = torch.empty((1, 0), dtype=torch.long), cast(Network, model)
    defers = hook is None and is_deferred(network, len(tokens))  # a hook may change the weights
    with torch.inference_mode():
        state = model.start(nothing, nothing.bool())
        output, _ = model.read(state, torch.tensor([tokens]), need_attention=not defers, hook=hook)
        attention = (
            network.deferred(*input_tensors(encoding))[1][0] if defers else output.own[:, 0].contiguous().numpy()
        )
    logits = output.logits[0]
    if not torch.isfinite(logits).all():
        raise Failure("analysis.no_numbers", name=checkpoint.name)
    expected = [
        step(checkpoint.text_encoder, log_probabilities(row, special_ids(model)), after)
        for row, after in zip(logits, tokens[1:], strict=False)
    ]
    shown = explanation(checkpoint, encoding, logits[-1].numpy(), attention)
    return Generation(shown, (None, *expected), len(tokens) if given is None else given, False)


@torch.inference_mode()  # per step, because each may be computed by another thread
def _continue(
    checkpoint: Checkpoint,
    encoding: Encoding,
    decoding: Decoding,
    most: int,
    room: int,
    forced: Mapping[int, int],
    hook: Hook | None,
) -> Iterator[Step | Generation]:
    model, ids = checkpoint.language_model, torch.from_numpy(encoding.ids)[None]
    state = model.start(ids[:, :-1], torch.ones_like(ids[:, :-1], dtype=torch.bool), hook)
    vocabulary = replace(special_ids(model), begin=int(ids[0, -1]))
    written, complete = list[int](), False
    for chances, token in steps(partial(model.advance, hook=hook), state, vocabulary, most, decoding.pick(), forced):
        yield step(checkpoint.text_encoder, chances, token)
        complete = vocabulary.ends(token)
        written += [] if complete else [token]
    whole = read_text(checkpoint, checkpoint.text_encoder.extend(encoding, written), len(encoding.ids), hook)
    yield replace(whole, complete=complete, notices=_notices(complete, len(written), room))


def _notices(complete: bool, count: int, room: int) -> tuple[Message, ...]:
    if complete:
        return ()
    return (Message("generation.context_full") if count == room else Message("generation.stopped", {"count": count}),)
