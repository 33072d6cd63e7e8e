"""What the browser draws of the inside of attention, against the model."""

import numpy as np
import pytest

from pages.routes.inside import read_changes
from tests.explorer.inside_packets import (
    KINDS,
    ROTARY,
    classifier,
    first_kind,
    inside_packet,
    inside_record,
    translation,
)
from tests.explorer.javascript import ask
from tests.steps import ACTIVATIONS, linear
from viz_core.analysis.inside.layer_matrices import layer_matrices
from viz_core.explorer.inside import pack_window

CHANGES = [
    {},
    {"unscaled": True},
    {"temperature": 0.5},
    {"scores": [[1, 2, 3.5], [0, 1, 9.0]]},
    {"masked": [0, 3]},
    {"causal": True},
    {"values": -2.0},
    {"unscaled": True, "temperature": 2.0, "scores": [[1, 0, -1.0]], "masked": [2], "causal": True, "values": 0.5},
]
# The first query of causal attention has no other key.
CAUSAL = [{"masked": [2]} if change == {"masked": [0, 3]} else change for change in CHANGES]
OPENED = {"step": "", "changes": {}}


def minus_infinity(values: list[float | None]) -> list[float]:
    return [-np.inf if value is None else value for value in values]


@pytest.mark.parametrize(
    "name, changes",
    [
        *(("post", changes) for changes in CHANGES),
        *(("bounded", changes) for changes in CAUSAL),
        ("biased", CHANGES[-1]),
    ],
)
def test_a_change_gives_the_numbers_of_the_model_before_the_server_has_responded(name, changes):
    record = inside_record(name, read_changes(changes)).of_head
    view = ask("inside", bytes=inside_packet(name, state=OPENED), state={"changes": changes})
    assert minus_infinity(view["masked"]) == pytest.approx(record.masked, abs=1e-5)
    assert view["weights"] == pytest.approx(record.weights, abs=1e-5)
    assert view["entropy"] == pytest.approx(record.entropy, abs=1e-5)
    assert view["context"] == pytest.approx(record.context, abs=1e-5)


@pytest.mark.parametrize("name", ["pre", "causal", "cross", "next", *ROTARY])
def test_the_record_of_a_changed_head_is_drawn_with_its_own_numbers(name):
    changes = {"temperature": 0.5, "values": 3.0, "masked": [1]}
    record, opened = inside_record(name, read_changes(changes)), {"step": "", "changes": changes}
    view = ask("inside", bytes=inside_packet(name, changes=read_changes(changes), state=opened))
    assert view["weights"] == pytest.approx(record.of_head.weights, abs=1e-5)
    assert view["context"] == pytest.approx(record.of_head.context, abs=1e-4)
    assert view["before"]["weights"] == pytest.approx(record.unchanged.weights, abs=1e-6)


@pytest.mark.parametrize("name", ["pre", "post", "stem", "cross", *ROTARY])
def test_what_the_keys_are_computed_from_gives_the_keys_of_the_model(name):
    """In a pre-norm model the browser normalises the residual stream of each key of the window."""
    record = inside_record(name)
    head = record.of_head
    view = ask("inside", bytes=inside_packet(name, state=OPENED), packedWindow=pack_window(record))
    rows = np.array(view["reads"]).reshape(len(head.keys), -1)
    checkpoint = translation()[0] if name in KINDS else classifier(name)[0]
    matrices = layer_matrices(checkpoint, first_kind(name), 0, "keys")
    keys = next(keys for keys in (head.unnormed_keys, head.unrotated_keys, head.keys) if keys is not None)
    assert linear(rows, matrices["w_key"], matrices["b_key"]) == pytest.approx(keys, abs=1e-4)


def test_activations_are_those_of_the_models():
    x = np.linspace(-6, 6, 49)
    for name, values in ask("activations", values=x.tolist()).items():
        assert values == pytest.approx(ACTIVATIONS[name](x), abs=1e-6), name


def test_a_gate_opened_in_the_browser_gives_what_the_second_layer_reads():
    layer = inside_record("rotary").of_layer
    opened = ask("activations", values=layer.gate.tolist())["silu"]
    assert np.array(opened) * layer.hidden == pytest.approx(layer.activated, abs=1e-5)


@pytest.mark.parametrize("name", ["rotary", "headed", "parallel", "bounded", "joint"])
def test_arrows_are_turned_by_position_times_frequency(name):
    """As the browser draws and names them: query and key before the rotation, turned, are those after it."""
    record = inside_record(name)
    step = ask("step", bytes=inside_packet(name, state=OPENED), step="rotation")
    pairs = step["parts"][0]["pairs"]
    assert pairs["positions"] == {"query": 1, "key": 1}
    for side, vector in (("query", record.of_head.query), ("key", record.of_head.keys[1])):
        before, after = (np.array(pairs["tokens"][side][when]) for when in ("before", "after"))
        assert after == pytest.approx(vector) and not np.allclose(before, after)
        count = len(pairs["frequencies"])
        assert count == len(after) // (4 if name == "parallel" else 2)
        first, second, rest = np.split(before, [count, 2 * count])
        turned = (first + 1j * second) * np.exp(1j * np.array(pairs["frequencies"]) * pairs["positions"][side])
        assert np.concatenate([turned.real, turned.imag, rest]) == pytest.approx(after, abs=1e-5)


def test_what_is_normalised_together_is_shown_by_the_numbers_of_the_head():
    """Each number divided by the root mean square of all heads, times γ, is what is rotated."""
    record = inside_record("joint")
    step = ask("step", bytes=inside_packet("joint", state=OPENED), step="head_norm")
    for part, before, after, joint in (
        (
            step["parts"][0],
            record.of_head.unnormed_query,
            record.of_head.unrotated_query,
            record.of_head.joint_query[0],
        ),
        (
            step["parts"][1],
            record.of_head.unnormed_keys[1],
            record.of_head.unrotated_keys[1],
            record.of_head.joint_keys[1],
        ),
    ):
        shown, divided, gamma, result = (np.array(strip["values"]) for strip in part["strips"])
        assert shown == pytest.approx(before) and divided == pytest.approx(before / joint, abs=1e-5)
        assert divided * gamma == pytest.approx(result, abs=1e-5) and result == pytest.approx(after)


@pytest.mark.parametrize("name", ["bounded", "parallel", "unlearned"])
def test_what_is_added_is_the_sum(name):
    """As drawn: the strips of an addition add up to its last one, which is the output of the layer."""
    for step in ("attention_add", "feedforward_add"):
        if name == "parallel" and step == "attention_add":
            continue
        strips = ask("step", bytes=inside_packet(name, state=OPENED), step=step)["parts"][0]["strips"]
        *added, total = (np.array(strip["values"]) for strip in strips)
        assert len(added) == (3 if name == "parallel" else 2)
        assert sum(added) == pytest.approx(total, abs=1e-4)
    assert total == pytest.approx(inside_record(name).of_layer.output, abs=1e-6)


def test_the_steps_are_in_the_order_of_the_model():
    names = ("pre", "post", "bert", "stem", "hidden", "bare", "narrow", "biased", "next", *ROTARY, "cross")
    steps = {name: ask("steps", bytes=inside_packet(name)) for name in names}
    head = ["query", "keys", "values", "products", "scores", "scaling", "mask", "softmax", "weighting", "heads"]
    end = ["layers", "pooling", "logits", "temperature", "probability"]
    before = ["model", "embedding", "embedding_norm", "attention_norm"]
    layer = ["projection", "attention_add", "feedforward_norm", "feedforward", "feedforward_add"]
    assert steps["pre"] == [*before, *head, *layer, *end]
    post = ["projection", "attention_add", "attention_norm", "feedforward", "feedforward_add", "feedforward_norm"]
    assert steps["post"] == ["model", "embedding", *head, *post, *end]
    assert steps["bert"] == ["model", "embedding", "embedding_norm", *head, *post, *end]
    assert steps["stem"] == [*before[:3], "stem", before[3], *head, *layer, *end]
    assert steps["hidden"] == [*steps["bert"][:-3], "classifier_hidden", "logits", "probability"]
    assert steps["bare"] == steps["bert"][:-4]
    assert steps["narrow"] == [*before[:3], "mapping", *head, *post, "layers"]
    place = steps["hidden"].index("mask")
    assert steps["biased"] == [*steps["hidden"][:place], "bias", *steps["hidden"][place:]]
    place = steps["next"].index("products")
    assert steps["rotary"] == [*steps["next"][:place], "rotation", *steps["next"][place:]]
    assert steps["headed"] == [*steps["next"][:place], "head_norm", "rotation", *steps["next"][place:]]
    assert steps["unlearned"] == steps["rotary"] and steps["unturned"] == steps["next"]
    normed = ["feedforward", "feedforward_output_norm", "feedforward_add"]
    written = ["projection", "attention_output_norm", "attention_add"]
    head = steps["rotary"][2 : steps["rotary"].index("projection")]
    scaling = head.index("scaling") + 1
    first, last = ["model", "embedding"], ["layers", "pooling", "logits"]
    capped = [*head[:scaling], "cap", *head[scaling:]]
    bounded = [*first, *capped, *written, "feedforward_norm", *normed, *last, "logit_cap", "probability"]
    assert steps["bounded"] == bounded
    place = head.index("rotation")
    joint = [*head[1:place], "head_norm", *head[place:]]
    assert steps["joint"] == [*first, *joint, *written, *normed, *last, "probability"]
    together = ["projection", "feedforward_norm", "feedforward", "feedforward_add"]
    assert steps["parallel"] == [*first, *head, *together, *last, "probability"]
    assert steps["cross"] == [step for step in steps["pre"] if step != "temperature"]  # nothing is calibrated
