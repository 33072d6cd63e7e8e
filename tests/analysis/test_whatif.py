"""What-if: only what was changed changes, alone and in a batch."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from tests.tiny import encoder, text_encoder
from viz_core.analysis import whatif
from viz_core.analysis.attribution.removal import logits_with_mask
from viz_core.analysis.explain import explain
from viz_core.analysis.whatif import Changes, attention_row, head_effects, predict_with_changes
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.models.batch import pad
from viz_core.records import Metrics
from viz_core.tasks import get_task
from viz_core.text.building import UNK

LAYERS = HEADS = 2


def checkpoint(task: str = "imdb", **values) -> Checkpoint:
    text = text_encoder(task)
    model = encoder(vocabulary=text.vocabulary, **values)
    return Checkpoint(
        "tiny", get_task(task), Settings(task, model.config, temperature=2.0, threshold=0.4), model, text, Metrics()
    )


MODEL = checkpoint()
REVIEW = MODEL.text_encoder.encode("not a good film")  # [CLS] not a good film [SEP]
PAIRED = checkpoint("afqmc", overlap=True)
PAIR = PAIRED.text_encoder.encode("花呗还款", "借呗还")  # [CLS] 4 [SEP] 3 [SEP]


def first_layer(changes: Changes) -> np.ndarray:
    """Attention of the first layer `(H, T, T)` under the changes; no earlier layer can affect it."""
    rows = [
        [attention_row(MODEL, REVIEW, changes, (0, head, query)) for query in range(len(REVIEW.ids))]
        for head in range(HEADS)
    ]
    return np.array(rows)


def predict_ids(model: Checkpoint, ids: list[int], segments: list[int]) -> np.ndarray:
    """The probabilities when the encoder gets these ids directly."""
    with torch.inference_mode():
        logits = model.model(*pad([np.array(ids)], [np.array(segments)])).logits[0].numpy()
    return softmax(logits / model.settings.temperature)


def test_no_changes_give_the_unchanged_prediction():
    np.testing.assert_allclose(
        predict_with_changes(MODEL, REVIEW, [Changes()])[0], explain(MODEL, REVIEW.texts[0]).probabilities, atol=1e-6
    )
    assert predict_with_changes(MODEL, REVIEW, []).shape == (0, 2)


@pytest.mark.parametrize("layer", range(LAYERS))
@pytest.mark.parametrize("head", range(HEADS))
def test_masking_a_head_equals_zeroing_its_slice_of_the_output_projection(layer, head):
    zeroed = checkpoint()
    width = zeroed.model.config.width // HEADS
    with torch.no_grad():
        zeroed.model.layers[layer].attention.output.weight[:, head * width : (head + 1) * width] = 0
    masked = predict_with_changes(MODEL, REVIEW, [Changes(masked=frozenset([(layer, head)]))])[0]
    np.testing.assert_allclose(masked, predict_ids(zeroed, REVIEW.ids, REVIEW.segments), atol=1e-6)
    assert abs(masked - explain(MODEL, REVIEW.texts[0]).probabilities).max() > 1e-4


def test_a_uniform_head_outputs_the_mean_of_its_values():
    """The input of the output projection: head 1 unchanged, head 2 the mean value over all tokens."""
    tensors, layer = {}, MODEL.model.layers[0].attention
    d = MODEL.model.config.width // HEADS
    hooks = [
        layer.value.register_forward_hook(lambda _, inputs, output: tensors.update(values=output[0])),
        layer.output.register_forward_hook(lambda _, inputs, output: tensors.update(heads=inputs[0][0])),
    ]
    changes = Changes(uniform=frozenset([(0, 1)]))
    try:
        predict_with_changes(MODEL, REVIEW, [changes])
    finally:
        for hook in hooks:
            hook.remove()
    mean = tensors["values"][:, d:].mean(0)
    torch.testing.assert_close(tensors["heads"][:, d:], mean.expand(len(REVIEW.ids), d))
    np.testing.assert_allclose(first_layer(changes)[1], 1 / 6, atol=1e-6)
    np.testing.assert_allclose(first_layer(changes)[0], explain(MODEL, REVIEW.texts[0]).attention[0, 0], atol=1e-6)


def test_a_blocked_token_receives_no_attention_and_the_other_weights_are_rescaled():
    before, blocked = first_layer(Changes()), first_layer(Changes(blocked=frozenset([3])))
    assert (blocked[:, :, 3] == 0).all()
    np.testing.assert_allclose(blocked.sum(-1), 1, atol=1e-6)
    left = np.delete(before, 3, axis=-1)
    np.testing.assert_allclose(np.delete(blocked, 3, axis=-1), left / left.sum(-1, keepdims=True), atol=1e-6)


def test_blocking_applies_to_uniform_heads():
    attention = first_layer(Changes(uniform=frozenset([(0, 0)]), blocked=frozenset([0, 3])))[0]
    np.testing.assert_allclose(attention, np.tile([0, 0.25, 0.25, 0, 0.25, 0.25], (6, 1)), atol=1e-6)


def test_a_row_with_all_weight_on_blocked_tokens_becomes_uniform_over_the_others():
    changes = Changes(rows={(0, 1, 2): np.eye(6)[4]}, blocked=frozenset([4]))
    tensors = {}

    def save_heads(_, inputs, output):
        tensors["heads"] = inputs[0][0]

    hook = MODEL.model.layers[0].attention.output.register_forward_hook(save_heads)
    try:
        predict_with_changes(MODEL, REVIEW, [changes])
    finally:
        hook.remove()
    values = MODEL.model.layers[0].attention.value(
        MODEL.model.layers[0].attention_norm(MODEL.model.embedding(*pad([REVIEW.ids], [REVIEW.segments])))
    )[0, :, 4:]
    torch.testing.assert_close(tensors["heads"][2, 4:], values[[0, 1, 2, 3, 5]].mean(0), atol=1e-5, rtol=0)


def test_an_edited_row_replaces_the_attention_of_the_query():
    """A row with all weight on a single token returns the value of that token."""
    row, layer = np.eye(6)[3], MODEL.model.layers[0].attention
    tensors = {}
    hooks = [
        layer.value.register_forward_hook(lambda _, inputs, output: tensors.update(values=output[0])),
        layer.output.register_forward_hook(lambda _, inputs, output: tensors.update(heads=inputs[0][0])),
    ]
    try:
        changed = predict_with_changes(MODEL, REVIEW, [Changes(rows={(0, 1, 0): row})])[0]
    finally:
        for hook in hooks:
            hook.remove()
    torch.testing.assert_close(tensors["heads"][0, 4:], tensors["values"][3, 4:])
    assert abs(changed - explain(MODEL, REVIEW.texts[0]).probabilities).max() > 1e-4


def test_rows_edited_to_their_original_weights_change_nothing():
    before = explain(MODEL, REVIEW.texts[0])
    rows = {(layer, head, query): before.attention[layer, head, query] for layer, head, query in np.ndindex(2, 2, 6)}
    np.testing.assert_allclose(
        predict_with_changes(MODEL, REVIEW, [Changes(rows=rows)])[0], before.probabilities, atol=1e-5
    )


@pytest.mark.parametrize("removed", [[1], [4], [1, 2, 4]])
def test_a_removed_token_is_masked_in_place_as_in_leave_one_out(removed):
    masks = ~np.isin(np.arange(6), removed)[None]
    expected = MODEL.settings.probabilities(logits_with_mask(MODEL.model, REVIEW, masks).numpy())
    np.testing.assert_allclose(
        predict_with_changes(MODEL, REVIEW, [Changes(removed=frozenset(removed))]), expected, atol=1e-6
    )


def test_removal_and_deletion_differ_in_the_positions_of_later_tokens():
    removed, deleted = predict_with_changes(
        MODEL, REVIEW, [Changes(removed=frozenset([2])), Changes(deleted=frozenset([2]))]
    )
    assert abs(removed - deleted).max() > 1e-4, "later tokens move up when deleting"
    last = predict_with_changes(MODEL, REVIEW, [Changes(removed=frozenset([4])), Changes(deleted=frozenset([4]))])
    assert abs(last[0] - last[1]).max() > 1e-6, "[SEP] moves up when deleting"


@pytest.mark.parametrize(("deleted", "left"), [([1], [0, 2, 3, 4, 5]), ([4], [0, 1, 2, 3, 5]), ([1, 2, 4], [0, 3, 5])])
def test_a_deleted_token_might_as_well_not_have_been_typed(deleted, left):
    probabilities = predict_with_changes(MODEL, REVIEW, [Changes(deleted=frozenset(deleted))])[0]
    np.testing.assert_allclose(probabilities, predict_ids(MODEL, REVIEW.ids[left], REVIEW.segments[left]), atol=1e-6)


def test_deleting_a_token_of_a_pair_updates_segments_and_overlap():
    """Without 还 in the second sentence, the 还 of the first is no longer shared."""
    probabilities = predict_with_changes(PAIRED, PAIR, [Changes(deleted=frozenset([8]))])[0]
    left = [index for index in range(10) if index != 8][: len(PAIR.ids) - 1]
    np.testing.assert_allclose(probabilities, predict_ids(PAIRED, PAIR.ids[left], PAIR.segments[left]), atol=1e-6)


def test_a_replaced_token_is_unknown():
    ids = REVIEW.ids.copy()
    ids[3] = UNK
    probabilities = predict_with_changes(MODEL, REVIEW, [Changes(unknown=frozenset([3]))])[0]
    np.testing.assert_allclose(probabilities, predict_ids(MODEL, ids, REVIEW.segments), atol=1e-6)


def test_an_edited_row_drops_deleted_keys_and_moves_with_its_query():
    """[0.5, 0.2, 0.1, 0.1, 0.05, 0.05] without its second weight is divided by 0.8."""
    weights = np.array([0.5, 0.2, 0.1, 0.1, 0.05, 0.05])
    edited = Changes(deleted=frozenset([1]), rows={(0, 0, 4): weights})
    shorter = MODEL.text_encoder.encode("a good film")
    same = Changes(rows={(0, 0, 3): np.array([0.5, 0.1, 0.1, 0.05, 0.05]) / 0.8})
    np.testing.assert_allclose(
        predict_with_changes(MODEL, REVIEW, [edited]), predict_with_changes(MODEL, shorter, [same]), atol=1e-6
    )
    deleted_query = Changes(deleted=frozenset([4]), rows={(0, 0, 4): weights})
    np.testing.assert_allclose(
        predict_with_changes(MODEL, REVIEW, [deleted_query]),
        predict_with_changes(MODEL, REVIEW, [Changes(deleted=frozenset([4]))]),
        atol=1e-6,
    )


def test_an_edited_row_drops_removed_keys_and_keeps_its_position():
    weights = np.array([0.5, 0.2, 0.1, 0.1, 0.05, 0.05])
    edited = Changes(removed=frozenset([1]), rows={(0, 0, 4): weights})
    rescaled = Changes(removed=frozenset([1]), rows={(0, 0, 4): np.array([0.5, 0, 0.1, 0.1, 0.05, 0.05]) / 0.8})
    np.testing.assert_allclose(
        predict_with_changes(MODEL, REVIEW, [edited]), predict_with_changes(MODEL, REVIEW, [rescaled]), atol=1e-6
    )


def heads():
    return st.frozensets(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=4)


@st.composite
def change_sets(draw) -> Changes:
    tokens = st.frozensets(st.integers(1, 4), max_size=3)
    rows = {}
    for row in draw(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 5)), max_size=2)):
        weights = np.array(draw(st.lists(st.integers(0, 9), min_size=6, max_size=6)), float)
        rows[row] = weights / weights.sum() if weights.any() else np.eye(6)[0]
    removed = draw(tokens)
    return Changes(
        draw(heads()),
        draw(heads()),
        rows,
        removed,
        draw(tokens),
        draw(st.frozensets(st.integers(1, 5), max_size=4)),
        draw(st.frozensets(st.integers(1, 4), max_size=3 - len(removed))),
    )


@given(st.lists(change_sets(), min_size=1, max_size=5))
def test_a_batch_gives_the_same_as_single_predictions(variants):
    together = predict_with_changes(MODEL, REVIEW, variants)
    np.testing.assert_allclose(
        together, [predict_with_changes(MODEL, REVIEW, [changes])[0] for changes in variants], atol=1e-5
    )
    np.testing.assert_allclose(together.sum(1), 1)


@given(change_sets(), st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 5)))
def test_an_attention_row_sums_to_1_and_leaves_out_removed_and_blocked_tokens(changes, row):
    weights = attention_row(MODEL, REVIEW, changes, row)
    assert weights.sum() == pytest.approx(0 if row[2] in changes.removed | changes.deleted else 1, abs=1e-5)
    assert not weights[sorted(changes.removed | changes.deleted | changes.blocked)].any()


def test_a_single_pass_if_memory_allows_and_more_otherwise(monkeypatch):
    variants = [Changes(masked=frozenset([head])) for head in np.ndindex(2, 2)]
    passes, whole = [], predict_with_changes(MODEL, REVIEW, variants)
    hook = MODEL.model.register_forward_hook(lambda _, inputs, output: passes.append(len(inputs[0])))
    try:
        np.testing.assert_array_equal(predict_with_changes(MODEL, REVIEW, variants), whole)
        monkeypatch.setattr(whatif, "CELLS", 3 * HEADS * 6 * 6)
        np.testing.assert_allclose(predict_with_changes(MODEL, REVIEW, variants), whole, atol=1e-6)
    finally:
        hook.remove()
    assert passes == [4, 3, 1]


def test_the_encoder_is_unchanged():
    before = {name: tensor.clone() for name, tensor in MODEL.model.state_dict().items()}
    predict_with_changes(
        MODEL,
        REVIEW,
        [
            Changes(
                frozenset([(0, 0)]),
                frozenset([(1, 1)]),
                {(0, 1, 2): np.eye(6)[0]},
                frozenset([1]),
                frozenset([2]),
                frozenset([5]),
                frozenset([3]),
            )
        ],
    )
    assert all(torch.equal(before[name], tensor) for name, tensor in MODEL.model.state_dict().items())
    assert not MODEL.model.training and not any(module._forward_hooks for module in MODEL.model.modules())


def test_the_effect_of_each_head():
    effects = head_effects(MODEL, REVIEW)
    before = explain(MODEL, REVIEW.texts[0]).probabilities[-1]
    masked = predict_with_changes(MODEL, REVIEW, [Changes(masked=frozenset([(1, 0)]))])[0, -1]
    assert effects.shape == (2, 2) and effects[1, 0] == pytest.approx(masked - before, abs=1e-6)
    dead = checkpoint()
    with torch.no_grad():
        dead.model.layers[0].attention.output.weight[:, :4] = 0
    assert head_effects(dead, REVIEW)[0, 0] == pytest.approx(0, abs=1e-7)


def test_the_row_of_a_masked_head_is_its_attention_without_the_mask():
    changes = Changes(masked=frozenset([(1, 1)]), rows={(1, 1, 2): np.eye(6)[0]})
    before = explain(MODEL, REVIEW.texts[0]).attention[1, 1, 2]
    np.testing.assert_allclose(attention_row(MODEL, REVIEW, changes, (1, 1, 2)), before, atol=1e-6)
    assert not np.allclose(
        attention_row(MODEL, REVIEW, replace(changes, masked=frozenset([(0, 0)])), (1, 1, 2)), before, atol=1e-4
    )
