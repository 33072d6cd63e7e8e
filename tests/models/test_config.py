"""The configuration of an encoder: inconsistent values are refused by name; the presets are valid."""

from dataclasses import asdict

import pytest
import torch

from tests.tiny import config
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder
from viz_core.models.encoder_decoder_config import EncoderDecoderConfig
from viz_core.models.kinds import KINDS
from viz_core.tasks import CLASSIFICATION, all_tasks, get_task

SHAPES = [
    dict(),
    dict(norm="post"),
    dict(positions="sinusoidal"),
    dict(overlap=True),
    dict(stem="convolution"),
    dict(layers=5, heads=4, width=12),
    dict(classes=3, feedforward=7, segments=1),
    dict(norm="post", positions="sinusoidal", overlap=True, pooling="mean"),
]


@pytest.mark.parametrize(
    "values, message",
    [
        (dict(width=10, heads=4), "width 10 is not divisible by 4 heads"),
        (dict(layers=0), "layers is 0"),
        (dict(layers=2.5), "layers is 2.5"),
        (dict(vocabulary=True), "vocabulary is True"),
        (dict(dropout=1.0), r"dropout is 1\.0"),
        (dict(attention_dropout=-0.1), r"attention_dropout is -0\.1"),
        (dict(norm="middle"), "norm is 'middle': it must be one of pre, post"),
        (dict(activation="swish"), "activation is 'swish': it must be one of relu, gelu"),
        (dict(pooling="max"), "pooling is 'max': it must be one of cls, mean"),
        (dict(positions="relative"), "positions is 'relative': it must be one of learned, sinusoidal, rotary"),
        (dict(width=6, heads=2, positions="rotary"), "width of a head 3 is odd"),
        (dict(width=9, heads=3, positions="sinusoidal"), "width 9 is odd"),
    ],
)
def test_inconsistent_values_are_refused_by_name(values, message):
    with pytest.raises(ValueError, match=message):
        config(**values)


def test_saved_config_is_rebuilt():
    assert EncoderConfig.from_dict(asdict(config(overlap=True))) == config(overlap=True)


def test_unknown_or_missing_settings_are_named():
    with pytest.raises(ValueError, match="depth"):
        EncoderConfig.from_dict({**asdict(config()), "depth": 3})
    with pytest.raises(ValueError, match="layers"):
        EncoderConfig.from_dict({name: value for name, value in asdict(config()).items() if name != "layers"})


@pytest.mark.parametrize(
    "task, name", [(task, name) for task in all_tasks(CLASSIFICATION) for name in get_task(task).presets]
)
def test_every_preset_describes_a_model(task, name):
    preset = get_task(task).presets[name]
    config = KINDS[preset.kind].config(dict(vocabulary=100, max_tokens=get_task(task).max_tokens, **preset.config))
    with torch.device("meta"):  # shapes only
        model = KINDS[preset.kind].build(config)
    assert sum(parameter.numel() for parameter in model.parameters()) == config.parameters()


@pytest.mark.parametrize(
    "task, sizes",
    [
        ("imdb", dict(layers=4, heads=8, width=256, feedforward=512, dropout=0.3, pooling="mean", max_tokens=512)),
        ("afqmc", dict(layers=6, heads=8, width=256, feedforward=1024, dropout=0.05, pooling="cls", max_tokens=64)),
    ],
)
def test_course_models_have_their_sizes(task, sizes):
    preset = EncoderConfig(
        vocabulary=100, max_tokens=get_task(task).max_tokens, **get_task(task).presets["course"].config
    )
    assert sizes.items() <= asdict(preset).items()


def test_size_of_the_afqmc_course_model_by_hand():
    """1,708 tokens; a layer is 4 projections, 2 feed-forward matrices and 2 normalisations."""
    D, F, V, T = 256, 1024, 1_708, 64
    layer = 4 * (D * D + D) + (D * F + F) + (F * D + D) + 2 * 2 * D
    expected = (V + T + 2) * D + 6 * layer + (D * 2 + 2)
    with torch.device("meta"):
        model = Encoder(EncoderConfig(vocabulary=V, max_tokens=T, **get_task("afqmc").presets["course"].config))
    assert sum(parameter.numel() for parameter in model.parameters()) == expected


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_parameters_are_those_of_the_encoder(shape):
    sizes = config(**shape)
    assert sizes.parameters() == sum(parameter.numel() for parameter in Encoder(sizes).parameters())


def test_activations_by_hand():
    """T = 5, L = 2, D = 8, F = 16: 5 × (2 × (80 + 48) + 24); dropout on the weights of H = 2 heads: 2 × 3 × 2 × 25."""
    sizes, dropout = config(), config(attention_dropout=0.1)
    assert sizes.activations(5) == sizes.activations(5, fused=True) == dropout.activations(5, fused=True) == 1400
    assert dropout.activations(5) == 1400 + 300


def test_activations_of_an_encoder_with_a_decoder_by_hand():
    """T = 5 of 9 tokens, L = 2, D = 8, F = 16, 30 in the vocabulary: 5 × (2 × (216 + 96) + 48 + 30); dropout on the
    weights of three attentions with H = 2 heads: 3 × 2 × 3 × 2 × 25."""
    sizes = dict(vocabulary=30, max_tokens=16, layers=2, heads=2, width=8, feedforward=16)
    plain, dropout = EncoderDecoderConfig(**sizes), EncoderDecoderConfig(**sizes, attention_dropout=0.1)
    assert plain.activations(9) == dropout.activations(9, fused=True) == 3510
    assert dropout.activations(9) == 3510 + 900


def test_operations_by_hand():
    """Six per weight and token, 6 × 5 × 2 × (4 × 64 + 2 × 128), and pairs of tokens, 12 × 2 × 25 × 8."""
    assert config().operations(5) == 30_720 + 4_800


@pytest.mark.parametrize(("layers", "more", "expected"), [(3, 0, 3), (3, -1, 2), (1, -1, 1), (4, 10**6, 4), (2, 1, 2)])
def test_a_model_shrinks_to_the_layers_that_fit(layers, more, expected):
    """Limits in parameters: those of so many layers, and some more."""
    limit = config(layers=layers).parameters() + more
    assert config(layers=4).shrink(limit) == config(layers=expected)


TRANSFORMER = dict(layers=2, heads=2, width=4, feedforward=6)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("encoder", TRANSFORMER),
        ("encoder_decoder", TRANSFORMER),
        ("recurrent", dict(width=4, bidirectional=True, reading="attention")),
        ("bag", dict(width=4, bigrams=7)),
        ("tfidf", dict(bigrams=7)),
    ],
)
def test_a_kind_builds_its_model_from_its_saved_settings(kind, settings):
    kind, sizes = KINDS[kind], dict(vocabulary=20, max_tokens=9, **settings)
    built = kind.config(sizes)
    assert sizes.items() <= asdict(built).items() and kind.build(built).config == built
