r"""The parts of a `tokenizer.json` that may take time or memory without end for a text of a few words.

A regular expression such as `(q+)+[cd]` doubles its time with each letter, and only of the right
word, so that no trial finds it. Only the expressions of well-known tokenizers are accepted, and
replacements only if all of them together do not make a text much longer.

Source: the tokenizers that `transformers` converts or builds, and those on the hub of the models
named here.
"""

import json
from base64 import b64decode
from collections.abc import Iterator

_PARTS = "normalizer", "pre_tokenizer", "post_processor", "decoder"
_MOST_GROWTH = 100  # characters in place of one; NFKC alone writes 18 for ﷺ
_SHOWN = 200  # characters of a part in a message

_CONTRACTION, _ANY_CASE = r"'s|'t|'re|'ve|'m|'ll|'d", r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_WORD, _SIGNS = r"[^\r\n\p{L}\p{N}]?\p{L}+", r" ?[^\s\p{L}\p{N}]+[\r\n]*"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CASED = rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+", rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*"
_ASCII_SIGNS = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"""
# Of tiktoken: possessive quantifiers, which match the same.
_TIKTOKEN = r"[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"

PATTERNS = frozenset(
    {
        # Ours (building.py)
        r"<br\s*/?>",
        r"(?i:<br\s*/?>)",
        r"[^\p{L}\p{N}\s]",
        r"(?m:.)",
        r"[\p{L}\p{N}&&[^\p{Han}]]+(?:'[\p{L}\p{N}&&[^\p{Han}]]+)*|\S",
        # GPT-2, RoBERTa, OPT, BART, Whisper, GPT-NeoX, mostly without writing it out
        rf"{_CONTRACTION}| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+",
        rf"{_CONTRACTION}| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)",
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        # CLIP
        rf"{_CONTRACTION}|[\p{{L}}]+|[\p{{N}}]|[^\s\p{{L}}\p{{N}}]+",
        rf"<\|startoftext\|>|<\|endoftext\|>|{_CONTRACTION}|[\p{{L}}]+|[\p{{N}}]|[^\s\p{{L}}\p{{N}}]+",
        # GPT-4, Llama 3, Phi-4, OLMo 2, GLM-4, SmolLM3
        rf"{_ANY_CASE}|{_WORD}|\p{{N}}{{1,3}}|{_SIGNS}|{_SPACES}",
        rf"{_ANY_CASE}|{_TIKTOKEN}",
        rf"'(?i:[sdmt]|ll|ve|re)|{_TIKTOKEN}",
        # Qwen 2, Qwen 2.5, Qwen 3, StableLM 2; Ling; Seed-Coder; Qwen 3.5
        rf"{_ANY_CASE}|{_WORD}|\p{{N}}|{_SIGNS}|{_SPACES}",
        rf"'(?i:[sdmt]|ll|ve|re)|{_TIKTOKEN}".replace("{1,3}", ""),
        rf"{_ANY_CASE}|{_WORD}|\p{{N}}{{1}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_SPACES}",
        rf"{_ANY_CASE}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACES}",
        # GPT-4o, gpt-oss, Llama 4; Mistral's Tekken
        rf"{_CASED[0]}{_ANY_CASE}?|{_CASED[1]}{_ANY_CASE}?|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}",
        rf"{_CASED[0]}|{_CASED[1]}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}",
        # DeepSeek: V3 and R1; Coder and V2
        r"\p{N}{1,3}",
        r"[一-龥぀-ゟ゠-ヿ]+",
        rf"{_ASCII_SIGNS}[A-Za-z]+|[^\r\n\p{{L}}\p{{P}}\p{{S}}]?[\p{{L}}\p{{M}}]+| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_SPACES}",
        r"[\r\n]",
        r"\s?\p{L}+",
        r"\s?\p{P}+",
        r"[一-龥ࠀ-一가-퟿]+",
        r"\p{N}",
        r"\p{N}+",
        # Bloom, Falcon
        r" ?[^(\s|[.,!?…。，、।۔،])]+",
        r" ?[^(\s|[.,!?])]+",
        r"[0-9][0-9][0-9]",
        # Replacements of SentencePiece's converters: T5, Marian, mBART, XLNet, ALBERT, Pegasus, NLLB
        r" {2,}",
        r"\s+",
        r"\n",
        r"[\n\r\t]",
        r"\s{2,}|[\n\r\t]",
    }
)


def unknown_part(structure: object) -> str | None:
    """The first part of a tokenizer that no well-known one has, shortened; None if there is none.

    Args:
        structure: Contents of a `tokenizer.json`.
    """
    parts = list(_objects([structure.get(name) for name in _PARTS] if isinstance(structure, dict) else []))
    if unknown := next((part for part in parts if _is_unknown(part)), None):
        return str(unknown["Regex"])[:_SHOWN]
    growth = 1
    for part in parts:
        growth *= max(1, _growth(part))
        if growth > _MOST_GROWTH:
            return json.dumps(part, ensure_ascii=False)[:_SHOWN]
    return None


def _objects(value: object) -> Iterator[dict]:
    """All JSON objects in a value, those outside first."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _objects(inner)


def _is_unknown(part: dict) -> bool:
    r"""Whether a part has another regular expression; some files have line breaks where others write `\r\n`."""
    return "Regex" in part and str(part["Regex"]).replace("\r", r"\r").replace("\n", r"\n") not in PATTERNS


def _growth(part: dict) -> int:
    """How many characters a part may write in place of one."""
    match part:
        case {"type": "Replace", "content": str(content)}:
            return len(content)
        case {"precompiled_charsmap": str(charsmap)}:
            return _longest(b64decode(charsmap))
    return 1


def _longest(charsmap: bytes) -> int:
    """The longest replacement in a map of SentencePiece: the size of a trie, the trie, texts that end in zeros."""
    texts = charsmap[4 + int.from_bytes(charsmap[:4], "little") :].split(b"\0")
    return max(len(text.decode("utf-8", "replace")) for text in texts)
