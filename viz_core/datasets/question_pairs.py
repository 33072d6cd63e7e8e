"""Further pairs of questions for AFQMC, made from its own questions.

Some pairs are similar questions, which a teacher labels (`training/teacher.py`). In the others one
word is exchanged for its opposite or for another service (`question_pairs.toml`).
"""

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd

_FILE = Path(__file__).with_suffix(".toml")
_EXCHANGES: list[list[str]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))["pairs"]
_SHARE_EXCHANGED = 0.2
_COMPARED = 6_000  # questions compared with each other; comparing all would take a quarter of an hour
_NONE, _DIFFERENT = -1, 0


def question_pairs(corpus: pd.DataFrame, count: int, random: np.random.Generator) -> pd.DataFrame:
    """Make at most `count` pairs, as columns `text`, `text_b` and `label`.

    A fifth of them have an exchanged word and are labelled different. The others are a question and
    a similar one, by TF-IDF of two and three characters, with -1 for no label.

    Args:
        corpus: Columns `text`, `text_b`.
        count: Number of pairs.
        random: Draws the pairs.
    """
    questions = np.array(sorted({*corpus["text"], *corpus["text_b"]}), object)
    exchanged = _exchange_words(questions, round(_SHARE_EXCHANGED * count), random)
    similar = _pair_with_similar(questions, count - round(_SHARE_EXCHANGED * count), random)
    frames = [
        pd.DataFrame({"text": pairs[:, 0], "text_b": pairs[:, 1], "label": label})
        for pairs, label in ((similar, _NONE), (exchanged, _DIFFERENT))
    ]
    return pd.concat(frames, ignore_index=True)


def _exchange_words(questions: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """Pairs `(N, 2)` with an exchanged word: about as many for every exchange, as far as there are any."""
    pairs = []
    exchanges = [*_EXCHANGES, *((second, first) for first, second in _EXCHANGES)]
    for word, other in exchanges:
        having = [question for question in questions if word in question and other not in question]
        rows = random.permutation(len(having))[: -(-count // len(exchanges))]
        pairs += [(having[row], having[row].replace(word, other)) for row in rows]
    return np.array(pairs, object).reshape(-1, 2)[random.permutation(len(pairs))[:count]]


def _pair_with_similar(questions: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """Pairs `(N, 2)` of a question with the most similar one of some thousand random others.

    Each question is used once, then again with others, until there are enough pairs.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer  # takes a second to load

    features = TfidfVectorizer(analyzer="char", ngram_range=(2, 3), dtype=np.float32).fit_transform(questions)
    pairs = [np.empty((0, 2), object)]
    while sum(map(len, pairs)) < count:
        for rows in np.array_split(random.permutation(len(questions)), -(-len(questions) // _COMPARED)):
            similarity = (features[rows] @ features[rows].T).toarray()
            np.fill_diagonal(similarity, -1)  # not itself
            pairs.append(np.stack([questions[rows], questions[rows[similarity.argmax(1)]]], axis=1))
    return np.concatenate(pairs)[:count]
