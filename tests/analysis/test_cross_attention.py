"""Cross-attention and leave-one-out by teacher forcing, against a forward pass for each token."""

import numpy as np
import pytest
import torch

from tests.models.tiny import encoder_decoder
from viz_core.analysis.translation.head_alignment import cross_attention, leave_one_out
from viz_core.text.building import CLS, SEP

SOURCE, TARGET = np.array([CLS, 5, 6, 7, 8, SEP]), np.array([CLS, 9, 10, 11, SEP])


def forward(model, targets: int, masked: int | None = None):
    """The output after the first target tokens, [CLS] included, with a source token masked."""
    mask = torch.ones(1, len(SOURCE), dtype=torch.bool)
    if masked is not None:
        mask[0, masked] = False
    with torch.inference_mode():
        return model(torch.from_numpy(SOURCE)[None], mask, torch.from_numpy(TARGET[:targets])[None], True)


def test_a_token_is_produced_by_the_query_before_it_and_read_by_its_own():
    model = encoder_decoder(1)
    weights = cross_attention(model, SOURCE, TARGET)
    assert {query: values.shape for query, values in weights.items()} == {
        "produces": (2, 2, 3, 4),
        "reads": (2, 2, 3, 4),
    }
    for number in range(3):
        before, after = (forward(model, number + read).attention["cross"][:, 0, :, -1, 1:-1] for read in (1, 2))
        np.testing.assert_allclose(weights["produces"][:, :, number], before, rtol=1e-5)
        np.testing.assert_allclose(weights["reads"][:, :, number], after, rtol=1e-5)


def test_weights_on_special_tokens_are_left_out_and_nothing_is_renormalised():
    sums = cross_attention(encoder_decoder(1), SOURCE, TARGET)["produces"].sum(-1)
    assert (sums < 1).all() and np.ptp(sums) > 0.01


def test_leave_one_out_is_the_drop_of_each_tokens_log_probability():
    model = encoder_decoder(2)
    with torch.no_grad():  # what is predicted depends on the source
        for layer in model.decoder_layers:
            layer.cross_attention.output.weight.mul_(10)
    values = leave_one_out(model, SOURCE, TARGET)
    assert values.shape == (3, 4)
    for token in range(3):
        whole = forward(model, token + 1).logits[0, -1].log_softmax(-1)[TARGET[token + 1]]
        for position in range(4):
            without = forward(model, token + 1, position + 1).logits[0, -1].log_softmax(-1)[TARGET[token + 1]]
            assert values[token, position] == pytest.approx(float(whole - without), abs=1e-5)
    assert np.abs(values).max() > 0.01


def test_without_cross_attention_no_source_token_matters():
    model = encoder_decoder(3)
    with torch.no_grad():
        for layer in model.decoder_layers:
            layer.cross_attention.output.weight.zero_()
    assert np.abs(leave_one_out(model, SOURCE, TARGET)).max() < 1e-6
