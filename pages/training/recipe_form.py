"""The recipe form: task, data, preset, settings, pinned inputs and device of a training."""

import streamlit as st

from pages.shared import links
from pages.shared.corpus_rows import download_button
from pages.shared.kinds import page_kind, task_page
from pages.shared.own_tasks import escaped, first_examples, trainable_tasks
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from pages.training import recipe_fields, recipe_presets
from viz_core.records import Failure
from viz_core.tasks import get_task
from viz_core.training import door
from viz_core.training.door import TrainingSettings


def settings_form() -> TrainingSettings | None:
    """Draws the form and returns its settings; None after showing why they are invalid."""
    say = translator()
    left, right = st.columns(2, gap="large")
    with left:
        task = links.pick(
            st.segmented_control,
            "task",
            say("pages.training_task"),
            trainable_tasks(),
            lambda task: escaped(task, say(f"{task}.page")),
            help=say("pages.training_task_help"),
        )
        data = _data(task)
        preset = _preset(task, data)
    with left, st.container(horizontal=True, gap="small"):
        for name, step in (("epochs", 1), ("seed", 1), ("share", 5)):
            recipe_fields.integer_field(name, step)
    with right:
        name = st.text_input(
            say("pages.training_name"),
            key="train_name",
            max_chars=60,
            persist_state="session",
            placeholder=preset,
            help=say("pages.training_name_help"),
        )
        pinned = _pinned_inputs(task)
        device = _device()
    with st.expander(say("pages.training_more"), icon=":material/tune:", key="train_more"):
        names, choices = recipe_presets.preset_values(task, preset, data), recipe_presets.choices(task, preset)
        recipe_fields.advanced_fields(names, choices)
    recipe_presets.show_changes(task, preset, data)
    if skipped := door.skipped_devices(device):
        for message in skipped:
            st.caption(escape_markdown(say(message)))
        st.button(
            say("pages.training_inspect_devices"),
            key="inspect_devices",
            type="tertiary",
            icon=":material/refresh:",
            on_click=door.inspect_devices_again,
        )
    if pinned is None:
        return None
    try:
        return TrainingSettings(
            task,
            preset,
            (name or "").strip() or preset,
            data,
            device,
            overrides=recipe_presets.model(task, preset),
            recipe=recipe_presets.recipe(task, preset, data),
            pinned=pinned,
        )
    except Failure as failure:
        st.error(escape_markdown(say(failure.message)), icon=":material/block:")
        return None


def _device() -> str:
    """The device, with a picker if several can be used."""
    say, names = translator(), [device.name for device in door.devices() if not device.problem]
    if len(names) == 1:
        return names[0]
    return st.selectbox(
        say("pages.training_device"),
        names,
        index=names.index(door.best_device()),
        key="train_device",
        persist_state="session",
        help=say("pages.training_device_help"),
    )


def _data(task: str) -> str:
    say, key, choices = translator(), f"train_data_{task}", get_task(task).data
    if len(choices) == 1:
        return choices[0]
    if key not in st.session_state:
        st.session_state[key] = "sample"  # a training on the sample is short enough to watch
    data = st.segmented_control(
        say("pages.training_data"),
        choices,
        key=key,
        required=True,
        persist_state="session",
        help=say("pages.training_data_help"),
        format_func=lambda name: say(f"pages.training_data_{name}"),
    )
    if data == "full" and get_task(task).find_corpus() is None:
        _offer_alternatives(task, key)
    return data


def _offer_alternatives(task: str, key: str) -> None:
    """Says that the corpus is not available, and offers the sample or the download."""
    say = translator()
    st.warning(say("pages.training_no_data", corpus=say(f"{task}.name")), icon=":material/database_off:")
    with st.container(horizontal=True, gap="small"):
        st.button(
            say("pages.training_use_sample"),
            key="use_sample",
            on_click=st.session_state.update,
            args=({key: "sample"},),
        )
        download_button(task)


def _preset(task: str, data: str) -> str:
    """The preset picker; fills the fields with the last values used with the preset."""
    say, key = translator(), f"train_preset_{task}"
    st.session_state.setdefault(key, "small")
    name = st.selectbox(
        say("pages.training_preset"),
        list(get_task(task).presets),
        key=key,
        persist_state="session",
        format_func=lambda name: say(f"pages.training_preset_{name}"),
        help=say("pages.training_preset_help"),
    )
    recipe_presets.fill(task, name, data)
    return name


def _pinned_inputs(task: str) -> tuple[tuple[str, ...], ...] | None:
    """The pinned inputs, one per line, pairs separated by `|`; None after showing why a line is invalid."""
    say, key, count = translator(), f"train_pinned_{task}", get_task(task).input_texts
    if key not in st.session_state:
        st.session_state[key] = "\n".join(" | ".join(texts) for texts in _first_inputs(task))
    kind, pinned = "pair" if count == 2 else "single", page_kind(task).pinned
    text = st.text_area(
        say(f"pages.training_pinned_{pinned}"),
        key=key,
        height=110,
        persist_state="session",
        help=say(f"pages.training_pinned_help_{kind if pinned == 'single' else pinned}"),
    )
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    inputs = tuple(tuple(part.strip() for part in line.split("|")) if count == 2 else (line,) for line in lines)
    for texts in inputs:
        if len(texts) != count or not all(any(map(str.isalnum, text)) for text in texts):
            st.error(escape_markdown(say(f"pages.training_bad_pin_{kind}", text=" | ".join(texts))))
            return None
    return inputs


def _first_inputs(task: str) -> list[tuple[str, ...]]:
    """Two inputs to track if nobody chooses others: examples of the task's page, else sentences of the sample."""
    page = task_page(task)
    if len(page.boxes) == get_task(task).input_texts:
        inputs = [texts for _, texts in page.examples[:2] if all(texts)]
        return [tuple(" ".join(text.split()) for text in texts) for texts in inputs]  # a line each
    return [texts[:1] for texts in first_examples(task, 2)]
