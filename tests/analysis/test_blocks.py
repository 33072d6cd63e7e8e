"""The blocks of a model are all of it."""

import pytest

from tests.explorer.inside_packets import CONFIGURATIONS, classifier, translation
from viz_core.analysis.inside.blocks import model_blocks


@pytest.mark.parametrize("name", [*CONFIGURATIONS, "hidden", "narrow", "next"])
def test_parameters_add_up_to_those_of_the_model(name):
    checkpoint, _ = classifier(name)
    blocks = model_blocks(checkpoint.model.anatomy)
    assert sum(block.parameters for block in blocks) == checkpoint.model.config.parameters()


def test_parameters_of_a_translation_model_add_up():
    checkpoint, _ = translation()
    blocks = model_blocks(checkpoint.model.anatomy)
    assert sum(block.parameters for block in blocks) == checkpoint.model.config.parameters()
    decoder = [block.name for block in blocks if block.stack == "decoder" and block.layer in (None, 0)]
    assert decoder == ["embedding", "attention", "cross_attention", "feedforward", "norm", "classifier"]


@pytest.mark.parametrize(
    "name, before, after",
    [
        ("stem", ["stem"], ["norm", "classifier"]),
        ("narrow", ["mapping"], []),
        ("hidden", [], ["classifier_hidden", "classifier"]),
        ("next", [], ["norm", "classifier"]),
    ],
)
def test_blocks_are_in_the_order_of_the_computation(name, before, after):
    blocks = model_blocks(classifier(name)[0].model.anatomy)
    layers = [(part, layer) for layer in (0, 1) for part in ("attention", "feedforward")]
    outside = [[(part, None) for part in parts] for parts in (["embedding", *before], after)]
    assert [(block.name, block.layer) for block in blocks] == [*outside[0], *layers, *outside[1]]
    assert {block.stack for block in blocks} == {"encoder"}


def test_parameters_of_a_block():
    checkpoint, _ = classifier("post")
    attention = next(block for block in model_blocks(checkpoint.model.anatomy) if block.name == "attention")
    assert attention.parameters == 4 * (64 + 8) + 16
