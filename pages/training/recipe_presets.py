"""The fields of the form as a preset has them, and as the visitor has changed them: what was typed is never lost."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.shared.visitor import translator
from pages.training.recipe_fields import format_value
from viz_core.models.config import EncoderConfig
from viz_core.tasks import TASKS

ENCODER = ("layers", "heads", "width", "feedforward", "dropout", "pooling", "norm", "positions")
RECIPE = ("lr", "schedule", "epochs", "batch", "share", "seed", "pretrain_epochs")
_FILLED, _LEFT = "train_filled", "train_left"  # in the session: whose values the fields hold, and those of the others


def fill(task: str, preset: str, data: str) -> None:
    """Fills the fields, as they were left or, the first time, as the preset has them; keeps what they held before."""
    state, now = st.session_state, (task, preset, data)
    if (before := state.get(_FILLED)) == now:
        return
    left = state.setdefault(_LEFT, {})
    if before:
        left[before] = {name: state[f"train_{name}"] for name in (*ENCODER, *RECIPE)}
    _put(left.get(now) or usual(*now))
    state[_FILLED] = now


def encoder() -> dict:
    """What the fields say of the encoder."""
    return {name: st.session_state[f"train_{name}"] for name in ENCODER}


def recipe(task: str, preset: str, data: str) -> dict:
    """What the fields say of the recipe, and what the sample needs and the form has no field for."""
    values = {name: st.session_state[f"train_{name}"] for name in RECIPE}
    unseen = {name: value for name, value in _on_sample(task, preset, data).items() if name not in RECIPE}
    return {**unseen, **values, "share": values["share"] / 100}


def changes(task: str, preset: str, data: str) -> None:
    """Says in which fields the form differs from the preset, and offers the way back."""
    say, preset_has = translator(), usual(task, preset, data)
    differing = [
        say(
            "pages.training_changed_one",
            name=say(f"pages.training_{name}"),
            value=format_value(name, now),
            usual=format_value(name, value),
        )
        for name, value in preset_has.items()
        if (now := st.session_state[f"train_{name}"]) != value
    ]
    if differing:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="train_changed"):
            st.caption(say("pages.training_changed", changes=differing), width="content")
            st.button(
                say("pages.training_reset"),
                key="train_reset",
                type="tertiary",
                icon=":material/undo:",
                on_click=_put,
                args=(preset_has,),
            )


def usual(task: str, preset: str, data: str) -> dict:
    """Every field of the form, as the preset has it."""
    has = TASKS[task].presets[preset]
    encoder = EncoderConfig(vocabulary=1, max_tokens=1, **has.model)
    recipe = {**vars(has.recipe), **_on_sample(task, preset, data)}
    return (
        {name: getattr(encoder, name) for name in ENCODER}
        | {name: recipe[name] for name in RECIPE}
        | {"share": round(100 * recipe["share"])}
    )


def _on_sample(task: str, preset: str, data: str) -> Mapping:
    return TASKS[task].presets[preset].on_sample if data == "sample" else {}


def _put(values: dict) -> None:
    st.session_state.update({f"train_{name}": value for name, value in values.items()})
