"""The encoder: attention worked out by hand, parity with torch, and what holds for every configuration."""

import itertools
import math
from typing import get_args

import pytest
import torch
from torch import nn

from tests.models.torch_weights import torch_encoder_layer
from tests.tiny import batch, config, encoder
from viz_core.models.attention import Attention
from viz_core.models.embedding import Embedding, occurs_in_other_segment, sinusoidal_positions
from viz_core.models.encoder import Encoder, Stem
from viz_core.models.protocol import Hook, LayerName, on_weights

CHOICES = [
    dict(norm=norm, pooling=pooling, positions=positions, overlap=overlap)
    for norm, pooling, positions, overlap in itertools.product(
        ("pre", "post"), ("cls", "mean"), ("learned", "sinusoidal"), (False, True)
    )
]
CHOICES += [dict(norm=norm, positions="rotary", segments=1) for norm in ("pre", "post")]
CHOICES += [dict(stem="convolution"), dict(stem="convolution", norm="post", overlap=True)]
EVERY = pytest.mark.parametrize("options", CHOICES, ids=lambda options: " ".join(map(str, options.values())))


def test_attention_of_two_tokens_by_hand():
    """Queries and keys are the inputs, values twice the inputs: scores are q·k/√2, each output a weighted mean."""
    attention = Attention(config(width=2, heads=1))
    with torch.no_grad():
        for layer, scale in (
            (attention.query, 1.0),
            (attention.key, 1.0),
            (attention.value, 2.0),
            (attention.output, 1.0),
        ):
            layer.weight.copy_(torch.eye(2) * scale)
            layer.bias.zero_()
    a = math.sqrt(2) * math.log(3)
    x = torch.tensor([[[a, 0.0], [1.0, 0.0]]])
    mixed, weights = attention(x, torch.ones(1, 2, dtype=torch.bool), need_attention=True)
    first = 1 / (1 + math.exp((a - a * a) / math.sqrt(2)))  # query a: scores a²/√2 and a/√2
    second = 3 / (3 + math.exp(1 / math.sqrt(2)))  # query 1: scores a/√2 = ln 3 and 1/√2
    torch.testing.assert_close(weights[0, 0], torch.tensor([[first, 1 - first], [second, 1 - second]]))
    torch.testing.assert_close(mixed[0, 1], torch.tensor([2 * (second * a + (1 - second)), 0.0]))


def test_heads_read_their_own_slice_of_the_width():
    """Width 2, two heads of width 1: the first head reads only the first number of each token, the second the other."""
    attention = Attention(config(width=2, heads=2))
    with torch.no_grad():
        for layer in (attention.query, attention.key, attention.value, attention.output):
            layer.weight.copy_(torch.eye(2))
            layer.bias.zero_()
    x = torch.tensor([[[1.0, 0.0], [1.0 + math.log(2), 0.0]]])  # the second numbers are equal: uniform weights
    _, weights = attention(x, torch.ones(1, 2, dtype=torch.bool), need_attention=True)
    torch.testing.assert_close(weights[0, 0, 0], torch.tensor([1 / 3, 2 / 3]))  # 1·1 against 1·(1 + ln 2)
    torch.testing.assert_close(weights[0, 1], torch.full((2, 2), 0.5))


@EVERY
def test_rows_sum_to_one_and_padded_keys_get_exactly_zero(options):
    ids, segments, mask = batch(5, 9, 2)
    attention = encoder(**options)(ids, segments, mask, need_attention=True).own
    assert attention.shape == (2, 3, 2, 9, 9)
    torch.testing.assert_close(attention.sum(-1), torch.ones(2, 3, 2, 9))
    padded = ~mask[None, :, None, None, :].expand_as(attention)
    assert (attention[padded] == 0).all()
    assert (attention[~padded] > 0).all()


@EVERY
@torch.no_grad()
def test_padding_changes_nothing(options):
    model = encoder(**options)
    ids, segments, mask = batch(5, 9)
    padded = model(ids, segments, mask, need_attention=True)
    alone = model(ids[:1, :5], segments[:1, :5], mask[:1, :5], need_attention=True)
    torch.testing.assert_close(padded.logits[:1], alone.logits, atol=1e-5, rtol=0)
    torch.testing.assert_close(padded.own[:, :1, :, :5, :5], alone.own, atol=1e-6, rtol=0)
    other_padding = model(ids.masked_fill(~mask, 7), segments.masked_fill(~mask, 1), mask)
    torch.testing.assert_close(other_padding.logits, padded.logits, atol=1e-5, rtol=0)


@torch.no_grad()
def test_rotary_positions_only_say_how_far_apart_tokens_are():
    model, learned = (encoder(positions=positions, pooling="mean") for positions in ("rotary", "learned"))
    ids, segments, mask = batch(9)
    without_first = mask.clone()
    without_first[:, :4] = False
    for one, same in ((model, True), (learned, False)):
        later, alone = one(ids, segments, without_first), one(ids[:, 4:], segments[:, 4:], mask[:, 4:])
        assert torch.allclose(later.logits, alone.logits, atol=1e-5) == same
    reversed_words = model(ids.flip(1), segments.flip(1), mask)
    assert not torch.allclose(reversed_words.logits, model(ids, segments, mask).logits, atol=1e-5), "order counts"


@EVERY
@torch.no_grad()
def test_fused_kernel_gives_the_same_logits(options):
    model, inputs = encoder(**options), batch(5, 9, 2)
    fused, explicit = model(*inputs), model(*inputs, need_attention=True)
    assert not fused.attention
    torch.testing.assert_close(fused.logits, explicit.logits, atol=1e-5, rtol=0)


@pytest.mark.parametrize("lengths", [(5, 9, 2), (1,)], ids=["padded", "alone"])
def test_the_fused_kernel_receives_a_mask_of_keys(monkeypatch, lengths):
    """`(B, 1, 1, T)`: kernels broadcast it, but copy a mask of all pairs `(B, H, T, T)` in each layer."""
    attend, masks = nn.functional.scaled_dot_product_attention, []

    def record_mask(*tensors, attn_mask, **options):
        masks.append(attn_mask)
        return attend(*tensors, attn_mask=attn_mask, **options)

    monkeypatch.setattr(nn.functional, "scaled_dot_product_attention", record_mask)
    model, (ids, segments, mask) = encoder(), batch(*lengths)
    model(ids, segments, mask)
    assert [received.shape for received in masks] == [(len(lengths), 1, 1, max(lengths))] * len(model.layers)
    assert all(torch.equal(received[:, 0, 0], mask) and received.dtype == torch.bool for received in masks)


@EVERY
@pytest.mark.parametrize("lengths", [(5, 9, 2), (9,)], ids=["padded", "alone"])
def test_attention_is_the_same_with_gradients_and_in_place_without(options, lengths):
    model, inputs = encoder(**options), batch(*lengths)
    allocated = model(*inputs, need_attention=True)
    for context in (torch.no_grad(), torch.inference_mode()):
        with context:
            in_place = model(*inputs, need_attention=True)
        torch.testing.assert_close(in_place.own, allocated.own, atol=1e-6, rtol=0)
        torch.testing.assert_close(in_place.logits, allocated.logits, atol=1e-5, rtol=0)
        assert not in_place.own.requires_grad


@pytest.mark.parametrize("lengths", [(128, 40), (128,)], ids=["padded", "alone"])
def test_extracting_attention_allocates_the_result_and_less_than_a_layer_more(lengths):
    """Every layer writes into the result; all other tensors, freed or not, take less than the attention of a layer."""
    model, inputs = encoder(max_tokens=128, heads=8, layers=3), batch(*lengths)
    weights_by_layer = []
    for layer in model.layers:
        layer.attention.register_forward_hook(lambda module, args, output: weights_by_layer.append(output[1]))
    with torch.inference_mode(), torch.profiler.profile(profile_memory=True) as profile:
        attention = model(*inputs, need_attention=True).own
    assert [weights.data_ptr() for weights in weights_by_layer] == [part.data_ptr() for part in attention]
    assert attention.untyped_storage().nbytes() == attention.nbytes
    allocated = sum(max(0, event.self_cpu_memory_usage) for event in profile.events())
    assert attention.nbytes <= allocated < attention.nbytes + attention[0].nbytes


def test_gradients_pass_through_the_attention():
    """Against finite differences, of the output and of the weights, with padding and without."""
    attention, (_, _, mask) = Attention(config(width=4)).double(), batch(3, 5)
    x = torch.randn(2, 5, 4, dtype=torch.double, generator=torch.Generator().manual_seed(0)).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: attention(x, mask, need_attention=True), x)
    assert torch.autograd.gradcheck(lambda x: attention(x, mask[1:], need_attention=True), x[1:])


def test_gradients_of_the_prediction_reach_the_attention_of_every_layer():
    model, inputs, weights_by_layer = encoder(), batch(5, 9), []
    for layer in model.layers:
        layer.attention.register_forward_hook(lambda module, args, output: weights_by_layer.append(output[1]))
    output = model(*inputs, need_attention=True)
    gradients = torch.autograd.grad(output.logits[:, 1].sum(), weights_by_layer)
    assert all(gradient.isfinite().all() and gradient.any() for gradient in gradients)


@torch.inference_mode()
def test_autocast_may_choose_the_type_of_attention():
    model, inputs = encoder(), batch(5, 9)
    expected = model(*inputs, need_attention=True).own
    with torch.autocast("cpu", dtype=torch.bfloat16):
        attention = model(*inputs, need_attention=True).own
    torch.testing.assert_close(attention.float(), expected, atol=0.1, rtol=0)


@EVERY
def test_every_parameter_learns(options):
    model, inputs = encoder(**options).train(), batch(5, 9)
    # Not a plain sum: after a layer normalisation some directions have no effect on it.
    nn.functional.cross_entropy(model(*inputs).logits, torch.tensor([0, 1])).backward()
    without = [
        name for name, parameter in model.named_parameters() if parameter.grad is None or not parameter.grad.any()
    ]
    # A key bias adds the same to all scores of a query, which the softmax ignores.
    assert [name for name in without if not name.endswith("attention.key.bias")] == []


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm", ["pre", "post"])
@torch.no_grad()
def test_parity_with_torch(norm, activation):
    """With the same parameters, torch's layer has the same output and the same attention weights of every head."""
    model = encoder(norm=norm, activation=activation, heads=4)
    ours, (ids, segments, mask) = model.layers[0], batch(5, 9, 2)
    x = model.embedding(ids, segments, mask)
    theirs = nn.TransformerEncoderLayer(
        8, 4, 16, dropout=0.0, activation=activation, batch_first=True, norm_first=norm == "pre"
    ).eval()
    theirs.load_state_dict(torch_encoder_layer(ours.state_dict()))
    output, attention = ours(x, mask, need_attention=True)
    expected = theirs(x, src_key_padding_mask=~mask)
    attention_input = theirs.norm1(x) if norm == "pre" else x
    _, weights = theirs.self_attn(
        *[attention_input] * 3, key_padding_mask=~mask, need_weights=True, average_attn_weights=False
    )
    torch.testing.assert_close(output[mask], expected[mask], atol=1e-5, rtol=0)
    torch.testing.assert_close(attention, weights, atol=1e-6, rtol=0)


def test_sinusoidal_positions_by_hand():
    """Width 4: wavelengths 1 and 100 (10,000^(2/4)), a sine and a cosine of each."""
    expected = [[math.sin(t), math.cos(t), math.sin(t / 100), math.cos(t / 100)] for t in range(500)]
    torch.testing.assert_close(sinusoidal_positions(500, 4), torch.tensor(expected))


def test_overlap_marks_tokens_of_the_other_sentence():
    #                    CLS  a  b SEP  b  c SEP PAD; 4 is the first id that is not special
    ids = torch.tensor([[2, 5, 4, 3, 4, 7, 3, 0], [2, 5, 5, 3, 1, 1, 3, 0]])
    segments = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 0]]).expand(2, -1)
    mask = ids != 0
    marks = occurs_in_other_segment(ids, segments, mask).long()
    assert marks.tolist() == [[0, 0, 1, 0, 1, 0, 0, 0], [0] * 8]


@torch.no_grad()
def test_stem_by_hand():
    """Weights 1, 10 and 100 for the previous token, the token and the next one, in the first of two columns.

    Padding counts as 0; the token itself is added by the residual connection."""
    stem = Stem(config(width=2))
    stem.convolution.weight.zero_()
    stem.convolution.bias.zero_()
    stem.convolution.weight[0, 0] = torch.tensor([1.0, 10.0, 100.0])
    x = torch.tensor([[[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [9.0, 0.0]]])
    mask = torch.tensor([[True, True, True, False]])
    stem.norm = nn.Identity()
    output = stem(x, mask)[0, :3, 0].tolist()
    assert output == [1 + 10 + 200, 2 + 1 + 20 + 300, 3 + 2 + 30]


@pytest.mark.parametrize("segments", [1, 2, 3])
@pytest.mark.parametrize("lengths", [(5, 9, 2), (1,)], ids=["padded", "a single token"])
def test_embeddings_are_the_sum_of_lookups(segments, lengths):
    """Two rows are not looked up, but outputs and gradients are those of lookups. norm="post": no normalisation."""
    embedding = Embedding(config(overlap=True, norm="post", segments=segments)).double()
    ids, segment_ids, mask = batch(*lengths, vocabulary=8)
    segment_ids = segment_ids.clamp(max=segments - 1)
    overlap = occurs_in_other_segment(ids, segment_ids, mask).long()
    expected = embedding.token(ids) + embedding.position.weight[: ids.shape[1]]
    expected = expected + embedding.segment(segment_ids) + embedding.overlap(overlap)
    assert segments == 1 or len(lengths) == 1 or overlap.any()
    assert_same_with_gradients(embedding(ids, segment_ids, mask), expected, list(embedding.parameters()))


@pytest.mark.parametrize("lengths", [(5, 9, 2), (2,), (1,)], ids=["padded", "two tokens", "a single token"])
def test_the_stem_is_a_convolution(lengths):
    stem, (_, _, mask) = Stem(config()).double(), batch(*lengths)
    x = torch.randn(*mask.shape, 8, dtype=torch.double, requires_grad=True)
    real = x * mask[:, :, None]
    expected = stem.norm(real + stem.convolution(real.transpose(1, 2)).transpose(1, 2).relu())
    assert_same_with_gradients(stem(x, mask), expected, [x, *stem.parameters()])


def assert_same_with_gradients(output: torch.Tensor, expected: torch.Tensor, sources: list[torch.Tensor]) -> None:
    """Equal to 1e-6, and so are the gradients with respect to the sources."""
    torch.testing.assert_close(output, expected, atol=1e-6, rtol=1e-6)
    factors = torch.randn_like(output)
    gradients, expected_gradients = (
        torch.autograd.grad((result * factors).sum(), sources, materialize_grads=True) for result in (output, expected)
    )
    for gradient, expected_gradient in zip(gradients, expected_gradients, strict=True):
        torch.testing.assert_close(gradient, expected_gradient, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize(("gradients", "precision"), [(True, torch.float32), (False, torch.bfloat16)])
def test_fused_kernel_computes_in_full_precision_when_training_in_bf16_on_a_cpu(monkeypatch, gradients, precision):
    attend, received = nn.functional.scaled_dot_product_attention, []

    def record_precision(q, *others, **options):
        context = attend(q, *others, **options)
        received.append(context.dtype)
        return context

    model, inputs = encoder(stem="convolution"), batch(5, 9)
    with torch.set_grad_enabled(gradients):
        expected = model(*inputs).logits
        monkeypatch.setattr(nn.functional, "scaled_dot_product_attention", record_precision)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(*inputs).logits
    assert received == [precision] * len(model.layers)
    torch.testing.assert_close(logits.float(), expected, atol=0.02, rtol=0.1)


def test_pooling_reads_the_first_token_or_the_mean_of_the_real_ones():
    ids, segments, mask = batch(3, 5)
    for pooling in ("cls", "mean"):
        model = encoder(pooling=pooling)
        hidden = model.encode(ids, segments, mask)
        pooled = hidden[0, 0] if pooling == "cls" else hidden[0, :3].mean(0)
        torch.testing.assert_close(model(ids, segments, mask).logits[0], model.classifier(pooled))


def test_too_many_tokens_are_an_error_that_names_both_numbers():
    with pytest.raises(ValueError, match="17 tokens.*16 positions"):
        encoder()(*batch(17))


def test_dropout_acts_only_while_training():
    model, inputs = encoder(dropout=0.5, attention_dropout=0.5), batch(5, 9)
    torch.testing.assert_close(model(*inputs).logits, model(*inputs).logits, atol=0, rtol=0)
    model.train()
    torch.manual_seed(0)
    assert not torch.allclose(model(*inputs).logits, model(*inputs).logits)
    on_weights_alone = encoder(attention_dropout=0.5).train()  # with and without the fused kernel
    for need in (False, True):
        first, second = (on_weights_alone(*inputs, need_attention=need).logits for _ in range(2))
        assert not torch.allclose(first, second)
    for gradients in (torch.enable_grad(), torch.no_grad()):
        with gradients:
            attention = model(*inputs, need_attention=True).own
        torch.testing.assert_close(attention.sum(-1), torch.ones(attention.shape[:-1]))  # reported before its dropout


def test_same_seed_gives_the_same_encoder():
    torch.manual_seed(3)
    first = Encoder(config())
    torch.manual_seed(3)
    second = Encoder(config())
    assert all(map(torch.equal, first.parameters(), second.parameters()))


@pytest.mark.parametrize("gradients", [True, False])
def test_a_hook_that_changes_nothing_changes_nothing(gradients):
    model, inputs = encoder(), batch(5, 9)
    with torch.set_grad_enabled(gradients):
        plain = model(*inputs, need_attention=True)
        edited = model(*inputs, need_attention=True, hook=Hook(lambda point, tensor: tensor, get_args(LayerName)))
    torch.testing.assert_close(edited.logits, plain.logits, atol=0, rtol=0)
    torch.testing.assert_close(edited.own, plain.own, atol=0, rtol=0)


def test_masking_a_head_is_setting_its_slice_of_the_output_projection_to_zero():
    """Layer 1, head 1 of width 8 with 2 heads: columns 4 to 7 of the projection (Michel et al. 2019, section 2.2)."""
    model, inputs = encoder(), batch(5, 9)

    def mask_head(layer: int, weights: torch.Tensor) -> torch.Tensor:
        return weights * torch.tensor([1.0, 0.0])[:, None, None] if layer == 1 else weights

    masked = model(*inputs, need_attention=True, hook=on_weights(mask_head))
    plain = model(*inputs).logits
    with torch.no_grad():
        model.layers[1].attention.output.weight[:, 4:] = 0
    torch.testing.assert_close(masked.logits, model(*inputs).logits)
    assert not torch.allclose(masked.logits, plain)
    assert masked.own[1, :, 1].abs().sum() == 0  # the weights returned are those used
    torch.testing.assert_close(model(*inputs, hook=on_weights(mask_head)).logits, masked.logits)
