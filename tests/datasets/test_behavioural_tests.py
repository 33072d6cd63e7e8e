"""The form of the behavioural tests; no model has to pass them."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from pages.shared.tasks import PAGES
from viz_core import checkpoints
from viz_core.language import LANGUAGES, catalogue
from viz_core.records import BehaviouralTest
from viz_core.tasks import get_task

CATEGORIES = {
    "imdb": ["negation", "contrast", "intensity", "sarcasm", "comparison", "entities"],
    "afqmc": ["synonym", "order", "number", "negation", "overlap", "noise"],
    "thucnews": ["polysemy", "setting", "keywordless", "entities", "number", "noise"],
}


@pytest.fixture(params=list(CATEGORIES))
def task(request):
    return get_task(request.param)


def plain(text: str) -> str:
    """Only letters and digits, in lower case, as the tokenizers see them."""
    return " ".join(re.findall(r"\w+", text.lower()))


def overlap(test: BehaviouralTest) -> float:
    """Jaccard similarity of the characters of both texts, as multisets."""
    first, second = (Counter(plain(text)) for text in test.texts)
    return (first & second).total() / (first | second).total()


def test_there_are_sixty_ordered_by_category(task):
    tests = task.behavioural_tests()
    assert len(tests) == 60
    assert list(dict.fromkeys(test.category for test in tests)) == CATEGORIES[task.name]
    assert [test.category for test in tests] == sorted(
        (test.category for test in tests), key=CATEGORIES[task.name].index
    )


def test_each_category_is_balanced(task):
    counts = Counter((test.category, test.expected) for test in task.behavioural_tests())
    assert counts == {
        (category, label): 10 // len(task.labels) for category in CATEGORIES[task.name] for label in task.labels
    }


def test_texts_match_the_task_and_are_not_blank(task):
    for test in task.behavioural_tests():
        assert len(test.texts) == 1 + task.pair and all(text == text.strip() != "" for text in test.texts)
        assert task.name != "imdb" or 1 <= len(re.findall(r"[.?!](?:\s|$)", test.texts[0])) <= 3


def test_no_text_is_repeated_or_occurs_in_the_sample_or_the_examples(task):
    inputs = [tuple(map(plain, test.texts)) for test in task.behavioural_tests()]
    swapped = {texts[::-1] for texts in inputs} if task.pair else set()
    assert len(set(inputs)) == len(inputs) and not swapped & set(inputs)
    assert all(len(set(texts)) == len(texts) for texts in inputs), "a pair of identical texts tests nothing"
    examples = {tuple(map(plain, texts)) for _, texts in PAGES[task.name].examples}
    columns = ["text", "text_b"][: 1 + task.pair]
    sample = {
        tuple(map(plain, row))
        for split in ("train", "validation", "test")
        for row in task.read(split, "sample")[columns].itertuples(index=False)
    }
    assert not (set(inputs) | swapped) & (examples | sample)


@pytest.mark.slow
def test_for_the_shipped_models_no_token_is_unknown_or_truncated(task):
    """Not those that read whole words, many of which are rare."""
    for info in checkpoints.task_checkpoints(task.name, checkpoints.FOLDER):
        if info.name == "small-words":
            continue
        text_encoder = checkpoints.load(task.name, info.name, checkpoints.FOLDER).text_encoder
        for test in task.behavioural_tests():
            assert not text_encoder.encode(*test.texts).notices, test.texts


def test_overlap_is_misleading_in_its_category():
    """Pairs with the same meaning have fewer common characters than pairs with different meanings."""
    tests = [test for test in get_task("afqmc").behavioural_tests() if test.category == "overlap"]
    shares = {label: [overlap(test) for test in tests if test.expected == label] for label in ("same", "different")}
    assert max(shares["same"]) < 0.3 and min(shares["different"]) > 0.55


def test_pairs_about_numbers_differ_only_in_numbers():
    amounts = re.compile(r"[0-9一两]+(?:天|个月|期|号|万|笔)")
    for test in get_task("afqmc").behavioural_tests():
        if test.category == "number" and test.expected == "different":
            assert len({amounts.sub("#", text) for text in test.texts}) == 1, test.texts


def test_every_category_has_a_name_in_both_languages(task):
    for category in (*CATEGORIES[task.name], "all"):
        assert all(f"behaviour.category_{category}" in catalogue(language) for language in LANGUAGES)


def test_a_task_without_a_file_has_no_behavioural_tests():
    assert replace(get_task("imdb"), behavioural_test_file=None).behavioural_tests() == ()


@pytest.mark.real
def test_no_review_has_a_sentence_of_the_corpus():
    """Sentences of at least four words; shorter ones may coincide."""
    corpus = "\n".join(
        plain(text)
        for split in ("train", "validation", "test", "unlabelled")
        for text in get_task("imdb").read(split)["text"]
    )
    sentences = [
        plain(sentence)
        for test in get_task("imdb").behavioural_tests()
        for sentence in re.split(r"(?<=[.?!])\s", test.texts[0])
    ]
    assert [sentence for sentence in sentences if len(sentence.split()) >= 4 and sentence in corpus] == []


@pytest.mark.real
def test_no_question_occurs_in_the_corpus():
    frames = [get_task("afqmc").read(split) for split in ("train", "validation", "test", "unlabelled")]
    corpus = {plain(text) for frame in frames for text in np.ravel(frame[["text", "text_b"]])}
    assert [
        text for test in get_task("afqmc").behavioural_tests() for text in test.texts if plain(text) in corpus
    ] == []
