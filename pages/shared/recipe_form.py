"""What a training is asked for: a widget for every setting, filled from the preset; what cannot be is not on offer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import streamlit as st
import torch

from pages.shared import links
from pages.shared.gallery import PAIRS, REVIEWS
from pages.shared.visitor import plain, translator
from viz_core.models.config import EncoderConfig
from viz_core.records import Failure
from viz_core.tasks import TASKS
from viz_core.training.presets import PRESETS

ENCODER = ("layers", "heads", "width", "feedforward", "dropout", "pooling", "norm", "positions")
RECIPE = ("lr", "schedule", "epochs", "batch", "share", "seed", "pretrain_epochs")
# A few hundred rows want more epochs, and none of what keeps an encoder from learning a corpus by heart: with these the
# loss falls clearly within a minute on two cores (measured), with the preset's own it stays where it is.
# Of the other presets it is the point that they do badly.
ON_SAMPLE = {"token_lr": 1.0, "word_dropout": 0.0, "label_smoothing": 0.0, "lr": 1e-3, "pretrain_epochs": 0}
_SAMPLE_EPOCHS = {"afqmc": 10}
_CHOICES = {"pooling": ("cls", "mean"), "norm": ("pre", "post"), "positions": ("learned", "sinusoidal"),
            "schedule": ("cosine", "constant")}
_WIDTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
_WHOLE = {"layers": (1, 24), "feedforward": (8, 8192), "epochs": (1, 1000), "batch": (1, 1024), "seed": (0, 2**31 - 1),
          "pretrain_epochs": (0, 1000)}
_LINKED = "task"


def asked() -> dict | None:
    """The form, and what it says as the settings of a request; None after it was said what cannot be."""
    say = translator()
    links.restore(_LINKED, "imdb", list(TASKS))
    first, second = st.columns(2, gap="large")
    with first:
        st.segmented_control(say("pages.training_task"), list(TASKS), key=_LINKED, required=True,
                             persist_state="session", help=say("pages.training_task_help"),
                             format_func=lambda task: say(f"pages.training_task_{task}"))
        task = st.session_state[_LINKED]
        data = _data(task)
        preset = _preset(task, data)
    links.record(_LINKED, "imdb")
    with first, st.container(horizontal=True, gap="small"):
        for name in ("epochs", "seed"):
            _whole(name)
        _share()
    with second:
        name = st.text_input(say("pages.training_name"), key="train_name", max_chars=60, persist_state="session",
                             placeholder=preset, help=say("pages.training_name_help"))
        pinned = _pinned(task)
    with st.expander(say("pages.training_more"), icon=":material/tune:", key="train_more"):
        _more()
    if pinned is None:
        return None
    return {"task": task, "preset": preset, "name": (name or "").strip() or preset, "data": data,
            "encoder": _chosen(ENCODER), "recipe": _unseen(preset, data) | _chosen(RECIPE), "pinned": pinned}


@functools.cache
def devices() -> tuple[str, ...]:
    """The devices of this machine, the fastest first."""
    found = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    return (*found, *(["mps"] if torch.backends.mps.is_available() else []), "cpu")


def device() -> str:
    """The device, which is chosen where there are several."""
    if len(devices()) == 1:
        return devices()[0]
    say = translator()
    return st.selectbox(say("pages.training_device"), devices(), key="train_device", persist_state="session",
                        help=say("pages.training_device_help"))


def _data(task: str) -> str:
    say, key = translator(), f"train_data_{task}"
    at_hand = TASKS[task].corpus.find() is not None
    if key not in st.session_state:
        st.session_state[key] = "sample"  # whose training can be watched from start to end
    data = st.segmented_control(say("pages.training_data"), ["sample", "full"], key=key, required=True,
                                persist_state="session", help=say("pages.training_data_help"),
                                format_func=lambda one: say(f"pages.training_data_{one}"))
    if data == "full" and not at_hand:
        _offer(task, key)
    return data


def _offer(task: str, key: str) -> None:
    """Says that a corpus is not at hand, and what can be done about it: the sample, or the download."""
    say = translator()
    st.warning(say("pages.training_no_data", corpus=say(f"pages.training_task_{task}")), icon=":material/database_off:")
    with st.container(horizontal=True, gap="small"):
        st.button(say("pages.training_use_sample"), key="use_sample", on_click=st.session_state.update,
                  args=({key: "sample"},))
        if st.button(say("pages.training_download"), key="download_corpus", icon=":material/download:"):
            try:
                with st.spinner(say("pages.training_downloading")):
                    TASKS[task].corpus.download(progress=False)
            except Failure as failure:
                st.error(plain(say(failure.message)))
            else:
                st.rerun()


def _preset(task: str, data: str) -> str:
    """The preset; one that was not chosen before fills all fields."""
    say, key = translator(), f"train_preset_{task}"
    st.session_state.setdefault(key, "small")
    name = st.selectbox(say("pages.training_preset"), list(PRESETS[task]), key=key, persist_state="session",
                        format_func=lambda one: say(f"pages.training_preset_{one}"),
                        help=say("pages.training_preset_help"))
    if st.session_state.get("train_filled") != (task, data, name):
        st.session_state["train_filled"] = task, data, name
        values = _values(task, name, data)
        st.session_state.update({f"train_{field}": value for field, value in values.items()})
    return name


def _values(task: str, name: str, data: str) -> dict:
    """Every field of the form, as the preset has it."""
    preset = PRESETS[task][name]
    usual = EncoderConfig(vocabulary=1, max_tokens=1, **preset.encoder)
    recipe = dict(vars(preset.recipe))
    if (name, data) == ("small", "sample"):
        recipe |= ON_SAMPLE | {"epochs": _SAMPLE_EPOCHS.get(task, 15)}
    return {name: getattr(usual, name) for name in ENCODER} | {name: recipe[name] for name in RECIPE} | {
        "share": round(100 * recipe["share"])}


def _chosen(names: tuple[str, ...]) -> dict:
    values = {name: st.session_state[f"train_{name}"] for name in names}
    if "share" in values:
        values["share"] = values["share"] / 100
    return values


def _unseen(preset: str, data: str) -> dict:
    """What the sample needs and the form has no field for."""
    if (preset, data) != ("small", "sample"):
        return {}
    return {name: value for name, value in ON_SAMPLE.items() if name not in RECIPE}


def _more() -> None:
    say = translator()
    for column, names in zip(st.columns(4, gap="medium"), (
            ("layers", "heads", "width"), ("feedforward", "dropout", "pooling"), ("norm", "positions", "lr"),
            ("schedule", "batch", "pretrain_epochs")), strict=True):
        with column:
            for name in names:
                if name in _WHOLE:
                    _whole(name)
                elif name in _CHOICES:
                    _pick(name, _CHOICES[name], lambda one: say(f"pages.training_{one}"))
                elif name == "heads":
                    _heads()
                elif name == "width":
                    width = st.session_state["train_width"]
                    _pick(name, sorted({*_WIDTHS, width}), str)
                elif name == "lr":
                    st.number_input(say("pages.training_lr"), 1e-6, 1.0, step=1e-4, format="%.1e", key="train_lr",
                                    persist_state="session", help=say("pages.training_lr_help"))
                else:
                    st.number_input(say("pages.training_dropout"), 0.0, 0.9, step=0.05, format="%.2f",
                                    key="train_dropout", persist_state="session",
                                    help=say("pages.training_dropout_help"))


def _heads() -> None:
    """Only as many heads as divide the width; another width keeps the number that is nearest to the one chosen."""
    width, chosen = st.session_state["train_width"], st.session_state["train_heads"]
    fitting = [heads for heads in range(1, 33) if width % heads == 0]
    if chosen not in fitting:
        st.session_state["train_heads"] = min(fitting, key=lambda heads: abs(heads - chosen))
    _pick("heads", fitting, str)


def _pick(name: str, options: Sequence, spoken: Callable[[object], str]) -> None:
    say = translator()
    st.selectbox(say(f"pages.training_{name}"), options, key=f"train_{name}", format_func=spoken,
                 persist_state="session", help=say(f"pages.training_{name}_help"))


def _whole(name: str) -> None:
    say, (least, most) = translator(), _WHOLE[name]
    st.number_input(say(f"pages.training_{name}"), least, most, step=1, key=f"train_{name}", persist_state="session",
                    help=say(f"pages.training_{name}_help"))


def _share() -> None:
    say = translator()
    st.number_input(say("pages.training_share"), 1, 100, step=5, key="train_share", persist_state="session",
                    help=say("pages.training_share_help"))


def _pinned(task: str) -> list | None:
    """Inputs, one a line; the two of a pair have a bar between them. None after it was said what cannot be."""
    say, key, pair = translator(), f"train_pinned_{task}", TASKS[task].pair
    if key not in st.session_state:
        gallery = PAIRS if pair else REVIEWS
        st.session_state[key] = "\n".join(" | ".join(texts.values()) for _, texts in gallery[:2])
    typed = st.text_area(say("pages.training_pinned"), key=key, height=110, persist_state="session",
                         help=say(f"pages.training_pinned_help_{'pair' if pair else 'single'}"))
    lines = [line.strip() for line in (typed or "").splitlines() if line.strip()]
    inputs = [[part.strip() for part in line.split("|")] for line in lines] if pair else [[line] for line in lines]
    for texts in inputs:
        if len(texts) != 1 + pair or not all(any(map(str.isalnum, text)) for text in texts):
            st.error(plain(say(f"pages.training_bad_pin_{'pair' if pair else 'single'}", text=" | ".join(texts))))
            return None
    return inputs
