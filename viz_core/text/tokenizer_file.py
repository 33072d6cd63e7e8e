"""Reads `tokenizer.json`, which anyone may have written, without risk for the process that reads it.

The regular expressions of such a file may take forever, and the library ends in a Rust panic, which
is not an Exception. A tokenizer that is built like ours, whatever its vocabulary, is read directly.
Any other must have no part that is unknown (tokenizer_parts.py), and is first tried in a process of
its own, with limits (tokenizer_trial.py), the first time that its content is seen.
"""

import json
import subprocess
import sys
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from viz_core.bounded_json import parse_json, read_text
from viz_core.text.building import BUILDERS, SPECIAL, build_byte_pair_tokenizer, build_wordpiece_tokenizer
from viz_core.text.length import MAX_CHARACTERS
from viz_core.text.tokenizer_parts import unknown_part

SHORTEST = 5  # tokens: [CLS] a [SEP] b [SEP]; below that the library does not truncate pairs
_TRIAL = Path(__file__).with_name("tokenizer_trial.py")
_TRIAL_SECONDS = 10
_OWN_PARTS = ("truncation", "model")  # parts that differ between files; the others are the same for all of a kind


def read_tokenizer(file: Path) -> Tokenizer:
    """Read the tokenizer in a file, whose ids are 0 to the size of its vocabulary.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If the tokenizer cannot be used, with a reason.
    """
    content = read_text(file)
    structure = parse_json(content)
    if not _is_ours(structure):
        if part := unknown_part(structure):
            raise ValueError(f"no well-known tokenizer has its part {part}")
        if reason := _trial(content):
            raise ValueError(reason)
    tokenizer = Tokenizer.from_str(content)
    ids = sorted(tokenizer.get_vocab().values())
    if ids != list(range(len(ids))):
        raise ValueError(f"the ids of its vocabulary are not 0, 1, 2 … {len(ids) - 1:,}, each once")
    if (longest := max(map(len, tokenizer.get_vocab()))) > MAX_CHARACTERS:
        raise ValueError(f"a token of its vocabulary has {longest:,} characters, more than {MAX_CHARACTERS:,}")
    if tokenizer.truncation is None:
        raise ValueError(f"it does not truncate texts: set its truncation to {SHORTEST} tokens or more")
    if (length := tokenizer.truncation["max_length"]) < SHORTEST:
        raise ValueError(f"it truncates texts to {length} tokens: set its truncation to {SHORTEST} or more")
    _check_pair(tokenizer)
    return tokenizer


def _check_pair(tokenizer: Tokenizer) -> None:
    """Check that a tokenizer puts special tokens around the texts of a pair, in segments 0 and 1.

    Raises:
        ValueError: If it does not.
    """
    pair = Tokenizer.from_str(tokenizer.to_str())
    pair.no_padding()
    encoded = pair.encode("a", "a")
    numbers = encoded.sequence_ids
    ends_special = numbers and numbers[0] is None and numbers[-1] is None
    if not ends_special or set(encoded.type_ids) != {0, 1} or max(encoded.ids) >= pair.get_vocab_size():
        raise ValueError("it does not make [CLS] a [SEP] b [SEP] of a pair, in two segments")


def _is_ours(structure: object) -> bool:
    """Whether a tokenizer differs from one that this project builds only in vocabulary and length."""
    if not isinstance(structure, dict):
        return False
    match structure:
        case {"model": {"type": "WordLevel", "vocab": dict(), "unk_token": "[UNK]", **others}} if not others:
            return _frame(structure) in _word_level_frames()
        case {"model": {"type": "WordPiece", "vocab": dict(vocabulary)} as model, "normalizer": dict(normalizer)}:
            if ours := _wordpiece_structure(normalizer):
                return {**ours["model"], "vocab": vocabulary} == model and _frame(structure) == _frame(ours)
        case {"model": {"type": "BPE", "vocab": dict(vocabulary), "merges": list(merges)} as model}:
            ours = _byte_pair_structure()
            built = {**ours["model"], "vocab": vocabulary, "merges": merges}
            return built == model and _frame(structure) == _frame(ours)
    return False


@cache
def _byte_pair_structure() -> dict:
    return json.loads(build_byte_pair_tokenizer([], 2 * SHORTEST).to_str())


def _wordpiece_structure(normalizer: dict) -> dict | None:
    """The structure of a WordPiece tokenizer of ours with these choices of a BertNormalizer.

    None if the choices are not ones of a BertNormalizer.
    """
    match normalizer.get("normalizers"):
        case [_, {"type": "BertNormalizer", **others}]:
            choices: dict[str, Any] = {str(name): part for name, part in others.items() if part in (True, False, None)}
            with suppress(TypeError):  # unknown choice, or None for one that is required
                return json.loads(build_wordpiece_tokenizer(SPECIAL, 2 * SHORTEST, **choices).to_str())
    return None


def _frame(structure: dict) -> str:
    return json.dumps({name: part for name, part in structure.items() if name not in _OWN_PARTS}, sort_keys=True)


@cache
def _word_level_frames() -> set[str]:
    return {_frame(json.loads(build([], 2 * SHORTEST).to_str())) for build in BUILDERS}


@lru_cache(maxsize=64)
def _trial(content: str) -> str:
    """Why the tokenizer cannot be used, or an empty string."""
    try:
        trial = subprocess.run(
            [sys.executable, "-I", str(_TRIAL)],
            input=content,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TRIAL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {_TRIAL_SECONDS} seconds with a short text"
    if trial.returncode == 0:
        return ""
    lines = trial.stdout.strip().splitlines()
    return lines[-1][:200] if lines else f"reading it ended with exit code {trial.returncode}"
