"""Inputs of the benchmarks: real attention of a shipped checkpoint, for any number of tokens, layers and heads."""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import count

import numpy as np
import torch

from viz_core import checkpoints
from viz_core.adapters.scoring import Scoring, defer
from viz_core.analysis.batching import ExplanationQueue
from viz_core.analysis.explain import explain
from viz_core.checkpoints import Checkpoint
from viz_core.records import Explanation

TASK, MODEL = "imdb", "small"
SHORT, WIDTH = 256, 64  # tokens of a part of a long text; width of a head of random queries and keys
_REVIEW = (
    "I went to see this film on a wet Sunday afternoon without expecting very much from it.",
    "The opening scene is slow, but it tells you everything you need to know about the family.",
    "The father is played with great warmth, and you believe every word he says.",
    "His daughter, who has just come home from the city, is less convincing at first.",
    "By the middle of the story, however, she carries the whole picture on her shoulders.",
    "There is a long dinner in which nobody says what they mean, and it is the best scene in the movie.",
    "The camera stays on their faces for so long that you begin to feel like a guest at the table.",
    "Some people in the audience laughed, and I am still not sure that they were wrong.",
    "The script is not without problems, and a few of the jokes fall completely flat.",
    "I did not care for the neighbor, a character who seems to belong to another film.",
    "The music is beautiful and never tells you what you should be feeling.",
    "What I liked most is that the director trusts us to understand a look or a closed door.",
    "The second half takes place in the mountains, and the change of air does it good.",
    "There is a storm, of course, and somebody gets lost, of course, but it is done with style.",
    "I have seen the same idea in a dozen bad thrillers, and it was never this quiet or this sad.",
    "The brother turns up late and steals every minute that he is on the screen.",
    "Compared with the book, which I read last year, the ending is shorter and much less bitter.",
    "My wife thought it was far too long, and she has a point about the last twenty minutes.",
    "One of the songs is repeated so often that I never want to hear it again.",
    "The costumes and the old cars look right, although nobody makes a show of them.",
    "You will not find any great surprises here, and the trailer gives away the only secret.",
    "Still, the performances are honest, and the friendship between the two women feels real.",
    "I was bored for ten minutes, then I was moved, and at the end I wanted to call my mother.",
    "The child actor is wonderful, which is something I almost never say about a child actor.",
    "A lesser film would have punished the father, but this one lets him grow old in peace.",
    "The dialogue sounds like people talking, with all the pauses and half finished thoughts.",
    "It is a pity that the sound is so poor in the scenes by the river.",
    "Critics have called it cold, and I really do not understand what they were watching.",
    "If you need a car chase to stay awake, you should stay at home and save your money.",
    "For everybody else, this is a small and lovely film about forgiving the people you live with.",
    "I would give it eight out of ten, and I expect that I will watch it again next winter.",
    "The same director made a terrible comedy some years ago, so this came as a relief.",
    "Do not leave before the credits, because the last photograph explains the first.",
    "It may not change your life, but it treats you like an adult, and that is rare enough.",
)

_SUBJECTS = ("花呗", "借呗", "花呗账单", "借呗额度", "我的花呗", "上个月的账单")
_QUESTIONS = ("怎么还款", "为什么不能用了", "可以分期吗", "什么时候能提额", "逾期了怎么办", "能不能提前还")


@cache
def _checkpoint() -> Checkpoint:
    return checkpoints.load(TASK, MODEL)


@cache
def explanation(tokens: int, layers: int, heads: int, number: int) -> Explanation:
    """Input `number` of this size, with attention `(L, H, T, T)`; cached.

    The checkpoint has fewer layers and heads than the benchmarks need, so its attention for several texts of the same
    length is concatenated. Copies of a head would compress too well. Tokens and prediction are those of the first text.
    It reads up to 512 tokens; longer inputs are those of a language model, see `_long`.
    """
    if tokens > _checkpoint().model.config.max_tokens:
        return _long(tokens, layers, heads, number)
    config = _checkpoint().settings.config
    down, across = -(-layers // config.layers), -(-heads // config.heads)
    parts = [
        [_explain(tokens, f"{tokens} {layers} {heads} {number} {row} {column}") for column in range(across)]
        for row in range(down)
    ]
    attention = np.concatenate([np.concatenate([part.attention for part in row], axis=1) for row in parts])
    attention = np.ascontiguousarray(attention[:layers, :heads])
    attention.flags.writeable = False  # as `explain` leaves it
    return replace(parts[0][0], attention=attention)


def _long(tokens: int, layers: int, heads: int, number: int) -> Explanation:
    """A text of several reviews with causal attention of random queries and keys, computed when it is asked for."""
    count = -(-tokens // SHORT)
    parts = [_explain(SHORT, f"long {number} {part}") for part in range(count)]
    text = " ".join(part.encoding.texts[0] for part in parts)
    starts = np.cumsum([0, *(len(part.encoding.texts[0]) + 1 for part in parts)])
    arrays = {
        name: np.concatenate([getattr(part.encoding, name) for part in parts])[:tokens]
        for name in parts[0].encoding.arrays
    }
    arrays["offsets"] = np.vstack([part.encoding.offsets + s for part, s in zip(parts, starts, strict=False)])[:tokens]
    arrays["words"], arrays["special"] = np.arange(tokens), np.zeros(tokens, bool)
    names = [token for part in parts for token in part.encoding.tokens][:tokens]
    random = torch.Generator().manual_seed(number)
    mask = torch.full((1, 1, tokens, tokens), -torch.inf).triu(1)
    scorings = [
        Scoring(*(2 * torch.randn(1, heads, tokens, WIDTH, generator=random) for _ in range(2)), mask, WIDTH**-0.5)
        for _ in range(layers)
    ]
    encoding = replace(parts[0].encoding, texts=(text,), tokens=tuple(names), **arrays)
    return replace(parts[0], encoding=encoding, attention=defer(scorings), kind="causal", pooling="last")


def typed_texts(task: str, visitor: int) -> Iterator[list[str]]:
    """Texts of a task as a visitor types them, all different, those of other visitors included."""
    dice = random.Random(f"{task} {visitor}")
    for number in count(1):
        if task == "afqmc":
            yield [f"{dice.choice(_SUBJECTS)}{dice.choice(_QUESTIONS)}{visitor}号{number}次" for _ in range(2)]
        else:
            yield [" ".join([*dice.sample(_REVIEW, 3), f"Seat {visitor}, film {number}."])]


def shuffled_reviews(seed: str) -> str:
    """All sentences in an order that `seed` decides."""
    return " ".join(random.Random(seed).sample(_REVIEW, len(_REVIEW)))


def review(tokens: int, seed: str) -> str:
    """The review with its sentences shuffled by `seed`, cut to a number of tokens."""
    encoding = _checkpoint().text_encoder.encode(shuffled_reviews(seed))
    return encoding.texts[0][: encoding.offsets[tokens - 2, 1]]  # the last token is [SEP]


def _explain(tokens: int, seed: str) -> Explanation:
    explanation = explain(_checkpoint(), review(tokens, seed))
    if len(explanation.encoding.tokens) != tokens:
        raise ValueError(f"the text was cut to {len(explanation.encoding.tokens)} tokens, not {tokens}")
    return explanation


_explanations: dict[str, Explanation] = {}


def text(tokens: int, layers: int, heads: int, number: int) -> str:
    """The text of this input; `explain_text` returns its explanation from now on."""
    example = explanation(tokens, layers, heads, number)
    (review_text,) = example.encoding.texts
    _explanations[review_text] = example
    return review_text


def explain_text(queue: ExplanationQueue, checkpoint: Checkpoint, text: str, **named: object) -> Explanation:
    """Replaces `ExplanationQueue.explain`: the explanation of a text returned by `text`."""
    return _explanations[text]
