"""Inputs that a task makes for its teachers."""

import re

import numpy as np
import pandas as pd
import pytest

from pages.shared.tasks import BEFORE_AND_AFTER, PAGES
from viz_core.datasets.held_out import comparable
from viz_core.datasets.question_pairs import question_pairs
from viz_core.datasets.review_sentences import review_sentences
from viz_core.tasks import get_task

SEED = 0


def random(seed: int = SEED) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def labels() -> dict[str, int]:
    frame = review_sentences(pd.DataFrame(), 20_000, random())
    return dict(zip(frame["text"], frame["label"], strict=True))


@pytest.fixture(scope="module")
def sentences(labels) -> list[str]:
    return list(labels)


def test_no_sentence_is_one_of_the_behavioural_tests_or_examples(sentences):
    """Nor contains what all phrasings of the negated scene say, so that these stay unseen."""
    tests = [text for test in get_task("imdb").behavioural_tests() for text in test.texts]
    examples = [text for _, texts in PAGES["imdb"].examples for text in texts]
    scene = [text for text, _ in BEFORE_AND_AFTER.inputs]
    held_out = {comparable(text) for text in [*tests, *examples, *scene, "The film is good."]}
    parts = {comparable(part) for text in sentences for part in re.findall(r"[^.]+\.", text)}
    assert len(held_out) == 69 and not held_out & ({comparable(text) for text in sentences} | parts)
    assert not any("the film" in text.lower() for text in sentences)


def test_sentences_are_distinct_and_complete(sentences):
    assert len(set(sentences)) == len(sentences) == 20_000
    assert not any(set("{}|") & set(text) for text in sentences)
    assert all(text[0].isupper() and text.endswith(".") for text in sentences)
    assert not any(f" a {vowel}" in text for text in sentences for vowel in "aeiou" if f" a {vowel}" != " a o")


def test_negation_contrast_and_intensity_occur_with_words_of_both_kinds(sentences):
    for part in (" not ", " never ", " but ", " although ", " very ", "hardly"):
        texts = [text.lower() for text in sentences if part in f" {text.lower()}"]
        for words in ("good great excellent funny clever", "bad awful terrible dull weak"):
            assert sum(bool(set(words.split()) & set(re.findall(r"\w+", text))) for text in texts) >= 3, (part, words)


@pytest.mark.parametrize(
    "pattern, label",
    [
        (r"(It|The \w+) (is|was) (good|great|excellent|wonderful)", 1),
        (r"(It|The \w+) (is|was) (bad|awful|terrible|horrible)", 0),
        (r"(It|The \w+) (is|was) not (good|great|excellent|wonderful)( at all)?", 0),
        (r"(It|The \w+) (isn't|wasn't|is never) (bad|awful|terrible|horrible)", 1),
        (r".* is neither (excellent|good|great|funny|moving) nor (boring|awful|dull|silly|weak)", -1),
        (r".* is (good|great|funny|superb|clever|moving), but .* is (bad|dull|weak|lame|silly|awful)", 0),
        (r".* is (bad|dull|weak|lame|silly|awful), but .* is (good|great|funny|superb|clever|moving)", 1),
        (r"Although .* is (good|great|funny|clever), I (hated|disliked|did not like) it", 0),
        (r"Although .* is \w+, I did not mind it", 1),
        (r"(I was not|You will never be) (bored|disappointed)", 1),
        (r"I (did not|didn't|could not) (like|love|enjoy) .*", 0),
        (r".* is (hardly|barely|seldom|never) (bad|awful|boring)", 1),
        (r".* is (very|really|extremely) (bad|awful|boring)", 0),
    ],
)
def test_a_label_follows_from_the_template(labels, pattern, label):
    matching = {
        text: value for text, value in labels.items() if re.fullmatch(rf"{pattern}\.", text) and "." not in text[:-1]
    }
    assert matching and set(matching.values()) == {label}, matching


def test_two_sentences_that_disagree_have_no_label(labels):
    singles = {text: label for text, label in labels.items() if "." not in text[:-1]}
    assert set(singles.values()) == {-1, 0, 1} and 0.4 < np.mean([label == 1 for label in singles.values()]) < 0.6
    pairs = [
        (text.split(". ", 1), label) for text, label in labels.items() if re.fullmatch(r"[^.]+\. [A-Z][^.]+\.", text)
    ]
    known = [(singles[f"{a}."], singles[b], label) for (a, b), label in pairs if f"{a}." in singles and b in singles]
    assert {label for a, b, label in known if a != b} == {-1}
    assert all(label == a for a, b, label in known if a == b)


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
    frame = get_task("afqmc").read("train", "sample")
    pairs = question_pairs(frame, 400, random())
    assert 300 < len(pairs) <= 400 and set(pairs["label"]) == {0, -1}
    held_out = {test.texts for test in get_task("afqmc").behavioural_tests()}
    held_out |= {tuple(texts) for _, texts in PAGES["afqmc"].examples}
    assert not held_out & set(zip(pairs["text"], pairs["text_b"], strict=True))
