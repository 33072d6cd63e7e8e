"""What a chat template puts around messages; read in the process of trials (trial_process.py).

A template is a program of whoever published the model. Here it renders fixed conversations once.
What it puts around the messages is kept, so it never runs on the text of a visitor.
"""

from collections.abc import Sequence
from contextlib import suppress

from transformers import PreTrainedTokenizerBase

from viz_core.records import Failure
from viz_core.text.chat import ChatFrame

MOST_CHARACTERS = 2_000  # around the messages; a context of 512 tokens has about as many
_TURNS = "user", "assistant", "user", "assistant", "user"


def read_frame(tokenizer: PreTrainedTokenizerBase, name: str) -> ChatFrame | None:
    """Return what the chat template of a tokenizer puts around messages; None if it has no template.

    Args:
        tokenizer: The tokenizer.
        name: Name of the model in messages.

    Raises:
        Failure: If a message is not in the rendered text exactly once, or there is too much around it.
        Exception: Whatever the template raises.
    """
    if not tokenizer.chat_template:
        return None
    before, after = _around(tokenizer, name, "user")
    with_system = None
    with suppress(Exception):  # such as Gemma's, which knows no system role
        line, between, end = _around(tokenizer, name, "system", "user")
        with_system = line, between, end
    reply = None
    with suppress(Exception):  # such as one that takes no answers
        alone, *others = [
            _reply(pieces, _around(tokenizer, name, *roles, *_TURNS), after)
            for pieces, roles in (((before, after), ()), (with_system, ("system",)))
            if pieces
        ]
        reply = alone if all(other == alone for other in others) else None
    return ChatFrame((before, after), with_system, reply)


def _reply(first: Sequence[str], pieces: Sequence[str], after: str) -> str | None:
    """Return what stands between an answer and the next message; None unless each turn has the same pieces.

    Args:
        first: What is around the first message.
        pieces: What is around all messages of a conversation.
        after: Between each message and its answer.
    """
    count = len(first)
    replies, ends = set(pieces[count::2]), set(pieces[count + 1 :: 2])
    is_same = list(first) == list(pieces[:count]) and ends == {after} and len(replies) == 1
    return (replies.pop() or None) if is_same else None


def _around(tokenizer: PreTrainedTokenizerBase, name: str, *roles: str) -> list[str]:
    """Render a message of each role and return what is before, between and after them."""
    # With characters that are written differently where a template escapes them.
    contents = [f"({role} {number} <&\"'>)" for number, role in enumerate(roles)]
    messages = [{"role": role, "content": content} for role, content in zip(roles, contents, strict=True)]
    text = str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))
    if len(text) > MOST_CHARACTERS:
        raise Failure("adapters.chat_long", name=name, characters=len(text), most=MOST_CHARACTERS)
    parts = []
    for content in contents:
        if (count := text.count(content)) != 1:
            raise Failure("adapters.chat_message", name=name, count=count)
        part, text = text.split(content)
        parts.append(part)
    return [_without_beginning(tokenizer, parts[0]), *parts[1:], text]


def _without_beginning(tokenizer: PreTrainedTokenizerBase, text: str) -> str:
    """Return the text without the token that the tokenizer itself puts before each text, which came twice."""
    begin = tokenizer.bos_token
    adds = begin is not None and tokenizer("a")["input_ids"][0] == tokenizer.bos_token_id
    return text.removeprefix(str(begin)) if adds else text
