"""Interventions: what is changed is changed and nothing else, by itself as in a batch of others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from tests.tiny import encoder, text_encoder
from viz_core.analysis import whatif
from viz_core.analysis.explain import explain
from viz_core.analysis.removal import logits_with_mask
from viz_core.analysis.whatif import Changes, attention_row, head_effects, predict_with_changes
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.models.batch import pad
from viz_core.records import Failure, Metrics
from viz_core.tasks import TASKS
from viz_core.text.tokenizer import UNK

LAYERS = HEADS = 2


def checkpoint(task: str = "imdb", **values) -> Checkpoint:
    text = text_encoder(task)
    model = encoder(vocabulary=text.vocabulary, **values)
    return Checkpoint(
        "tiny", TASKS[task], Settings(task, model.config, temperature=2.0, threshold=0.4), model, text, Metrics()
    )


MODEL = checkpoint()
REVIEW = MODEL.text_encoder.encode("not a good film")  # [CLS] not a good film [SEP]
PAIRED = checkpoint("afqmc", overlap=True)
PAIR = PAIRED.text_encoder.encode("花呗还款", "借呗还")  # [CLS] 4 [SEP] 3 [SEP]


def attention(one: Changes, of: Checkpoint = MODEL, encoding=REVIEW) -> np.ndarray:
    """What each head of the first layer looks at under an intervention `(H, T, T)`: there, nothing before it has changed."""
    rows = [
        [attention_row(of, encoding, one, (0, head, query)) for query in range(len(encoding.ids))]
        for head in range(HEADS)
    ]
    return np.array(rows)


def by_hand(model: Checkpoint, ids: list[int], segments: list[int]) -> np.ndarray:
    """The probabilities of ids that are simply given to the encoder."""
    with torch.inference_mode():
        found = model.model(*pad([np.array(ids)], [np.array(segments)])).logits[0].numpy()
    return softmax(found / model.settings.temperature)


def test_nothing_changed_changes_nothing():
    np.testing.assert_allclose(
        predict_with_changes(MODEL, REVIEW, [Changes()])[0], explain(MODEL, REVIEW.texts[0]).probabilities, atol=1e-6
    )
    assert predict_with_changes(MODEL, REVIEW, []).shape == (0, 2)


@pytest.mark.parametrize("layer", range(LAYERS))
@pytest.mark.parametrize("head", range(HEADS))
def test_a_masked_head_is_its_slice_of_the_output_projection_set_to_zero(layer, head):
    other = checkpoint()
    width = other.model.config.width // HEADS
    with torch.no_grad():
        other.model.layers[layer].attention.output.weight[:, head * width : (head + 1) * width] = 0
    masked = predict_with_changes(MODEL, REVIEW, [Changes(masked=frozenset([(layer, head)]))])[0]
    np.testing.assert_allclose(masked, by_hand(other, REVIEW.ids, REVIEW.segments), atol=1e-6)
    assert abs(masked - explain(MODEL, REVIEW.texts[0]).probabilities).max() > 1e-4


def test_a_uniform_head_gives_the_mean_of_its_values():
    """What a layer adds, worked out from its own weights: head 1 as it is, head 2 as the mean over all tokens."""
    seen, layer = {}, MODEL.model.layers[0].attention
    d = MODEL.model.config.width // HEADS
    hooks = [
        layer.value.register_forward_hook(lambda _, given, made: seen.update(values=made[0])),
        layer.output.register_forward_hook(lambda _, given, made: seen.update(joined=given[0][0])),
    ]
    one = Changes(uniform=frozenset([(0, 1)]))
    try:
        predict_with_changes(MODEL, REVIEW, [one])
    finally:
        for hook in hooks:
            hook.remove()
    mean = seen["values"][:, d:].mean(0)
    torch.testing.assert_close(seen["joined"][:, d:], mean.expand(len(REVIEW.ids), d))
    np.testing.assert_allclose(attention(one)[1], 1 / 6, atol=1e-6)
    np.testing.assert_allclose(attention(one)[0], explain(MODEL, REVIEW.texts[0]).attention[0, 0], atol=1e-6)


def test_a_blocked_token_is_looked_at_by_nobody_and_the_other_weights_keep_their_shares():
    before, blocked = attention(Changes()), attention(Changes(blocked=frozenset([3])))
    assert (blocked[:, :, 3] == 0).all()
    np.testing.assert_allclose(blocked.sum(-1), 1, atol=1e-6)
    left = np.delete(before, 3, axis=-1)
    np.testing.assert_allclose(np.delete(blocked, 3, axis=-1), left / left.sum(-1, keepdims=True), atol=1e-6)


def test_blocking_goes_for_uniform_heads_too():
    found = attention(Changes(uniform=frozenset([(0, 0)]), blocked=frozenset([0, 3])))[0]
    np.testing.assert_allclose(found, np.tile([0, 0.25, 0.25, 0, 0.25, 0.25], (6, 1)), atol=1e-6)


def test_a_row_that_looked_at_blocked_tokens_alone_looks_at_the_others_alike():
    one = Changes(rows={(0, 1, 2): np.eye(6)[4]}, blocked=frozenset([4]))
    seen = {}

    def watch(_, given, made):
        seen["joined"] = given[0][0]

    hook = MODEL.model.layers[0].attention.output.register_forward_hook(watch)
    try:
        predict_with_changes(MODEL, REVIEW, [one])
    finally:
        hook.remove()
    values = MODEL.model.layers[0].attention.value(
        MODEL.model.layers[0].attention_norm(MODEL.model.embedding(*pad([REVIEW.ids], [REVIEW.segments])))
    )[0, :, 4:]
    torch.testing.assert_close(seen["joined"][2, 4:], values[[0, 1, 2, 3, 5]].mean(0), atol=1e-5, rtol=0)


def test_an_edited_row_is_what_the_query_looks_at():
    """A row that looks at one token alone takes that token's value."""
    row, layer = np.eye(6)[3], MODEL.model.layers[0].attention
    seen = {}
    hooks = [
        layer.value.register_forward_hook(lambda _, given, made: seen.update(values=made[0])),
        layer.output.register_forward_hook(lambda _, given, made: seen.update(joined=given[0][0])),
    ]
    try:
        changed = predict_with_changes(MODEL, REVIEW, [Changes(rows={(0, 1, 0): row})])[0]
    finally:
        for hook in hooks:
            hook.remove()
    torch.testing.assert_close(seen["joined"][0, 4:], seen["values"][3, 4:])
    assert abs(changed - explain(MODEL, REVIEW.texts[0]).probabilities).max() > 1e-4


def test_a_row_edited_to_what_it_was_changes_nothing():
    before = explain(MODEL, REVIEW.texts[0])
    rows = {(layer, head, query): before.attention[layer, head, query] for layer, head, query in np.ndindex(2, 2, 6)}
    np.testing.assert_allclose(
        predict_with_changes(MODEL, REVIEW, [Changes(rows=rows)])[0], before.probabilities, atol=1e-5
    )


@pytest.mark.parametrize("removed", [[1], [4], [1, 2, 4]])
def test_a_removed_token_is_masked_in_its_place_as_for_leave_one_out(removed):
    kept = ~np.isin(np.arange(6), removed)[None]
    expected = MODEL.settings.probabilities(logits_with_mask(MODEL.model, REVIEW.ids, REVIEW.segments, kept).numpy())
    np.testing.assert_allclose(
        predict_with_changes(MODEL, REVIEW, [Changes(removed=frozenset(removed))]), expected, atol=1e-6
    )


def test_a_removed_token_leaves_the_others_where_they_were():
    """By hand: the same tokens with their own positions, and nobody sees the one between them."""
    removed, deleted = predict_with_changes(
        MODEL, REVIEW, [Changes(removed=frozenset([2])), Changes(deleted=frozenset([2]))]
    )
    assert abs(removed - deleted).max() > 1e-4, "the tokens behind it would have moved up"
    last = predict_with_changes(MODEL, REVIEW, [Changes(removed=frozenset([4])), Changes(deleted=frozenset([4]))])
    assert abs(last[0] - last[1]).max() > 1e-6, "[SEP] would have moved up"


@pytest.mark.parametrize(("deleted", "left"), [([1], [0, 2, 3, 4, 5]), ([4], [0, 1, 2, 3, 5]), ([1, 2, 4], [0, 3, 5])])
def test_a_deleted_token_is_as_if_it_had_never_been_typed(deleted, left):
    probabilities = predict_with_changes(MODEL, REVIEW, [Changes(deleted=frozenset(deleted))])[0]
    np.testing.assert_allclose(probabilities, by_hand(MODEL, REVIEW.ids[left], REVIEW.segments[left]), atol=1e-6)


def test_a_deleted_token_of_a_pair_leaves_the_segments_and_the_overlap_right():
    """Without 还 in the second sentence, that of the first stands in one of them alone."""
    probabilities = predict_with_changes(PAIRED, PAIR, [Changes(deleted=frozenset([8]))])[0]
    left = [at for at in range(10) if at != 8][: len(PAIR.ids) - 1]
    np.testing.assert_allclose(probabilities, by_hand(PAIRED, PAIR.ids[left], PAIR.segments[left]), atol=1e-6)


def test_a_replaced_token_is_unknown():
    ids = REVIEW.ids.copy()
    ids[3] = UNK
    found = predict_with_changes(MODEL, REVIEW, [Changes(unknown=frozenset([3]))])[0]
    np.testing.assert_allclose(found, by_hand(MODEL, ids, REVIEW.segments), atol=1e-6)


def test_an_edited_row_loses_what_is_deleted_and_moves_with_its_query():
    """By hand: [0.5, 0.2, 0.1, 0.1, 0.05, 0.05] without its second weight is each of the others over 0.8."""
    weights = np.array([0.5, 0.2, 0.1, 0.1, 0.05, 0.05])
    one = Changes(deleted=frozenset([1]), rows={(0, 0, 4): weights})
    shorter = MODEL.text_encoder.encode("a good film")
    same = Changes(rows={(0, 0, 3): np.array([0.5, 0.1, 0.1, 0.05, 0.05]) / 0.8})
    np.testing.assert_allclose(
        predict_with_changes(MODEL, REVIEW, [one]), predict_with_changes(MODEL, shorter, [same]), atol=1e-6
    )
    gone = Changes(deleted=frozenset([4]), rows={(0, 0, 4): weights})
    np.testing.assert_allclose(
        predict_with_changes(MODEL, REVIEW, [gone]),
        predict_with_changes(MODEL, REVIEW, [Changes(deleted=frozenset([4]))]),
        atol=1e-6,
    )


def test_an_edited_row_loses_what_is_removed_and_stays_where_it_is():
    weights = np.array([0.5, 0.2, 0.1, 0.1, 0.05, 0.05])
    given = Changes(removed=frozenset([1]), rows={(0, 0, 4): weights})
    by_hand_row = Changes(removed=frozenset([1]), rows={(0, 0, 4): np.array([0.5, 0, 0.1, 0.1, 0.05, 0.05]) / 0.8})
    np.testing.assert_allclose(
        predict_with_changes(MODEL, REVIEW, [given]), predict_with_changes(MODEL, REVIEW, [by_hand_row]), atol=1e-6
    )


def heads():
    return st.frozensets(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=4)


@st.composite
def interventions(draw) -> Changes:
    tokens = st.frozensets(st.integers(1, 4), max_size=3)
    rows = {}
    for place in draw(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 5)), max_size=2)):
        weights = np.array(draw(st.lists(st.integers(0, 9), min_size=6, max_size=6)), float)
        rows[place] = weights / weights.sum() if weights.any() else np.eye(6)[0]
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


@given(st.lists(interventions(), min_size=1, max_size=5))
def test_a_batch_of_all_kinds_is_as_one_by_one(many):
    together = predict_with_changes(MODEL, REVIEW, many)
    np.testing.assert_allclose(together, [predict_with_changes(MODEL, REVIEW, [one])[0] for one in many], atol=1e-5)
    np.testing.assert_allclose(together.sum(1), 1)


@given(interventions(), st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 5)))
def test_what_a_query_looks_at_sums_to_one_and_leaves_out_what_is_not_there(one, row):
    weights = attention_row(MODEL, REVIEW, one, row)
    assert weights.sum() == pytest.approx(0 if row[2] in one.removed | one.deleted else 1, abs=1e-5)
    assert not weights[sorted(one.removed | one.deleted | one.blocked)].any()


def test_one_pass_where_memory_allows_and_more_where_not(monkeypatch):
    many = [Changes(masked=frozenset([head])) for head in np.ndindex(2, 2)]
    passes, whole = [], predict_with_changes(MODEL, REVIEW, many)
    hook = MODEL.model.register_forward_hook(lambda _, given, made: passes.append(len(given[0])))
    try:
        np.testing.assert_array_equal(predict_with_changes(MODEL, REVIEW, many), whole)
        monkeypatch.setattr(whatif, "CELLS", 3 * HEADS * 6 * 6)
        np.testing.assert_allclose(predict_with_changes(MODEL, REVIEW, many), whole, atol=1e-6)
    finally:
        hook.remove()
    assert passes == [4, 3, 1]


def test_the_encoder_is_left_as_it_was():
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
    assert not MODEL.model.training and not any(one._forward_hooks for one in MODEL.model.modules())


def test_each_head_alone():
    effects = head_effects(MODEL, REVIEW)
    before = explain(MODEL, REVIEW.texts[0]).probabilities[-1]
    one = predict_with_changes(MODEL, REVIEW, [Changes(masked=frozenset([(1, 0)]))])[0, -1]
    assert effects.shape == (2, 2) and effects[1, 0] == pytest.approx(one - before, abs=1e-6)
    dead = checkpoint()
    with torch.no_grad():
        dead.model.layers[0].attention.output.weight[:, :4] = 0
    assert head_effects(dead, REVIEW)[0, 0] == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize(
    ("one", "key"),
    [
        (Changes(masked=frozenset([(2, 0)])), "head"),
        (Changes(uniform=frozenset([(0, -1)])), "head"),
        (Changes(rows={(0, 2, 0): np.eye(6)[0]}), "head"),
        (Changes(rows={(0, 0, 6): np.eye(6)[0]}), "token"),
        (Changes(removed=frozenset([6])), "token"),
        (Changes(blocked=frozenset([-1])), "token"),
        (Changes(removed=frozenset([0])), "special"),
        (Changes(deleted=frozenset([5])), "special"),
        (Changes(unknown=frozenset([5])), "special"),
        (Changes(removed=frozenset([1, 2, 3, 4])), "empty"),
        (Changes(removed=frozenset([1, 2]), deleted=frozenset([3, 4])), "empty"),
        (Changes(blocked=frozenset(range(6))), "blind"),
        (Changes(removed=frozenset([1]), blocked=frozenset([0, 2, 3, 4, 5])), "blind"),
        (Changes(rows={(0, 0, 0): np.ones(5) / 5}), "row_length"),
        (Changes(rows={(0, 0, 0): np.ones(6)}), "row"),
        (Changes(rows={(0, 0, 0): np.array([1.5, -0.5, 0, 0, 0, 0])}), "row"),
        (Changes(rows={(0, 0, 0): np.full(6, np.nan)}), "row"),
    ],
)
def test_what_cannot_be_is_said(one, key):
    with pytest.raises(Failure) as failed:
        predict_with_changes(MODEL, REVIEW, [Changes(), one])
    assert failed.value.message.key == f"analysis.intervention_{key}"


def test_each_sentence_of_a_pair_keeps_a_token():
    with pytest.raises(Failure, match="empty"):
        predict_with_changes(
            PAIRED, PAIR, [Changes(removed=frozenset(np.flatnonzero(~PAIR.special & (PAIR.segments == 1)).tolist()))]
        )


def test_the_row_of_a_head_that_is_masked_is_what_it_would_look_at():
    one = Changes(masked=frozenset([(1, 1)]), rows={(1, 1, 2): np.eye(6)[0]})
    before = explain(MODEL, REVIEW.texts[0]).attention[1, 1, 2]
    np.testing.assert_allclose(attention_row(MODEL, REVIEW, one, (1, 1, 2)), before, atol=1e-6)
    assert not np.allclose(
        attention_row(MODEL, REVIEW, replace(one, masked=frozenset([(0, 0)])), (1, 1, 2)), before, atol=1e-4
    )
