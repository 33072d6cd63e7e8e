"""Short sentences about films, made from templates: negation, contrast and intensity, which reviews of hundreds of
words rarely show by themselves. A template says how the polarity of a sentence follows from that of one of its words;
where it does not, a teacher alone decides (`training/teacher.py`).

None is a behavioural test or a sentence of the pages, and no sentence says "the film", as many of those do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

_SUBJECTS = """this film|this movie|the movie|it|the acting|the plot|the story|the script|the ending|the cast|
the dialogue|the music|the pace|the direction|the writing|the humor|the first half|the second half|the opening|
the main character|the leading man|the leading lady|the camera work|the atmosphere|the soundtrack|the whole thing"""
_GOOD = """good|great|excellent|wonderful|superb|brilliant|fantastic|funny|hilarious|clever|smart|witty|moving|touching|
charming|exciting|gripping|beautiful|fascinating|original|fresh|powerful|convincing|believable|enjoyable|entertaining|
interesting|memorable|impressive|perfect|amazing|delightful|intelligent|subtle|outstanding|thrilling|stunning|engaging|
inspired|magnificent|marvelous|terrific|likable|watchable|worthwhile|satisfying|imaginative|inventive|suspenseful|
thoughtful|remarkable|lovely|elegant|masterful|captivating|refreshing"""
_BAD = """bad|awful|terrible|horrible|boring|dull|stupid|silly|weak|lame|flat|predictable|tedious|poor|cheap|pointless|
ridiculous|pathetic|annoying|ugly|slow|confusing|unconvincing|forgettable|disappointing|dreadful|lifeless|clumsy|shallow|
tiresome|worthless|mediocre|stale|unfunny|laughable|bland|contrived|unbearable|unwatchable|atrocious|appalling|idiotic|
messy|incoherent|pretentious|wooden|dreary|lousy|uninspired|unoriginal|irritating|sloppy|insulting|empty|absurd|
overlong|amateurish"""
_INTENSIFIERS = """very|really|so|quite|rather|extremely|incredibly|truly|absolutely|completely|totally|surprisingly|
slightly|a bit|a little|somewhat|fairly|pretty|awfully|terribly|wonderfully|remarkably|unbelievably|simply|deeply|
always"""
_REVERSERS = "hardly|barely|rarely|seldom|never|scarcely|by no means|not in the least"
_LIKE = "like|love|enjoy|recommend|admire|appreciate"
_HATE = "hate|regret|dislike|despise"
_LIKED = "liked|loved|enjoyed|admired|adored|did not mind"
_HATED = "hated|disliked|despised|could not stand|could have done without|did not like"
_PLEASED = "moved|impressed|entertained|amused|touched|excited|fascinated|delighted|charmed|thrilled"
_DISPLEASED = "bored|disappointed|annoyed|confused|irritated|tired|disgusted|embarrassed"
_THINGS = "movie|story|comedy|thriller|drama|picture|performance|script|ending|scene|idea|show|plot|cast|line|joke"


def _words(listed: str) -> list[str]:
    return " ".join(listed.split()).replace("| ", "|").split("|")


_SLOTS = {
    name: _words(listed)
    for name, listed in {
        "subject": _SUBJECTS,
        "word": f"{_GOOD}|{_BAD}",
        "good": _GOOD,
        "bad": _BAD,
        "adverb": _INTENSIFIERS,
        "hardly": _REVERSERS,
        "like": f"{_LIKE}|{_HATE}",
        "liked": f"{_LIKED}|{_HATED}",
        "felt": f"{_PLEASED}|{_DISPLEASED}",
        "thing": _THINGS,
    }.items()
}
_FAVOURABLE = {*_words(_GOOD), *_words(_LIKE), *_words(_LIKED), *_words(_PLEASED)}

# {+word}: the sentence has the polarity of this word; {-word}: the opposite one. Without either it has no label.
_STATEMENTS = (
    "{subject} is {+word}",
    "{subject} was {+word}",
    "a {+word} {thing}",
    "{+good} and {good}",
    "{+bad} and {bad}",
    "{good} and {bad}",
    "{bad} and {good}",
    "I {+liked} {subject}",
    "I was {+felt}",
)
_NEGATIONS = (
    "{subject} is not {-word}",
    "{subject} isn't {-word}",
    "{subject} was not {-word} at all",
    "{subject} isn't {-word} at all",
    "{subject} wasn't {-word}",
    "{subject} is never {-word}",
    "{subject} is not even {-good}",
    "{subject} is not {adverb} {-word}",
    "{subject} is neither {-good} nor {good}",
    "{subject} is neither {-bad} nor {bad}",
    "{subject} is neither {good} nor {bad}",
    "{subject} is not {-good}, it is {bad}",
    "{subject} is not {-bad}, it is {good}",
    "{subject} is far from {-word}",
    "{subject} is anything but {-word}",
    "not a {-word} {thing}",
    "this is not a {-word} {thing}",
    "not at all {-word}",
    "not {-good}, not {good}",
    "not {-bad}, not {bad}",
    "not one {-word} {thing}",
    "I do not find {subject} {-word}",
    "I don't think {subject} is {-word}",
    "I would not call {subject} {-word}",
    "nothing about {subject} is {-word}",
    "nobody can say that {subject} is {-word}",
    "there is nothing {-word} here",
    "there is nothing {-word} about {subject}",
    "there is no {-word} {thing} in it",
    "there was never a {-word} moment",
    "I did not {-like} {subject}",
    "I didn't {-like} {subject} at all",
    "I could not {-like} {subject}",
    "nobody will {-like} {subject}",
    "I was not {-felt}",
    "you will not be {-felt}",
    "you will never be {-felt}",
    "without being {bad}, {subject} is {+good}",
    "without being {good}, {subject} is {word}",
)
_CONTRASTS = (
    "{subject} is {good}, but {subject} is {+bad}",
    "{subject} is {bad}, but {subject} is {+good}",
    "{good} at first, but {+bad} in the end",
    "{bad} at first, but {+good} in the end",
    "although {subject} is {bad}, I {+liked} it",
    "although {subject} is {good}, I {+liked} it",
    "{subject} may be {good}, yet {subject} is {+bad}",
    "{subject} may be {bad}, yet {subject} is {+good}",
    "{subject} is {good}. however, {subject} is {+bad}",
    "{subject} is {bad}. however, {subject} is {+good}",
    "despite a {bad} {thing}, {subject} is {+good}",
    "despite a {good} {thing}, {subject} is {+bad}",
    "I expected a {good} {thing} and got a {+bad} one",
    "I expected a {bad} {thing} and got a {+good} one",
    "{subject} starts {good} and ends {+bad}",
    "{subject} starts {bad} and ends {+good}",
    "{subject} is {good}. that does not make up for a {+bad} {thing}",
    "apart from a {bad} {thing}, everything is {+good}",
    "apart from a {good} {thing}, everything is {+bad}",
)
_INTENSITIES = (
    "{subject} is {adverb} {+word}",
    "{subject} was {adverb} {+word}",
    "{subject} is {hardly} {-word}",
    "{hardly} {-word}",
    "{adverb} {+word}",
    "{adverb} {+good} and {adverb} {good}",
    "{adverb} {+bad} and {adverb} {bad}",
    "what a {+word} {thing}",
    "such a {+word} {thing}",
    "{subject} could not be more {+word}",
    "{subject} is as {+word} as can be",
    "{subject} is too {+bad} for me",
    "{subject} is too {good} for me",
    "the most {+word} {thing} of the year",
    "I was {adverb} {+felt}",
)
_FAMILIES = (_STATEMENTS, _NEGATIONS, _NEGATIONS, _CONTRASTS, _INTENSITIES)  # negations twice as often
_SECOND = 0.3  # share that is followed by another sentence
_NONE, _NEGATIVE, _POSITIVE = -1, 0, 1
_SLOT = re.compile(r"{([+-]?)(\w+)}")


def review_sentences(corpus: pd.DataFrame, count: int, random: np.random.Generator) -> pd.DataFrame:
    """`count` distinct sentences, or pairs of them, as columns `text` and `label`, which is -1 for none. The corpus is
    not read: a `Task.augmentation` is given one."""
    labels: dict[str, int] = {}
    while len(labels) < count:
        sentences = [_sentence(random) for _ in range(1 + (random.random() < _SECOND))]
        first, last = sentences[0][1], sentences[-1][1]
        labels[" ".join(text for text, _ in sentences)] = first if first == last else _NONE
    return pd.DataFrame({"text": list(labels), "label": list(labels.values())})


def _sentence(random: np.random.Generator) -> tuple[str, int]:
    """A sentence and its label."""
    label = _NONE

    def fill(slot: re.Match) -> str:
        nonlocal label
        sign, name = slot.groups()
        word = _pick(_SLOTS[name], random)
        if sign:
            label = _POSITIVE if (word in _FAVOURABLE) == (sign == "+") else _NEGATIVE
        return word

    words = _SLOT.sub(fill, _pick(_pick(_FAMILIES, random), random)).split()
    articles = [
        "an" if word == "a" and following[0] in "aeiou" else word
        for word, following in zip(words, words[1:], strict=False)
    ]
    text = " ".join([*articles, words[-1]])
    return f"{text[0].upper()}{text[1:]}.", label


def _pick(values: Sequence, random: np.random.Generator) -> str | Sequence[str]:
    return values[random.integers(len(values))]
