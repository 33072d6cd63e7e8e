"""Definition of a task of one's own: everything but its rows, as it is kept with the task and with its models."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from viz_core.datasets.own.columns import MOST_CLASSES
from viz_core.datasets.own.splits import SPLITS
from viz_core.datasets.own.understanding import LONGEST, MOST_LABEL, SHORTEST, TOKENS, Tokens, Understanding
from viz_core.records import Failure

MOST_TITLE = 60  # characters
MOST_TESTS, MOST_TEST_CHARACTERS = 100, 2_000
_MARKS = " .,;!?%&+'’()·，。；：！？（）、-"  # no markup
_TITLE = re.compile(rf"[^\W_](?:[^\W_]|[{_MARKS}]){{0,{MOST_TITLE - 1}}}")
_NAME = re.compile(r"own-([a-z0-9]+-)*[0-9a-f]{24}")
_COLOUR = re.compile(r"#[0-9a-f]{6}")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_SLUG = 24  # characters of the title in the name


@dataclass(frozen=True)
class Definition:
    """A task of one's own.

    Attributes:
        name: Name of the task, which nobody can guess.
        title: What its owner calls it.
        labels: Names of the classes, by number.
        pair: Whether an input is two texts.
        tokens: What a token is.
        max_tokens: Length of an input in tokens; longer ones are cut.
        counts: Rows per split.
        languages: ISO 639 codes of the languages of the texts, the most frequent first.
        colours: Of the classes, by number, as `#rrggbb`; empty for those of the theme.
        class_weights: Whether all classes get the same weight in training.
        tests: Behavioural tests of its owner: a text (and a second one), and the class expected.
        owner: Hash of the owner; empty in what leaves the installation.
        created: Seconds since 1970.
        expires: When the task is deleted; None for never.
        keeps_rows: Whether the rows stay after the training.
        shared: Whether everybody who knows the name may use the models; otherwise only the owner.

    Raises:
        ValueError: If a value is invalid; the message names it.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    pair: bool
    tokens: Tokens
    max_tokens: int
    counts: Mapping[str, int] = field(hash=False)
    languages: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    class_weights: bool = False
    tests: tuple[tuple[str, ...], ...] = ()
    owner: str = ""
    created: float = 0.0
    expires: float | None = None
    keeps_rows: bool = False
    shared: bool = False

    def __post_init__(self) -> None:
        for name, kind in _TYPES.items():
            if not isinstance(getattr(self, name), kind):
                raise ValueError(f"{name} has the wrong type")
        if not is_own_name(self.name):
            raise ValueError(f"name is {self.name[:MOST_TITLE]!r}: it is not the name of a task of one's own")
        if not _TITLE.fullmatch(self.title):
            raise ValueError(f"title must have 1 to {MOST_TITLE} letters, digits, spaces or simple marks")
        if not 2 <= len(self.labels) <= MOST_CLASSES or len(set(self.labels)) < len(self.labels):
            raise ValueError(f"labels must be 2 to {MOST_CLASSES} different names")
        if any(not isinstance(label, str) or not _is_label(label) for label in self.labels):
            raise ValueError(f"each label must have 1 to {MOST_LABEL} characters, without line breaks")
        if self.tokens not in TOKENS:
            raise ValueError(f"tokens is {self.tokens!r}: it must be one of {', '.join(TOKENS)}")
        if not SHORTEST <= self.max_tokens <= LONGEST:
            raise ValueError(f"max_tokens is {self.max_tokens}: it must be {SHORTEST} to {LONGEST}")
        counts = self.counts.values()
        if set(self.counts) != set(SPLITS) or any(type(count) is not int or count < 0 for count in counts):
            raise ValueError(f"counts must be the number of rows of {', '.join(SPLITS)}")
        if not all(isinstance(code, str) and _LANGUAGE.fullmatch(code) for code in self.languages):
            raise ValueError("languages must be codes such as en")
        known = all(isinstance(colour, str) and _COLOUR.fullmatch(colour) for colour in self.colours)
        if self.colours and not (known and len(self.colours) == len(self.labels)):
            raise ValueError("colours must be one for each label, such as #1f6fb4")
        self._check_tests()

    @property
    def has_chinese(self) -> bool:
        """Whether the texts are Chinese, so that jieba finds their words."""
        return self.languages[:1] == ("zh",)

    def _check_tests(self) -> None:
        if len(self.tests) > MOST_TESTS:
            raise ValueError(f"there are {len(self.tests)} tests: at most {MOST_TESTS} are possible")
        for test in self.tests:
            if len(test) != 2 + self.pair or not all(isinstance(cell, str) and cell for cell in test):
                raise ValueError("each test must be a text (of a pair two) and a label")
            if test[-1] not in self.labels or sum(map(len, test)) > MOST_TEST_CHARACTERS:
                raise ValueError(f"each test must end with a label, and have at most {MOST_TEST_CHARACTERS} characters")

    def to_dict(self) -> dict:
        """Return the contents of its file."""
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return {**values, "tests": [list(test) for test in self.tests]}

    def for_export(self) -> dict:
        """Return what goes with a model: who owns it here, and who may use it, nobody else has to know."""
        kept = ("owner", "expires", "keeps_rows", "shared")
        return {name: value for name, value in self.to_dict().items() if name not in kept}

    @classmethod
    def from_dict(cls, values: Mapping) -> Definition:
        """Build a definition from the contents of a file, which anyone may have written.

        Raises:
            ValueError: If a value is unknown or invalid.
            TypeError: If a value is missing, or of another type.
        """
        if unknown := sorted(set(values) - {entry.name for entry in fields(cls)}):
            raise ValueError(f"there is no setting named {', '.join(map(str, unknown))[:MOST_TITLE]}")
        lists = {name: values.get(name, []) for name in _LISTS}
        if not all(isinstance(value, list) for value in (*lists.values(), *lists["tests"])):
            raise ValueError(f"{', '.join(_LISTS)} and each test must be lists")
        tuples = {name: tuple(value) for name, value in lists.items()}
        return cls(**{**values, **tuples, "tests": tuple(map(tuple, lists["tests"]))})


_LISTS = ("labels", "languages", "colours", "tests")
_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("name", "title", "owner", "tokens"), str),
    **dict.fromkeys(("pair", "class_weights", "keeps_rows", "shared"), bool),
    **dict.fromkeys(_LISTS, tuple),
    "max_tokens": int,
    "counts": Mapping,
    "created": (int, float),
    "expires": (int, float, type(None)),
}


def define(understood: Understanding, title: str, tokens: Tokens | None = None, **values: Any) -> Definition:
    """Define a task from what was understood of a table.

    Args:
        understood: The rows.
        title: What its owner calls it.
        tokens: What a token is, by default what suits the texts.
        values: Other fields of a definition.

    Raises:
        Failure: If a value is invalid.
    """
    title = " ".join(title.replace("_", " ").split())
    defaults: dict[str, Any] = dict(
        name=new_name(title),
        title=title,
        labels=understood.labels,
        pair=understood.pair,
        tokens=tokens or understood.tokens,
        max_tokens=understood.max_tokens(tokens),
        counts=understood.split_counts,
        languages=tuple(understood.languages),
        class_weights=understood.majority > MOST_EQUAL / len(understood.labels),
    )
    try:
        return Definition(**{**defaults, **values})
    except (TypeError, ValueError) as error:
        raise Failure("own.bad_definition", reason=str(error)) from error


MOST_EQUAL = 1.5  # above so many times its fair share, the largest class is weighted down


def new_name(title: str) -> str:
    """Return a new name for a task, with as much of its title as an address can have."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain)[:_SLUG].strip("-")
    return "-".join(part for part in ("own", slug, secrets.token_hex(12)) if part)


def plain_title(text: str) -> str:
    """Return as much of a text as can be a title; empty if nothing can."""
    plain = "".join(mark if mark.isalnum() or mark in _MARKS else " " for mark in text)
    start = next((place for place, mark in enumerate(plain) if mark.isalnum()), len(plain))
    return " ".join(plain[start:].split())[:MOST_TITLE].strip()


def is_own_name(name: str) -> bool:
    """Whether a task of this name is one of somebody's own."""
    return bool(_NAME.fullmatch(name))


def _is_label(label: str) -> bool:
    return 0 < len(label) <= MOST_LABEL and label.isprintable() and label == label.strip()
