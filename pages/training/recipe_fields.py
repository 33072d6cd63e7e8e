"""A widget for every setting of a training, `train_<name>` in the session; what cannot be is not on offer."""

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
_WHOLE = {
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


def more() -> None:
    """All settings that are folded away at first."""
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
                if name in _WHOLE:
                    whole(name)
                elif name in _CHOICES:
                    _pick(name, _CHOICES[name], lambda one: say(f"pages.training_{one}"))
                elif name == "heads":
                    _heads()
                elif name == "width":
                    width = st.session_state["train_width"]
                    _pick(name, sorted({*_WIDTHS, width}), str)
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


def _heads() -> None:
    """Only as many heads as divide the width; another width keeps the number that is nearest to the one chosen."""
    width, chosen = st.session_state["train_width"], st.session_state["train_heads"]
    fitting = [heads for heads in range(1, 33) if width % heads == 0]
    if chosen not in fitting:
        st.session_state["train_heads"] = min(fitting, key=lambda heads: abs(heads - chosen))
    _pick("heads", fitting, str)


def _pick(name: str, options: Sequence, format_value: Callable[[object], str]) -> None:
    say = translator()
    st.selectbox(
        say(f"pages.training_{name}"),
        options,
        key=f"train_{name}",
        format_func=format_value,
        persist_state="session",
        help=say(f"pages.training_{name}_help"),
    )


def whole(name: str) -> None:
    """A whole number within its bounds."""
    say, (least, most) = translator(), _WHOLE[name]
    st.number_input(
        say(f"pages.training_{name}"),
        least,
        most,
        step=1,
        key=f"train_{name}",
        persist_state="session",
        help=say(f"pages.training_{name}_help"),
    )


def share() -> None:
    """The share of the train rows, in percent."""
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
