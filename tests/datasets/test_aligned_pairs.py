"""The sentence pairs aligned by hand: their form, and that tokenizers of the task cut them at the borders of words."""

import json

import pandas as pd
import pytest

from viz_core.datasets import aligned_pairs
from viz_core.datasets.aligned_pairs import read_aligned_pairs
from viz_core.datasets.held_out import comparable
from viz_core.tasks import TRANSLATION, all_tasks

TASKS = pytest.mark.parametrize("task", all_tasks(TRANSLATION).values(), ids=list(all_tasks(TRANSLATION)))
# A comma between clauses that the translation joins without a mark.
UNALIGNED = {"，"}


def sentences(task, side: str) -> list[str]:
    """One side of all pairs, without the spaces of Chinese."""
    return [("" if side == "source" else " ").join(getattr(pair, side)) for pair in task.aligned_pairs()]


def test_a_line_is_a_pair_with_sure_and_possible_links(tmp_path, monkeypatch):
    row = {"source": "我 没有 书 。", "target": "I have no books .", "links": "0-0 1-1 1-2 2-3 3-4 1p3"}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    monkeypatch.setattr(aligned_pairs, "FOLDER", tmp_path)
    (pair,) = read_aligned_pairs("pairs.jsonl")
    assert pair.source == ("我", "没有", "书", "。") and pair.target == ("I", "have", "no", "books", ".")
    assert pair.sure == {(0, 0), (1, 1), (1, 2), (2, 3), (3, 4)}
    assert pair.possible == pair.sure | {(1, 3)}


@pytest.mark.parametrize("links, word", [("0-0 1-9", "1-9"), ("5-0", "5-0"), ("0-0 0p0", "0p0"), ("0:0", "0:0")])
def test_links_that_are_none_are_refused_with_their_line(tmp_path, monkeypatch, links, word):
    good = {"source": "我 。", "target": "I .", "links": "0-0"}
    lines = [json.dumps(row) + "\n" for row in (good, {**good, "links": links})]
    file = f"bad{len(links)}{links[0]}.jsonl"
    (tmp_path / file).write_text("".join(lines), encoding="utf-8")
    monkeypatch.setattr(aligned_pairs, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=f"line 2.*{word}"):
        read_aligned_pairs(file)


@TASKS
def test_there_are_sixty_and_no_sentence_twice(task):
    assert len(task.aligned_pairs()) == 60
    for side in ("source", "target"):
        assert len({comparable(text) for text in sentences(task, side)}) == 60


@TASKS
def test_every_word_is_linked_but_for_commas(task):
    for pair in task.aligned_pairs():
        assert pair.sure < pair.possible or pair.sure == pair.possible
        for words, side in ((pair.source, 0), (pair.target, 1)):
            linked = {link[side] for link in pair.possible}
            assert {words[number] for number in set(range(len(words))) - linked} <= UNALIGNED, pair


@TASKS
def test_most_links_are_sure_and_a_word_has_few_of_them(task):
    sure, possible = (sum(len(getattr(pair, kind)) for pair in task.aligned_pairs()) for kind in ("sure", "possible"))
    assert 0.5 < sure / possible < 0.8
    for pair in task.aligned_pairs():
        for side in (0, 1):
            linked = [link[side] for link in pair.sure]
            assert max(map(linked.count, linked)) <= 2, pair


@TASKS
def test_a_tokenizer_of_the_task_cuts_them_at_the_borders_of_words(task):
    """Chinese words into their characters; English words and marks are tokens."""
    texts = [*sentences(task, "source"), *sentences(task, "target")]
    encoder = task.text_encoder(task.build_tokenizer(texts * 2, task.max_tokens))
    for pair in task.aligned_pairs():
        source, target = (encoder.encode(" ".join(side)) for side in (pair.source, pair.target))
        assert source.tokens[1:-1] == tuple("".join(pair.source))
        assert target.tokens[1:-1] == tuple(word.lower() for word in pair.target)
        assert source.tokens == encoder.encode("".join(pair.source)).tokens, "spaces change nothing"


@TASKS
def test_no_sentence_is_in_the_sample(task):
    sample = pd.concat(task.read(split, "sample") for split in ("train", "validation", "test"))
    for side, column in (("source", "text"), ("target", "text_b")):
        assert not {comparable(text) for text in sentences(task, side)} & set(sample[column].map(comparable))
