"""The encoder with a decoder: parity with torch, what no token may read, and decoding with stored keys and values."""

from dataclasses import asdict

import pytest
import torch
from torch import nn

from tests.models.tiny import encoder_decoder, encoder_decoder_config, sequences
from tests.models.torch_weights import torch_decoder_layer, torch_encoder_layer
from viz_core.models.attention import Attention
from viz_core.models.encoder_decoder import EncoderDecoder
from viz_core.models.kinds import KINDS
from viz_core.models.protocol import HookPoint, SequenceToSequence, TrainableConfig
from viz_core.models.recording import record, replacing

NORMS = pytest.mark.parametrize("norm", ["pre", "post"])


def torch_transformer(ours: EncoderDecoder) -> nn.Transformer:
    """torch's own encoder and decoder with our weights."""
    config, pre = ours.config, ours.config.norm == "pre"
    sizes = (config.width, config.heads, config.feedforward, 0.0, config.activation)
    options = dict(batch_first=True, norm_first=pre)
    # Only with pre-norm is there a normalisation at the end: torch always adds one unless told otherwise.
    norms = [nn.LayerNorm(config.width) if pre else None for _ in range(2)]
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(*sizes, **options), config.layers, norms[0], enable_nested_tensor=False
    )
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(*sizes, **options), config.layers, norms[1])
    theirs = nn.Transformer(
        config.width, config.heads, custom_encoder=encoder, custom_decoder=decoder, batch_first=True
    )
    for layer, other in zip(ours.encoder_layers, theirs.encoder.layers, strict=True):
        other.load_state_dict(torch_encoder_layer(layer.state_dict()))
    for layer, other in zip(ours.decoder_layers, theirs.decoder.layers, strict=True):
        other.load_state_dict(torch_decoder_layer(layer.state_dict()))
    if pre:
        theirs.encoder.norm.load_state_dict(ours.encoder_norm.state_dict())
        theirs.decoder.norm.load_state_dict(ours.decoder_norm.state_dict())
    return theirs


@NORMS
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_parity_with_torch_of_outputs_and_gradients(norm, activation):
    model = encoder_decoder(norm=norm, activation=activation, heads=4)
    theirs = torch_transformer(model)
    (source, source_mask), (target, target_mask) = sequences(5, 9, 2), sequences(7, 4, 6, seed=1)
    logits = model(source, source_mask, target).logits
    hidden = theirs(
        model.source_positions(model.token_embedding(source)),
        model.target_positions(model.token_embedding(target)),
        tgt_mask=nn.Transformer.generate_square_subsequent_mask(target.shape[1], dtype=torch.bool),
        src_key_padding_mask=~source_mask,
        tgt_key_padding_mask=~target_mask,
        memory_key_padding_mask=~source_mask,
    )
    expected = hidden @ model.token_embedding.weight.T + model.output_bias
    torch.testing.assert_close(logits[target_mask], expected[target_mask], atol=1e-4, rtol=1e-4)
    factors = torch.randn(logits[target_mask].shape, generator=torch.Generator().manual_seed(0))
    sources = [model.token_embedding.weight, model.source_positions.position.weight]
    ours, others = (
        torch.autograd.grad((output[target_mask] * factors).sum(), [*sources, *parameters], retain_graph=True)
        for output, parameters in (
            (logits, [layer.cross_attention.output.weight for layer in model.decoder_layers]),
            (expected, [layer.multihead_attn.out_proj.weight for layer in theirs.decoder.layers]),
        )
    )
    for gradient, other in zip(ours, others, strict=True):
        torch.testing.assert_close(gradient, other, atol=1e-3, rtol=1e-3)


@torch.no_grad()
def test_attention_weights_are_those_of_torch():
    model = encoder_decoder(heads=4, layers=1, norm="post")
    theirs = torch_transformer(model).eval()
    (source, source_mask), (target, _) = sequences(5, 9), sequences(6, 6, seed=1)
    output = model(source, source_mask, target, need_attention=True)
    encoded, _ = model.encode(source, source_mask)
    x, layer = model.target_positions(model.token_embedding(target)), theirs.decoder.layers[0]
    future = nn.Transformer.generate_square_subsequent_mask(6, dtype=torch.bool)
    weights = dict(need_weights=True, average_attn_weights=False)
    attended, causal = layer.self_attn(x, x, x, attn_mask=future, **weights)
    _, cross = layer.multihead_attn(
        layer.norm1(x + attended), encoded, encoded, key_padding_mask=~source_mask, **weights
    )
    torch.testing.assert_close(output.attention["causal"][0], causal, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(output.attention["cross"][0], cross, atol=1e-6, rtol=1e-5)


@NORMS
@torch.no_grad()
def test_shapes_and_rows_of_the_three_attentions(norm):
    model, (source, mask), (target, _) = encoder_decoder(norm=norm), sequences(5, 9), sequences(6, 6, seed=1)
    attention = model(source, mask, target, need_attention=True).attention
    assert tuple(attention) == model.attention_kinds
    assert {kind: weights.shape for kind, weights in attention.items()} == {
        "self": (2, 2, 2, 9, 9),
        "causal": (2, 2, 2, 6, 6),
        "cross": (2, 2, 2, 6, 9),
    }
    for weights in attention.values():
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
    assert not attention["causal"].triu(1).any() and (attention["causal"].tril() > 0).sum() == 2 * 2 * 2 * 21
    assert not attention["cross"][:, 0, :, :, 5:].any() and attention["cross"][:, 1].all()


@NORMS
@torch.no_grad()
def test_no_logit_depends_on_a_later_target_token(norm):
    model, (source, mask), (target, _) = encoder_decoder(norm=norm), sequences(5, 9), sequences(6, 6, seed=1)
    logits = model(source, mask, target).logits
    for position in range(6):
        changed = target.clone()
        changed[:, position] = (changed[:, position] + 1) % 30
        other = model(source, mask, changed).logits
        torch.testing.assert_close(other[:, :position], logits[:, :position], atol=1e-5, rtol=1e-5)
        assert not torch.allclose(other[:, position], logits[:, position])


@NORMS
@torch.no_grad()
def test_padding_changes_nothing(norm):
    model, (source, mask), (target, _) = encoder_decoder(norm=norm), sequences(5, 9), sequences(4, 6, seed=1)
    padded = model(source, mask, target, need_attention=True)
    alone = model(source[:1, :5], mask[:1, :5], target[:1, :4], need_attention=True)
    torch.testing.assert_close(padded.logits[:1, :4], alone.logits, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(padded.attention["cross"][:, :1, :, :4, :5], alone.attention["cross"])
    fused = model(source, mask, target)
    assert not fused.attention
    torch.testing.assert_close(fused.logits, padded.logits, atol=1e-5, rtol=1e-5)


@NORMS
@pytest.mark.parametrize("parts", [[1] * 6, [2, 1, 3], [6]], ids=str)
@torch.no_grad()
def test_decoding_with_stored_keys_and_values_gives_the_logits_of_the_full_pass(norm, parts):
    model, (source, mask), (target, _) = encoder_decoder(norm=norm), sequences(5, 9), sequences(6, 6, seed=1)
    full = model(source, mask, target, need_attention=True)
    state = model.start(source, mask)
    start = 0
    for part in parts:
        assert state.length == start
        output, state = model.decode(target[:, start : start + part], state, need_attention=True)
        end = start + part
        torch.testing.assert_close(output.logits, full.logits[:, start:end], atol=1e-5, rtol=1e-5)
        for kind, seen in (("causal", end), ("cross", 9)):
            expected = full.attention[kind][..., start:end, :seen]
            torch.testing.assert_close(output.attention[kind], expected, atol=1e-6, rtol=1e-5)
        start = end


@torch.no_grad()
def test_a_state_of_selected_rows_continues_these_rows():
    model, (source, mask), (target, _) = encoder_decoder(), sequences(5, 9), sequences(6, 6, seed=1)
    state = model.start(source, mask)
    _, state = model.decode(target[:, :3], state)
    logits, _ = model.advance(state.at(torch.tensor([1, 0, 1])), target[[1, 0, 1], 3])
    expected = model(source, mask, target).logits[:, 3]
    torch.testing.assert_close(logits, expected[[1, 0, 1]], atol=1e-5, rtol=1e-5)


def test_hooks_are_called_for_every_attention_and_change_the_prediction():
    model, (source, mask), (target, _) = encoder_decoder(), sequences(5, 9), sequences(6, 6, seed=1)
    plain = model(source, mask, target, need_attention=True)
    recorded = record(model, (source, mask, target), {"weights"}, need_attention=True)
    torch.testing.assert_close(recorded.output.logits, plain.logits, atol=0, rtol=0)
    kinds = ("self", "causal", "cross")
    assert set(recorded) == {HookPoint("weights", layer, kind) for layer in range(2) for kind in kinds}
    for kind in kinds:
        mask_heads = replacing({HookPoint("weights", layer, kind): torch.zeros_like for layer in range(2)})
        masked = model(source, mask, target, need_attention=True, hook=mask_heads)
        assert not masked.attention[kind].any() and not torch.allclose(masked.logits, plain.logits)


def test_without_weights_in_the_cross_attention_the_source_does_not_matter():
    model, (target, _) = encoder_decoder(), sequences(6, seed=1)
    mask_cross = replacing({HookPoint("weights", layer, "cross"): torch.zeros_like for layer in range(2)})
    first, second = (model(*sequences(7, seed=seed), target, hook=mask_cross).logits for seed in (2, 3))
    torch.testing.assert_close(first, second, atol=0, rtol=0)
    assert not torch.allclose(*(model(*sequences(7, seed=seed), target).logits for seed in (2, 3)))


@NORMS
def test_every_parameter_learns(norm):
    model, (source, mask), (target, _) = encoder_decoder(norm=norm).train(), sequences(5, 9), sequences(6, 6, seed=1)
    logits = model(source, mask, target).logits
    nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), target[:, 1:].flatten()).backward()
    without = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().max() > 1e-7]
    # A key bias adds the same to all scores of a query, which the softmax ignores.
    assert [name for name in without if not name.endswith("attention.key.bias")] == []


def test_gradients_pass_through_causal_and_cross_attention():
    """Against finite differences, of the output and of the weights."""
    attention = Attention(encoder_decoder_config(width=4)).double()
    generator = torch.Generator().manual_seed(0)
    x, y = (torch.randn(2, T, 4, dtype=torch.double, generator=generator).requires_grad_() for T in (3, 5))
    causal = torch.ones(1, 3, 3, dtype=torch.bool).tril()
    source_mask = torch.arange(5) < torch.tensor([[5], [2]])
    assert torch.autograd.gradcheck(lambda x: attention(x, causal, True), x)
    assert torch.autograd.gradcheck(
        lambda x, y: attention(x, source_mask, True, keys_values=attention.keys_values(y)), (x, y)
    )


@NORMS
def test_config_counts_the_parameters_and_is_rebuilt(norm):
    model = encoder_decoder(norm=norm)
    assert isinstance(model, SequenceToSequence) and isinstance(model.config, TrainableConfig)
    assert model.config.parameters() == sum(parameter.numel() for parameter in model.parameters())
    kind = KINDS["encoder_decoder"]
    assert kind.config(asdict(model.config)) == model.config
    kind.build(model.config).load_state_dict(model.state_dict())
    with pytest.raises(ValueError, match="pooling"):
        kind.config({**asdict(model.config), "pooling": "cls"})
    with pytest.raises(ValueError, match="width 8.*3 heads"):
        encoder_decoder_config(heads=3)


def test_a_smaller_config_has_fewer_layers():
    config = encoder_decoder_config(layers=6)
    smaller = config.shrink(config.parameters() // 2)
    assert 1 <= smaller.layers < 6 and smaller.parameters() <= config.parameters() // 2
    assert config.shrink(10**9) == config and config.shrink(1).layers == 1


def test_work_and_memory_grow_with_the_text():
    config = encoder_decoder_config()
    # By hand, for 10 tokens of source and 10 of target. A layer of both stacks has 3 attentions of 4 projections
    # 8 × 8 and 2 feed-forwards of 2 matrices 8 × 16; all tokens are compared with all others in each attention.
    weights = 2 * (3 * 4 * 64 + 2 * 2 * 128) + 30 * 8
    assert config.operations(20) == 6 * 10 * weights + 2 * 3 * 12 * 100 * 8
    assert config.activations(40) == 2 * config.activations(20)
    dropout = encoder_decoder_config(attention_dropout=0.1)
    assert dropout.activations(20) > dropout.activations(20, fused=True) == config.activations(20)


@pytest.mark.parametrize("source, target", [(17, 3), (3, 17)])
def test_too_many_tokens_are_an_error_that_names_both_numbers(source, target):
    with pytest.raises(ValueError, match="17 tokens.*16 positions"):
        encoder_decoder()(*sequences(source), sequences(target)[0])


def test_untrained_positions_are_as_small_as_the_tokens():
    torch.manual_seed(0)
    model = EncoderDecoder(encoder_decoder_config(width=64, vocabulary=500, max_tokens=128))
    for embedding in (model.source_positions.position, model.target_positions.position):
        assert embedding.weight.std().item() == pytest.approx(model.token_embedding.weight.std().item(), rel=0.05)
