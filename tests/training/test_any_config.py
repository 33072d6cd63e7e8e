"""Whatever the sizes of a model are set to, it takes a training step, or a reason says why it cannot be built."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tiny import batch
from viz_core.models.kinds import KINDS
from viz_core.recipes import Recipe
from viz_core.training.building import optimiser_for, parameter_groups

SIZES = st.one_of(st.integers(-1, 12), st.sampled_from([None, "4", 2.5, True, float("nan")]))
SHARES = st.one_of(st.floats(0, 0.9), st.sampled_from([-0.1, 1.0, float("nan"), "0.1", None]))
CONFIGS = st.fixed_dictionaries(
    dict.fromkeys(("layers", "heads", "width", "feedforward"), SIZES),
    optional={
        "dropout": SHARES,
        "attention_dropout": SHARES,
        "norm": st.sampled_from(["pre", "post", "both", None]),
        "activation": st.sampled_from(["relu", "gelu", "tanh"]),
        "pooling": st.sampled_from(["cls", "mean", "max"]),
        "positions": st.sampled_from(["learned", "sinusoidal", "rotary", ""]),
        "stem": st.sampled_from(["none", "convolution", 3]),
        "overlap": st.booleans(),
        "depth": st.integers(),
    },
)


@settings(max_examples=200)
@given(values=CONFIGS, classes=st.integers(2, 4))
def test_a_config_trains_a_step_or_is_refused_with_a_reason(values, classes):
    kind = KINDS["encoder"]
    try:
        config = kind.config({"vocabulary": 30, "max_tokens": 8, "classes": classes, **values})
    except ValueError as error:
        assert str(error)
        return
    torch.manual_seed(0)
    model, recipe = kind.build(config), Recipe()
    optimiser = optimiser_for(parameter_groups(model, recipe), recipe)
    logits = model(*batch(8, 5)).logits
    assert logits.shape == (2, classes)
    torch.nn.functional.cross_entropy(logits, torch.tensor([0, 1])).backward()
    optimiser.step()
    assert all(parameter.isfinite().all() for parameter in model.parameters())


def test_sizes_that_fit_are_among_those_tried():
    """Otherwise the property above would hold for refusals only."""
    config = KINDS["encoder"].config(dict(vocabulary=30, max_tokens=8, layers=1, heads=2, width=4, feedforward=3))
    assert config.parameters() == sum(parameter.numel() for parameter in KINDS["encoder"].build(config).parameters())


@pytest.mark.parametrize("name", ["layers", "heads", "width", "feedforward"])
@pytest.mark.parametrize("value", [0, -1, True, 2.5, "4", None, float("nan")])
def test_a_size_that_is_no_whole_number_from_one_is_named(name, value):
    sizes = {"layers": 1, "heads": 2, "width": 4, "feedforward": 3, name: value}
    with pytest.raises(ValueError, match=name):
        KINDS["encoder"].config({"vocabulary": 30, "max_tokens": 8, **sizes})
