"""The fields of the form: their preset values, and the visitor's changes, which are remembered per preset."""

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Literal, get_args, get_origin, get_type_hints

import streamlit as st

from pages.shared.visitor import translator
from pages.training.recipe_fields import format_value
from viz_core.models.kinds import KINDS
from viz_core.models.protocol import TrainableConfig
from viz_core.tasks import get_task

MODEL = (
    *("layers", "heads", "width", "feedforward", "dropout", "pooling", "norm", "positions"),
    *("bidirectional", "reading", "bigrams"),
)
RECIPE = ("lr", "schedule", "epochs", "batch", "share", "seed", "pretrain_epochs", "embeddings", "units")
_FILLED, _LAST_VALUES = (
    "train_filled",
    "train_left",
)  # in the session: the preset that the fields show, the values of the others


def fill(task: str, preset: str, data: str) -> None:
    """Fills the fields with the last values used with this preset, at first its own; remembers the current ones."""
    state, current = st.session_state, (task, preset, data)
    if (previous := state.get(_FILLED)) == current:
        return
    last_values = state.setdefault(_LAST_VALUES, {})
    if previous:
        last_values[previous] = {name: state[f"train_{name}"] for name in preset_values(*previous)}
    _set_fields(last_values.get(current) or preset_values(*current))
    state[_FILLED] = current


def model(task: str, preset: str) -> dict:
    """The settings of the model in the fields."""
    return {name: st.session_state[f"train_{name}"] for name in _model_values(task, preset)}


def recipe(task: str, preset: str, data: str) -> dict:
    """The recipe settings in the fields, and those that the preset changes for the sample without having a field."""
    values = {name: st.session_state[f"train_{name}"] for name in _recipe_values(task, preset, data)}
    sample_only = {name: value for name, value in _on_sample(task, preset, data).items() if name not in RECIPE}
    return {**sample_only, **values, "share": values["share"] / 100}


def choices(task: str, preset: str) -> dict[str, Collection]:
    """What can be chosen, of the settings of which some kinds of model or tasks offer less."""
    record = get_task(task)
    hints = get_type_hints(type(_config(task, preset)))
    of_model = {name: get_args(hints[name]) for name in MODEL if get_origin(hints.get(name)) is Literal}
    return {**of_model, "units": ("default", *record.other_tokenizers)}


def show_changes(task: str, preset: str, data: str) -> None:
    """Names the fields that differ from the preset, with a button that resets them."""
    say, defaults = translator(), preset_values(task, preset, data)
    changes = [
        say(
            "pages.training_changed_one",
            name=say(f"pages.training_{name}"),
            value=format_value(name, current),
            usual=format_value(name, value),
        )
        for name, value in defaults.items()
        if (current := st.session_state[f"train_{name}"]) != value
    ]
    if changes:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="train_changed"):
            st.caption(say("pages.training_changed", changes=changes), width="content")
            st.button(
                say("pages.training_reset"),
                key="train_reset",
                type="tertiary",
                icon=":material/undo:",
                on_click=_set_fields,
                args=(defaults,),
            )


def preset_values(task: str, preset: str, data: str) -> dict:
    """Every field of the form with the preset's value."""
    recipe = _recipe_values(task, preset, data)
    return {**_model_values(task, preset), **recipe, "share": round(100 * recipe["share"])}


def _model_values(task: str, preset: str) -> dict:
    """The fields that this kind of model has."""
    config = _config(task, preset)
    names = {field.name for field in fields(config)}  # not the properties: those are no settings
    return {name: getattr(config, name) for name in MODEL if name in names}


def _config(task: str, preset: str) -> TrainableConfig:
    settings = get_task(task).presets[preset]
    return KINDS[settings.kind].config({"vocabulary": 1, "max_tokens": 1, **settings.config})


def _recipe_values(task: str, preset: str, data: str) -> dict:
    """The fields that this kind of task and this kind of model use."""
    record = get_task(task)
    settings = {**vars(record.presets[preset].recipe), **_on_sample(task, preset, data)}
    unused = {
        *record.kind.unused_settings,
        *(() if record.other_tokenizers else ("units",)),
        *(() if KINDS[record.presets[preset].kind].can_pretrain else ("pretrain_epochs",)),
        *(() if "width" in _model_values(task, preset) else ("embeddings",)),
    }
    return {name: settings[name] for name in RECIPE if name not in unused}


def _on_sample(task: str, preset: str, data: str) -> Mapping:
    return get_task(task).presets[preset].on_sample if data == "sample" else {}


def _set_fields(values: dict) -> None:
    st.session_state.update({f"train_{name}": value for name, value in values.items()})
