"""The changes to a head in the link: `touch=unscaled temperature:0.5 score:3.5:1.25`. Tokens count from 1, parts are
separated by spaces.

    unscaled  causal  everywhere   as in analysis/inside/head_changes.py
    temperature:0.5  values:2      numbers
    masked:4                       a key
    score:3.5:1.25                 query, key, and the score in place of theirs
"""

import re

from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.records import Failure

FLAGS, FACTORS = ("unscaled", "causal", "everywhere"), ("temperature", "values")
_TOKEN, _NUMBER = "([1-9][0-9]{0,3})", r"(-?[0-9]{1,4}(?:\.[0-9]{1,6})?)"
_PARTS = {
    "flag": re.compile("|".join(FLAGS)),
    "factor": re.compile(f"({'|'.join(FACTORS)}):{_NUMBER}"),
    "masked": re.compile(f"masked:{_TOKEN}"),
    "score": re.compile(rf"score:{_TOKEN}\.{_TOKEN}:{_NUMBER}"),
}


def to_link(changes: HeadChanges) -> str:
    """The changes as a string, empty without any."""
    if not changes:
        return ""
    return " ".join(
        [
            *(name for name in FLAGS if getattr(changes, name)),
            *(f"{name}:{_text(getattr(changes, name))}" for name in FACTORS if getattr(changes, name) != 1),
            *(f"masked:{key + 1}" for key in sorted(changes.masked)),
            *(f"score:{query + 1}.{key + 1}:{_text(value)}" for (query, key), value in sorted(changes.scores.items())),
        ]
    )


def from_link(value: str) -> HeadChanges:
    """The changes that a link names; whether the input has what they name is for the analysis. Raises Failure."""
    fields: dict[str, object] = {}
    masked, scores = set(), {}
    for part in value.split():
        if _PARTS["flag"].fullmatch(part):
            fields[part] = True
        elif match := _PARTS["factor"].fullmatch(part):
            fields[match[1]] = float(match[2])
        elif match := _PARTS["masked"].fullmatch(part):
            masked.add(int(match[1]) - 1)
        elif match := _PARTS["score"].fullmatch(part):
            scores[int(match[1]) - 1, int(match[2]) - 1] = float(match[3])
        else:
            raise Failure("whatif.link_unreadable", name="touch", value=part)
    return HeadChanges(**fields, masked=frozenset(masked), scores=scores)


def _text(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")
