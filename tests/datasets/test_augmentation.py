"""Inputs that a task makes for its teachers."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from pages.shared.tasks import PAGES
from viz_core.datasets.held_out import comparable
from viz_core.datasets.question_pairs import question_pairs
from viz_core.datasets.review_sentences import review_sentences
from viz_core.tasks import TASKS

SEED = 0


def random(seed: int = SEED) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    return list(review_sentences(pd.DataFrame(), 20_000, random())["text"])


def test_no_sentence_is_one_of_the_behavioural_tests_or_examples(sentences):
    """Nor contains what all phrasings of the negated scene say, so that these stay unseen."""
    tests = [text for test in TASKS["imdb"].behavioural_tests() for text in test.texts]
    examples = [text for _, texts in PAGES["imdb"].examples for text in texts]
    held_out = {comparable(text) for text in [*tests, *examples, "The film is good.", "Not bad at all."]}
    assert len(held_out) == 67 and not held_out & {comparable(text) for text in sentences}
    assert not any("the film" in text.lower() for text in sentences)


def test_sentences_are_distinct_and_complete(sentences):
    assert len(set(sentences)) == len(sentences) == 20_000
    assert not any(set("{}|") & set(text) for text in sentences)
    assert all(text[0].isupper() and text.endswith(".") for text in sentences)
    assert not any(f" a {vowel}" in text for text in sentences for vowel in "aeiou" if f" a {vowel}" != " a o")


def test_negation_contrast_and_intensity_occur_with_words_of_both_kinds(sentences):
    for part in (" not ", " never ", " but ", " although ", " very ", "hardly"):
        texts = [text.lower() for text in sentences if part in f" {text.lower()}"]
        for words in ("good great excellent", "bad awful terrible"):
            assert sum(bool(set(words.split()) & set(re.findall(r"\w+", text))) for text in texts) >= 3, (part, words)


def test_the_seed_determines_the_sentences():
    first, same, other = (list(review_sentences(pd.DataFrame(), 30, random(seed))["text"]) for seed in (1, 1, 2))
    assert first == same != other


def test_an_exchanged_word_by_hand():
    """Only one word of the list is in either question: opening becomes closing, and the other way round."""
    corpus = pd.DataFrame({"text": ["怎么打开"], "text_b": ["如何关闭"]})
    pairs = question_pairs(corpus, 20, random())
    exchanged = pairs[pairs["label"] == 0]
    changes = set(zip(exchanged["text"], exchanged["text_b"], strict=True))
    assert changes <= {
        ("怎么打开", "怎么关闭"),
        ("如何关闭", "如何打开"),
        ("如何关闭", "如何开通"),
        ("如何关闭", "如何开启"),
    }
    assert ("怎么打开", "怎么关闭") in changes


def test_a_similar_question_by_hand():
    """Each has one other that shares two characters in a row."""
    corpus = pd.DataFrame({"text": ["花呗提额", "余额多少"], "text_b": ["花呗分期", "余额转出"]})
    pairs = question_pairs(corpus, 5, random())
    similar = pairs[pairs["label"] == -1]
    assert len(similar) == 4 and set(similar["text"]) == {"花呗提额", "余额多少", "花呗分期", "余额转出"}
    assert all(text[:2] == text_b[:2] and text != text_b for text, text_b in similar[["text", "text_b"]].to_numpy())


def test_no_pair_is_one_of_the_behavioural_tests_or_examples():
    frame = TASKS["afqmc"].read("train", "sample")
    pairs = question_pairs(frame, 400, random())
    assert 300 < len(pairs) <= 400 and set(pairs["label"]) == {0, -1}
    held_out = {test.texts for test in TASKS["afqmc"].behavioural_tests()}
    held_out |= {tuple(texts) for _, texts in PAGES["afqmc"].examples}
    assert not held_out & set(zip(pairs["text"], pairs["text_b"], strict=True))
