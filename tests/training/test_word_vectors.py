"""Embeddings that start as word vectors."""

import numpy as np
import pytest
import torch
from torch import nn

from tests.training.tiny import train_tiny, training
from viz_core import checkpoints
from viz_core.recipes import Recipe
from viz_core.records import Failure
from viz_core.training.settings import TrainingSettings
from viz_core.training.word_vectors import start_from_word_vectors, train_word_vectors

CLS, SEP = 2, 3
# 4 and 5 have the same neighbours (10 to 29), 6 has others (40 to 59); 70 occurs once.
_RANDOM = np.random.default_rng(0)
TEXTS = [
    np.array([CLS, *_RANDOM.choice(neighbours, 3), word, *_RANDOM.choice(neighbours, 3), SEP])
    for _ in range(60)
    for word, neighbours in ((4, range(10, 30)), (5, range(10, 30)), (6, range(40, 60)))
] + [np.array([CLS, 70, SEP])]
REPEATED = [4, 5, 6, *range(10, 30), *range(40, 60)]


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_words_with_the_same_neighbours_have_similar_vectors():
    ids, vectors = train_word_vectors(TEXTS, 16, seed=0)
    assert ids.tolist() == REPEATED  # neither special tokens nor the rare one
    centred = vectors - vectors.mean(0)
    assert cosine(centred[0], centred[1]) > 0 > cosine(centred[0], centred[2])


def test_a_seed_gives_the_same_vectors():
    (_, first), (_, again), (_, other) = (train_word_vectors(TEXTS, 8, seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_the_rows_of_words_are_replaced_at_the_same_spread():
    torch.manual_seed(0)
    embedding = nn.Embedding(80, 16)
    before = embedding.weight.detach().clone()
    start_from_word_vectors(embedding, TEXTS, seed=0)
    rest = [row for row in range(80) if row not in REPEATED]
    assert torch.equal(embedding.weight[rest], before[rest])
    assert float(embedding.weight.detach()[REPEATED].std()) == pytest.approx(float(before.std()), rel=0.01)


def test_texts_without_a_repeated_word_change_nothing():
    embedding = nn.Embedding(8, 4)
    before = embedding.weight.detach().clone()
    start_from_word_vectors(embedding, [np.array([CLS, 4, 5, SEP])], seed=0)
    assert torch.equal(embedding.weight, before)


def test_units_are_those_that_the_task_has():
    assert TrainingSettings("thucnews", recipe={"units": "words"}).training().recipe.units == "words"
    with pytest.raises(ValueError, match="units='words'.*imdb"):
        training("imdb", Recipe(units="words"))


def test_a_model_without_embeddings_cannot_start_from_word_vectors():
    with pytest.raises(Failure) as error:
        TrainingSettings("thucnews", "tfidf", recipe={"embeddings": "skipgram"})
    assert "embeddings='skipgram' has no use: a tfidf model has no embeddings" in str(
        error.value.message.values["reason"]
    )


@pytest.mark.slow
def test_a_training_on_words_that_start_as_word_vectors(tmp_path):
    trainer, done = train_tiny(tmp_path, task="thucnews", units="words", embeddings="skipgram")
    saved = checkpoints.load_folder(trainer.best, "thucnews")
    tokens = saved.text_encoder.encode("公司的基金").tokens
    assert done and tokens == ("[CLS]", "公司", "的", "基金", "[SEP]")
    assert saved.metrics.entries["recipe"]["units"] == "words"
