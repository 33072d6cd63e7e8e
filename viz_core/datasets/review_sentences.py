"""Short sentences about films, made from templates: negation, contrast and intensity, which reviews of hundreds of
words rarely show by themselves. Nobody has labelled them; a teacher does (`training/teacher.py`).

No sentence says "the film", which those of the behavioural tests and of the pages do: none of them can be made.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

_SUBJECTS = """this film|this movie|the movie|it|the acting|the plot|the story|the script|the ending|the cast|
the dialogue|the music|the pace|the direction|the writing|the humor|the first half|the second half|the opening|
the main character|the leading man|the leading lady|the camera work|the atmosphere|the soundtrack|the whole thing"""
_GOOD = """good|great|excellent|wonderful|superb|brilliant|fantastic|funny|hilarious|clever|smart|witty|moving|touching|
charming|exciting|gripping|beautiful|fascinating|original|fresh|powerful|convincing|believable|enjoyable|entertaining|
interesting|memorable|impressive|perfect|amazing|delightful|intelligent|subtle|outstanding"""
_BAD = """bad|awful|terrible|horrible|boring|dull|stupid|silly|weak|lame|flat|predictable|tedious|poor|cheap|pointless|
ridiculous|pathetic|annoying|ugly|slow|confusing|unconvincing|forgettable|disappointing|dreadful|lifeless|clumsy|shallow|
tiresome|worthless|mediocre|stale|unfunny|laughable"""
_ADVERBS = """very|really|so|quite|rather|extremely|incredibly|truly|absolutely|completely|totally|surprisingly|
slightly|a bit|a little|somewhat|mildly|hardly|barely|almost|fairly|pretty|awfully|terribly|painfully|wonderfully|
remarkably|unbelievably|simply|hopelessly|deeply|nearly always|rarely|seldom|always"""
_LIKE = "like|love|enjoy|recommend|admire|forget|hate|regret|dislike|mind"
_LIKED = "liked|loved|enjoyed|admired|hated|disliked|could not stand|could have done without|did not like|did not mind"
_FELT = """bored|disappointed|annoyed|confused|irritated|tired|moved|impressed|entertained|amused|touched|excited|
fascinated|delighted|charmed"""
_THINGS = "movie|story|comedy|thriller|drama|picture|performance|script|ending|scene|idea|show"
_SLOTS = {
    name: " ".join(words.split()).replace("| ", "|").split("|")
    for name, words in {
        "subject": _SUBJECTS,
        "word": f"{_GOOD}|{_BAD}",
        "good": _GOOD,
        "bad": _BAD,
        "adverb": _ADVERBS,
        "like": _LIKE,
        "liked": _LIKED,
        "felt": _FELT,
        "thing": _THINGS,
    }.items()
}
_STATEMENTS = (
    "{subject} is {word}",
    "{subject} was {word}",
    "a {word} {thing}",
    "{word} and {word}",
    "I {liked} {subject}",
    "I was {felt}",
)
_NEGATIONS = (
    "{subject} is not {word}",
    "{subject} isn't {word}",
    "{subject} was not {word} at all",
    "{subject} wasn't {word}",
    "{subject} is never {word}",
    "{subject} is not even {word}",
    "{subject} is not {adverb} {word}",
    "{subject} is neither {word} nor {word}",
    "{subject} is not {word}, it is {word}",
    "{subject} is far from {word}",
    "{subject} is anything but {word}",
    "not a {word} {thing}",
    "not {word}, not {word}",
    "not one {word} {thing}",
    "I do not find {subject} {word}",
    "I don't think {subject} is {word}",
    "I would not call {subject} {word}",
    "nothing about {subject} is {word}",
    "nobody can say that {subject} is {word}",
    "there is nothing {word} here",
    "there is no {word} {thing} in it",
    "there was never a {word} moment",
    "I did not {like} {subject}",
    "I didn't {like} {subject} at all",
    "I could not {like} {subject}",
    "nobody will {like} {subject}",
    "I was not {felt}",
    "I was never {felt}",
    "you will not be {felt}",
    "without being {word}, {subject} is {word}",
)
_CONTRASTS = (
    "{subject} is {good}, but {subject} is {bad}",
    "{subject} is {bad}, but {subject} is {good}",
    "{good} at first, but {bad} in the end",
    "{bad} at first, but {good} in the end",
    "although {subject} is {bad}, I {liked} it",
    "although {subject} is {good}, I {liked} it",
    "{subject} may be {good}, yet {subject} is {bad}",
    "{subject} may be {bad}, yet {subject} is {good}",
    "{subject} is {good}. however, {subject} is {bad}",
    "{subject} is {bad}. however, {subject} is {good}",
    "despite a {bad} {thing}, {subject} is {good}",
    "despite a {good} {thing}, {subject} is {bad}",
    "I expected a {good} {thing} and got a {bad} one",
    "I expected a {bad} {thing} and got a {good} one",
    "{subject} starts {good} and ends {bad}",
    "{subject} starts {bad} and ends {good}",
    "{subject} is {good}. that does not make up for a {bad} {thing}",
    "apart from a {bad} {thing}, everything is {good}",
    "apart from a {good} {thing}, everything is {bad}",
)
_INTENSITIES = (
    "{subject} is {adverb} {word}",
    "{subject} was {adverb} {word}",
    "{adverb} {word}",
    "{adverb} {word} and {adverb} {word}",
    "what a {word} {thing}",
    "such a {word} {thing}",
    "{subject} could not be more {word}",
    "{subject} is as {word} as can be",
    "{subject} is too {word} for me",
    "the most {word} {thing} of the year",
    "I was {adverb} {felt}",
)
_FAMILIES = (_STATEMENTS, _NEGATIONS, _NEGATIONS, _CONTRASTS, _INTENSITIES)  # negations twice as often
_SECOND = 0.3  # share that is followed by another sentence


def review_sentences(corpus: pd.DataFrame, count: int, random: np.random.Generator) -> pd.DataFrame:
    """`count` distinct sentences, or pairs of them, in a column `text`. The corpus is not read: a `Task.augmentation`
    is given one."""
    sentences: dict[str, None] = {}
    while len(sentences) < count:
        parts = 1 + (random.random() < _SECOND)
        sentences[" ".join(_sentence(random) for _ in range(parts))] = None
    return pd.DataFrame({"text": list(sentences)}, dtype=str)


def _sentence(random: np.random.Generator) -> str:
    words = _pick(_pick(_FAMILIES, random), random)
    for name, values in _SLOTS.items():
        while (slot := f"{{{name}}}") in words:
            words = words.replace(slot, _pick(values, random), 1)
    words = words.split()
    articles = [
        "an" if word == "a" and following[0] in "aeiou" else word
        for word, following in zip(words, words[1:], strict=False)
    ]
    text = " ".join([*articles, words[-1]])
    return f"{text[0].upper()}{text[1:]}."


def _pick(values: Sequence, random: np.random.Generator) -> str | Sequence[str]:
    return values[random.integers(len(values))]
