"""What a chat template puts around messages; read in the process of trials (trial_process.py).

A template is a program of whoever published the model. Here it renders a fixed conversation once.
What it puts around the messages is kept, so it never runs on the text of a visitor.
"""

from transformers import PreTrainedTokenizerBase

from viz_core.records import Failure
from viz_core.text.chat import ChatFrame

MOST_CHARACTERS = 2_000  # around the messages; a context of 512 tokens has about as many
# In place of messages: with characters that are written differently where a template escapes them.
_MESSAGES = {"system": "(system <&\"'>)", "user": "(user <&\"'>)"}


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
    alone = _around(tokenizer, name, "user")
    try:
        with_system = _around(tokenizer, name, "system", "user")
    except Exception:  # such as Gemma's, which knows no system role
        return ChatFrame((alone[0], alone[1]))
    return ChatFrame((alone[0], alone[1]), (with_system[0], with_system[1], with_system[2]))


def _around(tokenizer: PreTrainedTokenizerBase, name: str, *roles: str) -> list[str]:
    """Render one message of each role and return what is before, between and after them."""
    messages = [{"role": role, "content": _MESSAGES[role]} for role in roles]
    text = str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))
    if len(text) > MOST_CHARACTERS:
        raise Failure("adapters.chat_long", name=name, characters=len(text), most=MOST_CHARACTERS)
    parts = []
    for role in roles:
        if (count := text.count(_MESSAGES[role])) != 1:
            raise Failure("adapters.chat_message", name=name, count=count)
        part, text = text.split(_MESSAGES[role])
        parts.append(part)
    return [_without_beginning(tokenizer, parts[0]), *parts[1:], text]


def _without_beginning(tokenizer: PreTrainedTokenizerBase, text: str) -> str:
    """Return the text without the token that the tokenizer itself puts before each text, which came twice."""
    begin = tokenizer.bos_token
    adds = begin is not None and tokenizer("a")["input_ids"][0] == tokenizer.bos_token_id
    return text.removeprefix(str(begin)) if adds else text
