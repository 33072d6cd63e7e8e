"""Head statistics over many inputs: by hand, against single inputs, and for identical heads."""

import numpy as np
import pytest
import torch

from tests.tiny import QUESTIONS, REVIEWS, batch, encoder, save_checkpoint, text_encoder
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.analysis.heads.profile import (
    CRITERIA,
    OF_PAIRS,
    STATISTICS,
    head_profile,
    layer_statistics,
    punctuation_ids,
)
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.records import Examples
from viz_core.tasks import get_task

CLS, SEP, COMMA = 2, 3, 5


def head_statistics_of(attention, ids, segments, mask=None) -> dict[str, float]:
    """The statistics of a single head on a single input; the token COMMA is punctuation."""
    ids, segments = torch.tensor([ids]), torch.tensor([segments])
    mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else torch.tensor([mask])
    weights, special = torch.tensor(attention, dtype=torch.float32)[None, None], (ids == CLS) | (ids == SEP) | ~mask
    statistics = layer_statistics(weights, ids, segments, mask, special, ids == COMMA)
    return dict(zip(STATISTICS, statistics[:, 0, 0].tolist(), strict=True))


def test_three_tokens_by_hand():
    """[CLS] x [SEP]; the mean row (0.5, 0.5, 0) has entropy log 2; dependence subtracts the mean over rows."""
    statistics = head_statistics_of([[0.5, 0.5, 0], [0, 1, 0], [1, 0, 0]], [CLS, 9, SEP], [0, 0, 0])
    assert statistics["entropy"] == pytest.approx(np.log(2) / 3 / np.log(3))
    assert statistics["entropy_cls"] == pytest.approx(np.log(2) / np.log(3))
    assert statistics["dependence"] == pytest.approx((np.log(2) - np.log(2) / 3) / np.log(3), abs=1e-6)
    assert statistics["distance"] == pytest.approx((0.5 + 0 + 2) / 3)
    assert statistics["self"] == pytest.approx((0.5 + 1 + 0) / 3)
    assert statistics["previous"] == pytest.approx((0 + 0) / 2) and statistics["next"] == pytest.approx((0.5 + 0) / 2)
    assert (statistics["cls"], statistics["sep"]) == pytest.approx(((0.5 + 0 + 1) / 3, 0))
    assert np.isnan(statistics["same"]) and np.isnan(statistics["punctuation"]) and statistics["other"] == 0


def test_punctuation_by_hand():
    """[CLS] x , y [SEP], padded: the mean of five queries on the comma."""
    attention = np.zeros((6, 6))
    attention[:5, 2], attention[:5, 0] = [0.5, 1, 0, 0.25, 0.25], [0.5, 0, 1, 0.75, 0.75]
    statistics = head_statistics_of(attention, [CLS, 9, COMMA, 8, SEP, 0], [0] * 6, [True] * 5 + [False])
    assert statistics["punctuation"] == pytest.approx((0.5 + 1 + 0 + 0.25 + 0.25) / 5)


def test_a_pair_by_hand():
    """[CLS] 花 呗 [SEP] 花 借 [SEP]: 花 occurs in both sentences, at 1 and 4."""
    ids, segments = [CLS, 7, 8, SEP, 7, 9, SEP], [0, 0, 0, 0, 1, 1, 1]
    attention = np.full((7, 7), 1 / 7)
    attention[1] = [0, 0, 0, 0, 0.6, 0.4, 0]
    attention[4] = [0, 0.2, 0.8, 0, 0, 0, 0]
    statistics = head_statistics_of(attention, ids, segments)
    assert statistics["same"] == pytest.approx((0.6 + 0.2) / 2)
    assert statistics["other"] == pytest.approx(
        (1 + 2 / 7 + 1 + 2 / 7) / 4
    )  # from 花 呗 花 借, [CLS] and [SEP] left out
    assert statistics["dependence"] > 0.1


def test_uniform_rows_and_equal_rows():
    even = head_statistics_of(np.full((5, 5), 0.2), [CLS, 9, 9, 9, SEP], [0] * 5)
    assert (even["entropy"], even["dependence"]) == pytest.approx((1, 0), abs=1e-6)
    alike = head_statistics_of(np.tile([0.7, 0.1, 0.1, 0.1, 0], (5, 1)), [CLS, 9, 9, 9, SEP], [0] * 5)
    assert alike["dependence"] == pytest.approx(0, abs=1e-6)  # independent of the query


def test_a_uniform_head_for_comparison_by_hand():
    """[CLS] and words [SEP]: 4 and 6 tokens, a quarter and a sixth on each; distance (T² - 1) / 3T."""
    text = text_encoder("imdb")
    ids, segments = text.ids([" ".join(REVIEWS[0].split()[:count]) for count in (2, 4)])
    assert [len(row) for row in ids] == [4, 6]
    uniform = head_profile(encoder(), Examples(ids, segments, np.zeros(2, int)), pair=False).uniform
    mean = (1 / 4 + 1 / 6) / 2
    expected = dict.fromkeys(("self", "previous", "next", "cls", "sep"), mean) | {"entropy": 1, "entropy_cls": 1}
    expected |= {"dependence": 0, "distance": (15 / 12 + 35 / 18) / 2}
    assert uniform == pytest.approx(expected, abs=1e-6)


def test_padding_changes_nothing():
    model, (ids, segments, mask) = encoder(), batch(9, 4)
    with torch.inference_mode():
        both = model(ids, segments, mask, need_attention=True).own
        alone = model(ids[1:, :4], segments[1:, :4], mask[1:, :4], need_attention=True).own
    shorter = ids[1:, :4], segments[1:, :4], mask[1:, :4]
    for layer in range(2):
        torch.testing.assert_close(
            layer_statistics(both[layer], ids, segments, mask, ~mask, ids == COMMA)[:, 1],
            layer_statistics(alone[layer], *shorter, ~mask[1:, :4], ids[1:, :4] == COMMA)[:, 0],
            atol=1e-5,
            rtol=1e-4,
            equal_nan=True,
        )


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_over_inputs_it_is_the_mean_over_single_inputs(task, tmp_path):
    save_checkpoint(tmp_path, task)
    checkpoint = checkpoints.load(task, "tiny", tmp_path)
    texts = [(review,) for review in REVIEWS] if task == "imdb" else list(zip(QUESTIONS, QUESTIONS[1:], strict=False))
    single = [head_statistics(explain(checkpoint, *texts_of_row)) for texts_of_row in texts]
    ids, segments = checkpoint.text_encoder.ids(*map(list, zip(*texts, strict=True)))
    examples = Examples(ids, segments, np.zeros(len(ids), int))
    assert punctuation_ids(checkpoint.text_encoder, examples) == [], "it is in test_own_texts.py"
    profile = head_profile(checkpoint.model, examples, get_task(task).pair)
    missing = {"punctuation"} if task == "afqmc" else {"punctuation", *OF_PAIRS}
    assert set(STATISTICS) - set(profile.statistics) == missing
    for name in set(CRITERIA) & set(profile.statistics) | {"entropy", "distance"}:
        values = [getattr(statistics, name) for statistics in single]
        expected = np.mean([value for value in values if value is not None], axis=0)  # not all have a same token
        np.testing.assert_allclose(profile.statistics[name], expected, atol=1e-5, err_msg=name)
    assert (profile.rows, profile.pair_rows) == (len(texts), len(texts))


def test_punctuation_is_left_out_where_there_is_none():
    assert "punctuation" not in head_profile(encoder(), examples(3), pair=False).statistics


def test_two_heads_with_equal_weights_have_redundancy_one():
    model = encoder()
    with torch.no_grad():
        for part in (model.layers[0].attention.query, model.layers[0].attention.key):
            part.weight[4:] = part.weight[:4]  # d = 4: the second head's rows become those of the first
            part.bias[4:] = part.bias[:4]
    profile = head_profile(model, examples(6), pair=False)
    assert profile.redundancy[0, 1] == pytest.approx(1, abs=1e-6) and profile.redundancy[2, 3] < 0.9999
    assert profile.redundancy.diagonal() == pytest.approx(1)


def examples(count: int) -> Examples:
    text = text_encoder("imdb")
    ids, segments = text.ids([" ".join(REVIEWS[0].split()[: 2 + number % 6]) for number in range(count)])
    return Examples(ids, segments, np.zeros(count, int))


def test_a_sample_is_seeded_and_reports_progress():
    progress = []
    first = head_profile(encoder(), examples(20), False, progress.append, rows=10, pair_rows=3, seed=1)
    again = head_profile(encoder(), examples(20), False, rows=10, pair_rows=3, seed=1)
    assert (first.rows, first.pair_rows) == (10, 3) and progress == [4, 8, 10]
    np.testing.assert_array_equal(first.statistics["entropy"], again.statistics["entropy"])
    np.testing.assert_array_equal(first.redundancy, again.redundancy)


def test_inputs_may_be_spread_over_several_batches(monkeypatch):
    profiles = []
    for size in (1, 5):
        monkeypatch.setattr("viz_core.analysis.heads.profile._BATCH", size)
        profiles.append(head_profile(encoder(), examples(5), False).statistics)
    for name in profiles[0]:
        np.testing.assert_allclose(profiles[0][name], profiles[1][name], atol=1e-5)
