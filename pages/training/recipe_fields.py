"""The widgets of the recipe form, `train_<name>` in the session; they offer valid values only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from pages.shared.visitor import translator

_CHOICES = {
    "pooling": ("cls", "mean"),
    "norm": ("pre", "post"),
    "positions": ("learned", "sinusoidal"),
    "schedule": ("cosine", "constant"),
}
_WIDTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
_INTEGERS = {
    "layers": (1, 24),
    "feedforward": (8, 8192),
    "epochs": (1, 1000),
    "batch": (1, 1024),
    "seed": (0, 2**31 - 1),
    "pretrain_epochs": (0, 1000),
}


def format_value(name: str, value: object) -> str:
    """The value of a setting as its widget shows it."""
    if name in _CHOICES:
        return translator()(f"pages.training_{value}")
    return f"{value:.1e}" if name == "lr" else f"{value:g}" if isinstance(value, float) else str(value)


def advanced_fields() -> None:
    """The settings that are collapsed at first."""
    say = translator()
    for column, names in zip(
        st.columns(4, gap="medium"),
        (
            ("layers", "heads", "width"),
            ("feedforward", "dropout", "pooling"),
            ("norm", "positions", "lr"),
            ("schedule", "batch", "pretrain_epochs"),
        ),
        strict=True,
    ):
        with column:
            for name in names:
                if name in _INTEGERS:
                    integer_field(name)
                elif name in _CHOICES:
                    _select_field(name, _CHOICES[name], lambda choice: say(f"pages.training_{choice}"))
                elif name == "heads":
                    _heads_field()
                elif name == "width":
                    width = st.session_state["train_width"]
                    _select_field(name, sorted({*_WIDTHS, width}), str)
                elif name == "lr":
                    st.number_input(
                        say("pages.training_lr"),
                        1e-6,
                        1.0,
                        step=1e-4,
                        format="%.1e",
                        key="train_lr",
                        persist_state="session",
                        help=say("pages.training_lr_help"),
                    )
                else:
                    st.number_input(
                        say("pages.training_dropout"),
                        0.0,
                        0.9,
                        step=0.05,
                        format="%.2f",
                        key="train_dropout",
                        persist_state="session",
                        help=say("pages.training_dropout_help"),
                    )


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


def integer_field(name: str) -> None:
    """An integer within its bounds."""
    say, (low, high) = translator(), _INTEGERS[name]
    st.number_input(
        say(f"pages.training_{name}"),
        low,
        high,
        step=1,
        key=f"train_{name}",
        persist_state="session",
        help=say(f"pages.training_{name}_help"),
    )


def share_field() -> None:
    """The share of the training rows to use, in percent."""
    say = translator()
    st.number_input(
        say("pages.training_share"),
        1,
        100,
        step=5,
        key="train_share",
        persist_state="session",
        help=say("pages.training_share_help"),
    )
