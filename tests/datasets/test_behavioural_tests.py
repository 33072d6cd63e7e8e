"""The texts that probe one thing each: their form. What a model answers to them is nobody's duty."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from pages.shared.tasks import PAGES
from viz_core import checkpoints
from viz_core.language import LANGUAGES, catalogue
from viz_core.records import BehaviouralTest
from viz_core.tasks import TASKS

CATEGORIES = {
    "imdb": ["negation", "contrast", "intensity", "sarcasm", "comparison", "entities"],
    "afqmc": ["synonym", "order", "number", "negation", "overlap", "noise"],
}


@pytest.fixture(params=list(CATEGORIES))
def task(request):
    return TASKS[request.param]


def plain(text: str) -> str:
    """Letters and digits alone, in lower case, as the tokenizers see them."""
    return " ".join(re.findall(r"\w+", text.lower()))


def overlap(probe: BehaviouralTest) -> float:
    """Characters that both texts of a pair have, of those that either has, each as often as it occurs."""
    one, other = (Counter(plain(text)) for text in probe.texts)
    return (one & other).total() / (one | other).total()


def test_about_sixty_by_category_one_after_the_other(task):
    probes = task.behavioural_tests()
    assert len(probes) == 60
    assert list(dict.fromkeys(probe.category for probe in probes)) == CATEGORIES[task.name]
    assert [probe.category for probe in probes] == sorted(
        (probe.category for probe in probes), key=CATEGORIES[task.name].index
    )


def test_each_category_is_balanced_so_that_one_answer_for_all_is_right_for_half(task):
    answers = Counter((probe.category, probe.expected) for probe in task.behavioural_tests())
    assert answers == {(category, label): 5 for category in CATEGORIES[task.name] for label in task.labels}


def test_as_many_texts_as_the_task_reads_and_none_is_blank(task):
    for probe in task.behavioural_tests():
        assert len(probe.texts) == 1 + task.pair and all(text == text.strip() != "" for text in probe.texts)
        assert task.pair or 1 <= len(re.findall(r"[.?!](?:\s|$)", probe.texts[0])) <= 3


def test_nothing_occurs_twice_nor_in_the_sample_or_the_gallery(task):
    probes = [tuple(map(plain, probe.texts)) for probe in task.behavioural_tests()]
    turned = {texts[::-1] for texts in probes} if task.pair else set()
    assert len(set(probes)) == len(probes) and not turned & set(probes)
    assert all(len(set(texts)) == len(texts) for texts in probes), "a pair of the same text twice probes nothing"
    shown = {tuple(map(plain, texts)) for _, texts in PAGES[task.name].examples}
    columns = ["text", "text_b"][: 1 + task.pair]
    sample = {
        tuple(map(plain, row))
        for split in ("train", "validation", "test")
        for row in task.read(split, "sample")[columns].itertuples(index=False)
    }
    assert not (set(probes) | turned) & (shown | sample)


def test_the_shipped_models_know_every_token_and_read_to_the_end(task):
    for info in checkpoints.usable(task.name, checkpoints.FOLDER):
        text = checkpoints.load(task.name, info.name, checkpoints.FOLDER).text
        for probe in task.behavioural_tests():
            assert not text.encode(*probe.texts).notices, probe.texts


def test_overlap_misleads_where_it_is_said_to():
    """Of the pairs of this category those that mean the same have less in common than any that do not."""
    probes = [probe for probe in TASKS["afqmc"].behavioural_tests() if probe.category == "overlap"]
    shares = {label: [overlap(probe) for probe in probes if probe.expected == label] for label in ("same", "different")}
    assert max(shares["same"]) < 0.3 and min(shares["different"]) > 0.55


def test_numbers_are_what_differs_in_the_pairs_about_numbers():
    amounts = re.compile(r"[0-9一两]+(?:天|个月|期|号|万|笔)")
    for probe in TASKS["afqmc"].behavioural_tests():
        if probe.category == "number" and probe.expected == "different":
            assert len({amounts.sub("#", text) for text in probe.texts}) == 1, probe.texts


def test_every_category_has_a_name_in_both_languages(task):
    for category in (*CATEGORIES[task.name], "all"):
        assert all(f"behaviour.category_{category}" in catalogue(language) for language in LANGUAGES)


def test_a_task_that_nobody_wrote_any_for_has_none():
    assert replace(TASKS["imdb"], behavioural_test_file=None).behavioural_tests() == ()


@pytest.mark.real
def test_no_review_takes_a_sentence_from_the_corpus():
    """Sentences of four words or more; shorter ones are anybody's."""
    corpus = "\n".join(
        plain(text)
        for split in ("train", "validation", "test", "unlabelled")
        for text in TASKS["imdb"].read(split)["text"]
    )
    sentences = [
        plain(sentence) for probe in TASKS["imdb"].behavioural_tests() for sentence in re.split(r"(?<=[.?!])\s", probe.texts[0])
    ]
    assert [one for one in sentences if len(one.split()) >= 4 and one in corpus] == []


@pytest.mark.real
def test_no_question_is_one_of_the_corpus():
    frames = [TASKS["afqmc"].read(split) for split in ("train", "validation", "test", "unlabelled")]
    corpus = {plain(text) for frame in frames for text in np.ravel(frame[["text", "text_b"]])}
    assert [text for probe in TASKS["afqmc"].behavioural_tests() for text in probe.texts if plain(text) in corpus] == []
