"""Word vectors to start from: skip-gram with negative sampling, trained on the training texts alone.

Mikolov et al. 2013, "Distributed representations of words and phrases and their compositionality",
sections 2 and 2.2.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

WINDOW, NEGATIVE, EPOCHS = 5, 10, 20  # tokens on each side; random tokens per real one; passes over the texts
MIN_COUNT = 2  # occurrences that a token needs to get a vector


def start_from_word_vectors(embedding: nn.Embedding, texts: Sequence[np.ndarray], seed: int) -> None:
    """Replace the rows of the tokens that have a vector, in place.

    The vectors are scaled to the spread of the random rows that they replace, so that the learning
    rate means the same to both.

    Args:
        embedding: `(vocabulary, D)`.
        texts: Ids `[CLS] … [SEP]`.
        seed: For the word vectors.
    """
    ids, vectors = train_word_vectors(texts, embedding.embedding_dim, seed)
    if len(ids):
        with torch.no_grad():
            scaled = torch.from_numpy(vectors * (float(embedding.weight.std()) / vectors.std()))
            embedding.weight[torch.from_numpy(ids)] = scaled.to(embedding.weight)


def train_word_vectors(texts: Sequence[np.ndarray], width: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Train vectors for the tokens between [CLS] and [SEP] that occur at least MIN_COUNT times.

    In one thread, so that a seed gives the same vectors.

    Returns:
        Ids `(K,)` in ascending order, and vectors `(K, width)`.
    """
    from gensim.models import Word2Vec

    sentences = [list(map(str, row[1:-1].tolist())) for row in texts]
    model = Word2Vec(
        vector_size=width, window=WINDOW, negative=NEGATIVE, sg=1, min_count=MIN_COUNT, seed=seed, workers=1
    )
    model.build_vocab(sentences)
    ids = np.array(sorted(map(int, model.wv.key_to_index)), np.int64)
    if not len(ids):
        return ids, np.empty((0, width), np.float32)
    model.train(sentences, total_examples=model.corpus_count, epochs=EPOCHS)
    return ids, model.wv[[str(number) for number in ids.tolist()]]
