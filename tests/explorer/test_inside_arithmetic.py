"""The arithmetic of inside attention in the browser against the model, and its small modules."""

import math

import numpy as np
import pytest

from pages.routes.inside import read_changes
from tests.explorer.inside_packets import KINDS, classifier, inside_packet, inside_record, translation
from tests.steps import layer_norm, linear
from viz_core.analysis.inside.layer_matrices import layer_matrices
from viz_core.explorer.inside import pack_window

pytestmark = pytest.mark.browser

READ = "const record = inside_record.readRecord(bytes);"
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


@pytest.mark.parametrize("name, changes", [*(("post", changes) for changes in CHANGES), ("biased", CHANGES[-1])])
def test_a_change_gives_the_numbers_of_the_model_before_the_server_has_responded(js, name, changes):
    record = inside_record(name, read_changes(changes)).of_head
    entropy, masked, weights, context = js(
        READ
        + """const state = { ...inside_state.fromRecord(record), changes };
        const view = inside_view.viewOf(record, state);
        return [view.entropy, [...view.masked].map(String), view.weights, [...view.context]];""",
        bytes=inside_packet(name, state={"step": "", "changes": {}}),
        changes=changes,
    )
    assert [float(value.replace("Infinity", "inf")) for value in masked] == pytest.approx(record.masked, abs=1e-5)
    assert weights == pytest.approx(record.weights, abs=1e-5) and entropy == pytest.approx(record.entropy, abs=1e-5)
    assert context == pytest.approx(record.context, abs=1e-5)


@pytest.mark.parametrize("name", ["pre", "causal", "cross", "next"])
def test_the_record_of_a_changed_head_is_drawn_with_its_own_numbers(js, name):
    changes = {"temperature": 0.5, "values": 3.0, "masked": [1]}
    record = inside_record(name, read_changes(changes))
    weights, context, before = js(
        READ
        + """const view = inside_view.viewOf(record, inside_state.fromRecord(record));
        return [view.weights, [...view.context], [...view.before.weights]];""",
        bytes=inside_packet(name, changes=read_changes(changes), state={"step": "", "changes": changes}),
    )
    assert weights == pytest.approx(record.of_head.weights, abs=1e-5)
    assert context == pytest.approx(record.of_head.context, abs=1e-4)
    assert before == pytest.approx(record.unchanged.weights, abs=1e-6)


@pytest.mark.parametrize("name", ["pre", "post", "stem", "cross"])
def test_what_the_keys_are_computed_from_gives_the_keys_of_the_model(js, name):
    """In a pre-norm model the browser normalises the residual stream of each key of the window."""
    record = inside_record(name)
    head = record.of_head
    reads = js(
        READ
        + """const window = inside_record.readRecord(packedWindow);
        return [...inside_view.viewOf(record, inside_state.fromRecord(record), { window }).reads];""",
        bytes=inside_packet(name, state={"step": "", "changes": {}}),
        packedWindow=pack_window(record),
    )
    rows = np.array(reads).reshape(len(head.keys), -1)
    checkpoint, kind = (translation()[0], name) if name in KINDS else (classifier(name)[0], "self")
    matrices = layer_matrices(checkpoint, kind, 0, "keys")
    assert linear(rows, matrices["w_key"], matrices["b_key"]) == pytest.approx(head.keys, abs=1e-4)


def test_a_key_outside_the_window_is_shown_once_its_vectors_are_there(js):
    key, of_key = js(
        READ
        + """const view = inside_view.viewOf(record, { ...inside_state.fromRecord(record), key: 99 });
        return [view.key, view.ofKey(record.array("head.keys"), record.sizes.d).length];""",
        bytes=inside_packet("pre", state={"step": "", "changes": {}}),
    )
    assert (key, of_key) == (1, 4)


def test_layer_normalisation_as_in_numpy(js):
    x, weight, bias = np.array([[1.0, 2.0, 6.0]], "f4"), np.array([1, 2, 0.5], "f4"), np.array([0, 1, -1], "f4")
    for epsilon in (1e-5, 0.5):
        code = "return [...inside_arithmetic.layerNorm(x, weight, bias, epsilon)]"
        result = js(code, x=x[0].copy(), weight=weight, bias=bias, epsilon=epsilon)
        assert result == pytest.approx(layer_norm(x, weight, bias, epsilon)[0], abs=1e-6)


def test_entropy_by_hand(js):
    results = js("""const { entropy } = inside_arithmetic;
        return [entropy([0.25, 0.25, 0.25, 0.25], 4), entropy([1, 0, 0]), entropy([0.5, 0.5, 0, 0], 4), entropy([1], 1),
          entropy([0.5, 0.5, 0], 2)];""")
    assert results == pytest.approx([1, 0, 0.5, 0, 1])


def test_the_largest_scores_do_not_overflow(js):
    assert js("return inside_arithmetic.softmax([1000, 1000, -Infinity])") == [0.5, 0.5, 0]
    assert js("return inside_arithmetic.softmax([-Infinity, -Infinity])") == [0, 0]


def test_a_vector_times_a_matrix_by_hand(js):
    assert js("return [...inside_arithmetic.multiply([1, 2, 3, 4], [5, 6], [0, 1])]") == [17, 40]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.000"),
        (-0.1234, "−0.123"),
        (1.236, "1.24"),
        (-12.34, "−12.3"),
        (1234.4, "1234"),
        (3.2e-6, "3·10⁻⁶"),
        (-4.9e-4, "−5·10⁻⁴"),
        (math.exp(100), "2.7·10⁴³"),
    ],
)
def test_numbers_as_text(js, value, text):
    assert js("return inside_numbers.number(value)", value=value) == text


@pytest.mark.parametrize("values", [[0.5, -2.0], [800.0, 799.0], [-800.0, -801.0]])
def test_exponentials_are_those_of_a_pocket_calculator_as_far_as_it_has_them(js, values):
    is_shifted = abs(values[0]) > 300
    expected = [math.exp(value - is_shifted * max(values)) for value in values]
    result = js("return inside_arithmetic.exponentials(values)", values=values)
    assert result == {"powers": pytest.approx(expected), "sum": pytest.approx(sum(expected)), "isShifted": is_shifted}


def test_what_a_query_cannot_attend_to_is_minus_infinity(js):
    assert js("return inside_numbers.number(-Infinity)") == "−∞"


def test_a_formula_becomes_mathml(js):
    markup = js(r"""return inside_formula.formula(String.raw`\frac{s_{ij}}{\sqrt{d}} = "norm"(x)`).innerHTML""")
    assert markup == (
        "<mfrac><mrow><msub><mi>s</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub></mrow><mrow><msqrt><mrow><mi>d</mi>"
        "</mrow></msqrt></mrow></mfrac><mo>=</mo><mtext>norm</mtext><mo>(</mo><mi>x</mi><mo>)</mo>"
    )


def test_the_steps_are_in_the_order_of_the_model(js):
    steps = {
        name: js(READ + "return inside_steps.stepsOf(record)", bytes=inside_packet(name))
        for name in ("pre", "post", "bert", "stem", "hidden", "bare", "cross")
    }
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
    assert steps["cross"] == [step for step in steps["pre"] if step != "temperature"]  # nothing is calibrated


def test_changes_are_kept_only_where_they_change_something(js):
    results = js("""const { tidy, toggleKey, withScore, NONE, isChanged } = inside_state;
        const score = withScore(withScore(NONE, 0, 1, 2), 0, 1, 3);
        return [tidy({ temperature: 1, values: 1, masked: [], causal: false, everywhere: true }), score,
          withScore(score, 0, 1, null), toggleKey(NONE, 2), toggleKey(toggleKey(NONE, 2), 2), isChanged(NONE),
          isChanged(score)];""")
    assert results == [{}, {"scores": [[0, 1, 3]]}, {}, {"masked": [2]}, {}, False, True]


def test_a_link_counts_from_1_and_leaves_the_first_step_out(js):
    state = {"step": "model", "kind": "self", "layer": 1, "head": 0, "query": 3, "key": 0, "changes": {}}
    link = js("return inside_state.toLink(state)", state=state)
    assert link == {"step": "", "kind": "self", "head": "2.1", "query": "4", "key": "1", "changes": {}}


def test_an_edited_score_is_of_its_own_query_only(js):
    scaled = js(
        "return [...inside_arithmetic.weighKeys([2, 4], { d: 4, query: 1 }, { scores: [[0, 0, 9], [1, 1, 7]] }).scaled]"
    )
    assert scaled == [1, 7] and math.sqrt(4) == 2
