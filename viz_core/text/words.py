"""Chinese word segmentation by jieba, with words of consumer finance that its dictionary lacks."""

import logging
from functools import cache
from pathlib import Path

import jieba

DOMAIN_WORDS = Path(__file__).with_name("domain_words.txt")


@cache
def _segmenter() -> jieba.Tokenizer:
    jieba.setLogLevel(logging.WARNING)  # it logs the loading of its dictionary to stderr
    segmenter = jieba.Tokenizer()  # not jieba's module-level instance, which the whole process shares
    segmenter.initialize()
    for word in DOMAIN_WORDS.read_text(encoding="utf-8").split():
        segmenter.add_word(word)
    return segmenter


def chinese_words(text: str) -> list[tuple[int, int]]:
    """Start and end of each word of a text, in order, without gaps."""
    return [(start, end) for _, start, end in _segmenter().tokenize(text)]
