"""Parts of a tokenizer that may take time or memory without end for a text of a few words."""

import json
import struct
from base64 import b64encode

import pytest
from transformers.integrations.gguf.gguf_tokenizer_mapping import GGUF_PRE_TOKENIZER_SPLITS
from transformers.models.clip.tokenization_clip import CLIPTokenizer
from transformers.models.qwen2.tokenization_qwen2 import Qwen2Tokenizer
from transformers.models.t5.tokenization_t5 import T5Tokenizer

from viz_core.text.building import BUILDERS, SPECIAL, build_wordpiece_tokenizer
from viz_core.text.tokenizer_parts import unknown_part


def split(regex: str) -> dict:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def replace(pattern: dict, content: str) -> dict:
    return {"type": "Replace", "pattern": pattern, "content": content}


def charsmap(*texts: str) -> dict:
    """A map of SentencePiece with an empty trie."""
    content = struct.pack("<I", 0) + b"".join(text.encode() + b"\0" for text in texts)
    return {"type": "Precompiled", "precompiled_charsmap": b64encode(content).decode()}


def sequence(kind: str, *parts: dict) -> dict:
    return {"type": "Sequence", kind: list(parts)}


# As published: DeepSeek V3 and Bloom.
DEEPSEEK = (
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
)
BLOOM = " ?[^(\\s|[.,!?…。，、।۔،])]+"


@pytest.mark.parametrize("regex", [*sorted(set(GGUF_PRE_TOKENIZER_SPLITS.values())), DEEPSEEK, BLOOM])
def test_the_expressions_of_well_known_tokenizers_are_known(regex):
    assert unknown_part({"pre_tokenizer": sequence("pretokenizers", split(regex))}) is None


@pytest.mark.parametrize("tokenizer", [CLIPTokenizer, Qwen2Tokenizer, T5Tokenizer])
def test_tokenizers_that_the_library_builds_are_known(tokenizer):
    assert unknown_part(json.loads(tokenizer().backend_tokenizer.to_str())) is None


@pytest.mark.parametrize("build", BUILDERS, ids=lambda build: build.__name__)
def test_ours_are_known(build):
    assert unknown_part(json.loads(build(["a good film 花呗"] * 5, 7).to_str())) is None
    assert unknown_part(json.loads(build_wordpiece_tokenizer(SPECIAL, 9).to_str())) is None


REGEX = {"Regex": "(q+)+[cd]"}


@pytest.mark.parametrize(
    "structure",
    [
        {"pre_tokenizer": split("(q+)+[cd]")},
        {"pre_tokenizer": sequence("pretokenizers", {"type": "ByteLevel"}, split("(q+)+[cd]"))},
        {"normalizer": sequence("normalizers", replace(REGEX, ""))},
        {"decoder": sequence("decoders", replace(REGEX, ""))},
        {"post_processor": sequence("processors", REGEX)},
        {"pre_tokenizer": split(" ?")},
        {"pre_tokenizer": {"pattern": {"Regex": ["(q+)+[cd]"]}}},
    ],
)
def test_any_other_expression_is_named_wherever_it_is(structure):
    assert unknown_part(structure) in ("(q+)+[cd]", " ?", "['(q+)+[cd]']")


def test_a_long_expression_is_shortened():
    assert unknown_part({"pre_tokenizer": split("q" * 300)}) == "q" * 200


@pytest.mark.parametrize(
    "content, count, is_known", [("qq", 6, True), ("qq", 7, False), ("q" * 100, 1, True), ("", 9, True)]
)
def test_replacements_may_not_multiply_a_text(content, count, is_known):
    """Two characters for one, six times, are 64 for one; seven times 128."""
    parts = [replace({"String": "q"}, content)] * count
    assert (unknown_part({"normalizer": sequence("normalizers", *parts)}) is None) == is_known


@pytest.mark.parametrize("texts, is_known", [(["ab", "c" * 18], True), (["c" * 101], False), (["花" * 100], True)])
def test_a_map_of_characters_may_not_multiply_a_text(texts, is_known):
    assert (unknown_part({"normalizer": charsmap(*texts)}) is None) == is_known
    assert unknown_part({"normalizer": sequence("normalizers", charsmap("cc"), replace({"String": "c"}, "c" * 51))})


@pytest.mark.parametrize("structure", [None, [], {}, {"model": {"vocab": {"Regex": 1}}}, {"normalizer": None}])
def test_what_has_no_such_parts_is_known(structure):
    assert unknown_part(structure) is None
