"""The widgets of the recipe form, `train_<name>` in the session; they offer valid values only."""

from collections.abc import Callable, Collection, Mapping, Sequence

import streamlit as st

from pages.shared.visitor import translator

_CHOICES = {
    "pooling": ("cls", "mean"),
    "reading": ("last", "mean", "attention"),
    "bidirectional": (False, True),
    "norm": ("pre", "post"),
    "positions": ("learned", "sinusoidal", "rotary"),
    "schedule": ("cosine", "constant"),
    "embeddings": ("random", "skipgram"),
    "units": ("default", "characters", "words"),
}
_WIDTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
_INTEGERS = {
    "layers": (1, 24),
    "feedforward": (8, 8192),
    "epochs": (1, 1000),
    "batch": (1, 1024),
    "seed": (0, 2**31 - 1),
    "share": (1, 100),  # of the rows, in percent
    "bigrams": (0, 1_000_000),
    "pretrain_epochs": (0, 1000),
}
_ADVANCED = (  # columns
    ("layers", "heads", "width"),
    ("feedforward", "dropout", "pooling"),
    ("norm", "positions", "lr"),
    ("schedule", "batch", "pretrain_epochs"),
    ("bidirectional", "reading", "bigrams"),
    ("embeddings", "units"),
)


def format_value(name: str, value: object) -> str:
    """The value of a setting as its widget shows it."""
    if name in _CHOICES:
        return translator()(_choice_key(name, value))
    return f"{value:.1e}" if name == "lr" else f"{value:g}" if isinstance(value, float) else str(value)


def advanced_fields(names: Collection[str], choices: Mapping[str, Collection]) -> None:
    """The settings that are collapsed at first, of those that this kind of training has. choices: by setting, where
    not all are possible."""
    columns = [[name for name in column if name in names] for column in _ADVANCED]
    columns = [column for column in columns if column]
    for area, column in zip(st.columns(len(columns), gap="medium"), columns, strict=True):
        with area:
            for name in column:
                _field(name, choices.get(name, _CHOICES.get(name, ())))


def _field(name: str, possible: Collection) -> None:
    say = translator()
    if name in _INTEGERS:
        integer_field(name)
    elif name in _CHOICES:
        choices = [choice for choice in _CHOICES[name] if choice in possible]
        _select_field(name, choices, lambda choice: say(_choice_key(name, choice)))
    elif name == "heads":
        _heads_field()
    elif name == "width":
        _select_field(name, sorted({*_WIDTHS, st.session_state["train_width"]}), str)
    elif name == "lr":
        _number_field(name, 1e-6, 1.0, 1e-4, "%.1e")
    else:
        _number_field(name, 0.0, 0.9, 0.05, "%.2f")


def _choice_key(name: str, choice: object) -> str:
    """The key of the sentence for a choice of a setting."""
    return f"pages.training_{name}_{choice}" if name == "reading" else f"pages.training_{choice}"


def _number_field(name: str, low: float, high: float, step: float, form: str | None = None) -> None:
    say = translator()
    st.number_input(
        say(f"pages.training_{name}"),
        low,
        high,
        step=step,
        format=form,
        key=f"train_{name}",
        persist_state="session",
        help=say(f"pages.training_{name}_help"),
    )


def integer_field(name: str, step: int = 1) -> None:
    """An integer within its bounds."""
    _number_field(name, *_INTEGERS[name], step)


def _heads_field() -> None:
    """The number of heads, a divisor of the width; after a change of width, the divisor nearest to the last value."""
    width, current = st.session_state["train_width"], st.session_state["train_heads"]
    divisors = [heads for heads in range(1, 33) if width % heads == 0]
    if current not in divisors:
        st.session_state["train_heads"] = min(divisors, key=lambda heads: abs(heads - current))
    _select_field("heads", divisors, str)


def _select_field(name: str, options: Sequence, format_option: Callable[[object], str]) -> None:
    say = translator()
    st.selectbox(
        say(f"pages.training_{name}"),
        options,
        key=f"train_{name}",
        format_func=format_option,
        persist_state="session",
        help=say(f"pages.training_{name}_help"),
    )
