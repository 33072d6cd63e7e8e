"""The decoder: parity with torch and transformers, what no token may read, and reading with stored keys and values."""

from dataclasses import asdict

import pytest
import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel, GPTNeoXConfig, GPTNeoXForCausalLM

from tests.models.tiny import decoder, decoder_config, sequences
from tests.models.torch_weights import torch_encoder_layer
from viz_core.models.attention import Rotation
from viz_core.models.decoding import Vocabulary, greedy
from viz_core.models.kinds import KINDS
from viz_core.models.protocol import LanguageModel, Model, TrainableConfig, reads_source
from viz_core.models.recording import record, replacing

POSITIONS = pytest.mark.parametrize("positions", ["learned", "sinusoidal", "rotary"])
IDS, _ = sequences(9, 9)


def assert_close(actual, expected):
    torch.testing.assert_close(actual, expected, atol=1e-4, rtol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("positions", ["learned", "sinusoidal"])
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_parity_with_the_layers_of_torch(norm, activation, positions):
    model = decoder(norm=norm, activation=activation, positions=positions)
    layer = nn.TransformerEncoderLayer(8, 2, 16, 0.0, activation, batch_first=True, norm_first=norm == "pre")
    theirs = nn.TransformerEncoder(layer, 2, nn.LayerNorm(8) if norm == "pre" else None, enable_nested_tensor=False)
    for ours, other in zip(model.layers, theirs.layers, strict=True):
        other.load_state_dict(torch_encoder_layer(ours.state_dict()))
    if norm == "pre":
        theirs.norm.load_state_dict(model.norm.state_dict())
    table = model.position.weight if positions == "learned" else model.sinusoid
    future = nn.Transformer.generate_square_subsequent_mask(9, dtype=torch.bool)
    hidden = theirs.eval()(model.token_embedding(IDS) + table[:9], mask=future)
    assert_close(model.predict(IDS).logits, hidden @ model.token_embedding.weight.T)


@torch.no_grad()
def test_parity_with_gpt2():
    model = decoder(positions="learned")
    config = GPT2Config(
        vocab_size=30, n_positions=16, n_embd=8, n_layer=2, n_head=2, n_inner=16, bos_token_id=2, eos_token_id=3
    )
    config.activation_function, config._attn_implementation = "gelu", "eager"
    theirs = GPT2LMHeadModel(config).eval()
    names = {"ln_1": "attention_norm", "attn.c_proj": "attention.output", "ln_2": "feedforward_norm"}
    names |= {"mlp.c_fc": "feedforward.0", "mlp.c_proj": "feedforward.3"}
    weights = {"wte.weight": model.token_embedding.weight, "wpe.weight": model.position.weight}
    weights |= {f"ln_f.{kind}": getattr(model.norm, kind) for kind in ("weight", "bias")}
    for number, layer in enumerate(model.layers):
        ours = layer.state_dict()
        for kind in ("weight", "bias"):
            joint = torch.cat([ours[f"attention.{part}.{kind}"] for part in ("query", "key", "value")])
            layer_weights = {"attn.c_attn": joint} | {their: ours[f"{our}.{kind}"] for their, our in names.items()}
            # Its Conv1D stores matrices with the inputs first.
            weights |= {f"h.{number}.{name}.{kind}": tensor.t() for name, tensor in layer_weights.items()}
    theirs.transformer.load_state_dict(weights)
    expected, output = theirs(IDS, output_attentions=True), model.predict(IDS, need_attention=True)
    assert_close(output.logits, expected.logits)
    assert_close(output.own, torch.stack(expected.attentions))


@torch.no_grad()
def test_a_hook_sees_queries_and_keys_before_their_rotation_and_its_angles():
    model, inputs = decoder(positions="rotary", layers=1), (IDS, torch.zeros_like(IDS), torch.ones_like(IDS).bool())
    seen = record(model, inputs, ["rotation", "unrotated_queries", "unrotated_keys", "queries", "keys"])
    at = {point.name: tensor for point, tensor in seen.items()}
    turned = Rotation.of(torch.arange(9)[None], 4)
    assert_close(at["rotation"][:, 0], turned.cos[:, 0])
    assert_close(at["rotation"][:, 1], turned.sin[:, 0])
    for name in ("queries", "keys"):
        assert_close(turned(at[f"unrotated_{name}"]), at[name])
    assert_close(at["unrotated_keys"][:, :, 0], at["keys"][:, :, 0])  # the first position is not turned
    assert len(record(decoder(positions="learned"), inputs, ["rotation", "unrotated_queries", "unrotated_keys"])) == 0


@torch.no_grad()
def test_a_rotation_that_a_hook_replaces_is_used():
    """By one that turns nothing."""
    model, inputs = decoder(positions="rotary", layers=1), (IDS, torch.zeros_like(IDS), torch.ones_like(IDS).bool())
    none = torch.stack([torch.ones(1, 9, 4), torch.zeros(1, 9, 4)], dim=1)
    seen = record(model, inputs, ["unrotated_keys", "keys"], hook=replacing({"rotation": none}))
    assert_close(*seen.values())


@torch.no_grad()
def test_parity_of_rotary_positions_with_gpt_neox():
    """Its heads have their query, key and value side by side."""
    model = decoder(positions="rotary", width=16, heads=2)
    config = GPTNeoXConfig(
        **dict(vocab_size=30, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16),
        **dict(rotary_pct=1.0, use_parallel_residual=False, hidden_act="gelu", tie_word_embeddings=True),
        rope_parameters=dict(rope_type="default", rope_theta=10_000, partial_rotary_factor=1.0),
    )
    config._attn_implementation = "eager"
    theirs = GPTNeoXForCausalLM(config).eval()
    names = {"input_layernorm": "attention_norm", "post_attention_layernorm": "feedforward_norm"}
    names |= {"attention.dense": "attention.output", "mlp.dense_h_to_4h": "feedforward.0"}
    names |= {"mlp.dense_4h_to_h": "feedforward.3"}
    theirs.gpt_neox.embed_in.weight.copy_(model.token_embedding.weight)
    theirs.gpt_neox.final_layer_norm.load_state_dict(model.norm.state_dict())
    for layer, other in zip(model.layers, theirs.gpt_neox.layers, strict=True):
        ours, weights = layer.state_dict(), {}
        for kind in ("weight", "bias"):
            parts = [ours[f"attention.{part}.{kind}"].unflatten(0, (2, 8)) for part in ("query", "key", "value")]
            weights[f"attention.query_key_value.{kind}"] = torch.stack(parts, 1).flatten(0, 2)
            weights |= {f"{their}.{kind}": ours[f"{our}.{kind}"] for their, our in names.items()}
        other.load_state_dict(weights, strict=False)
    expected, output = theirs(IDS, output_attentions=True), model.predict(IDS, need_attention=True)
    assert_close(output.logits, expected.logits)
    assert_close(output.own, torch.stack(expected.attentions))


def test_a_rotation_turns_pairs_by_the_position():
    """By 3 radians: the wavelength of the only pair is 1."""
    turned = Rotation.of(torch.tensor([[3]]), 2)(torch.tensor([[[[1.0, 0.0]]]]))
    torch.testing.assert_close(turned[0, 0, 0], torch.tensor([-0.9899925, 0.1411200]))


@torch.no_grad()
@POSITIONS
def test_no_token_reads_a_later_one(positions):
    model = decoder(positions=positions)
    changed = IDS.clone()
    changed[:, 5] = (changed[:, 5] + 1) % 30
    before, after = model.predict(IDS, need_attention=True), model.predict(changed, need_attention=True)
    assert torch.equal(before.logits[:, :5], after.logits[:, :5])
    assert (before.logits[:, 5:] != after.logits[:, 5:]).any(-1).all()
    assert (before.own.triu(1) == 0).all()
    assert_close(before.own.sum(-1), torch.ones(2, 2, 2, 9))


@torch.no_grad()
@POSITIONS
def test_text_read_in_pieces_has_the_logits_and_attention_of_one_pass(positions):
    model = decoder(positions=positions)
    whole = model.predict(IDS, need_attention=True)
    state = model.start(IDS[:, :3], torch.ones(2, 3, dtype=torch.bool))
    output, state = model.read(state, IDS[:, 3:7], need_attention=True)
    assert_close(output.logits, whole.logits[:, 3:7])
    assert_close(output.own, whole.own[..., 3:7, :7])
    for position in (7, 8):
        logits, state = model.advance(state, IDS[:, position])
        assert_close(logits, whole.logits[:, position])


@torch.no_grad()
@POSITIONS
def test_texts_of_different_lengths_go_on_as_each_alone(positions):
    model = decoder(positions=positions)
    ids, mask = sequences(6, 2, 4)
    logits, _ = model.advance(model.start(ids, mask), torch.tensor([5, 6, 7]))
    for row, (length, token) in enumerate(zip((6, 2, 4), (5, 6, 7), strict=True)):
        alone = torch.cat([ids[row, :length], torch.tensor([token])])[None]
        assert_close(logits[row], model.predict(alone).logits[0, -1])


@torch.no_grad()
def test_it_writes_from_nothing_what_a_full_pass_finds_likeliest():
    model, vocabulary = decoder(), Vocabulary(2, 3, excluded=(0, 1, 2))
    nothing = torch.zeros(1, 0, dtype=torch.int64)
    (written,) = greedy(model.advance, model.start(nothing, nothing.bool()), 1, vocabulary, 6)
    read = torch.tensor([[2, *written.tokens]])
    logits = model.predict(read).logits[0].index_fill(-1, torch.tensor(vocabulary.excluded), -torch.inf)
    expected = [*written.tokens, 3] if written.complete else list(written.tokens)
    assert logits.argmax(-1).tolist()[: len(expected)] == expected


@torch.no_grad()
def test_the_recorded_pass_starts_and_ends_with_what_the_model_computes():
    model = decoder(positions="learned")
    recorded = record(model, (IDS, IDS, IDS > 0), {"embedding", "weights", "final", "logits"})
    values = {(point.name, point.layer): tensor for point, tensor in recorded.items()}
    assert_close(values["embedding", -1], model.token_embedding(IDS) + model.position.weight[:9])
    assert_close(values["weights", 1], model.predict(IDS, need_attention=True).own[1])
    assert_close(values["logits", -1], values["final", -1][:, -1] @ model.token_embedding.weight.T)


def test_a_text_longer_than_its_positions_is_refused():
    with pytest.raises(ValueError, match="17 tokens exceed the 16 positions"):
        decoder().predict(torch.zeros(1, 17, dtype=torch.int64))
    state = decoder().start(torch.zeros(1, 16, dtype=torch.int64), torch.ones(1, 16, dtype=torch.bool))
    with pytest.raises(ValueError, match="17 tokens exceed"):
        decoder().advance(state, torch.tensor([1]))


@pytest.mark.parametrize(
    "values, message",
    [
        (dict(positions="none"), "positions is 'none': it must be one of learned, sinusoidal, rotary"),
        (dict(width=6, heads=2, positions="rotary"), "width of a head 3 is odd"),
        (dict(width=9, heads=3, positions="sinusoidal"), "width 9 is odd"),
        (dict(norm_epsilon=0), "norm_epsilon is 0"),
    ],
)
def test_inconsistent_settings_are_refused_by_name(values, message):
    with pytest.raises(ValueError, match=message):
        decoder_config(**values)


@POSITIONS
def test_kind_and_config_describe_the_model(positions):
    config = decoder_config(positions=positions, layers=3)
    assert isinstance(config, TrainableConfig) and KINDS["decoder"].config(asdict(config)) == config
    model = KINDS["decoder"].build(config)
    assert isinstance(model, LanguageModel) and not reads_source(model)
    assert sum(parameter.numel() for parameter in model.parameters()) == config.parameters()


@torch.no_grad()
@POSITIONS
def test_as_a_classifier_it_predicts_the_token_after_each_text(positions):
    model = decoder(positions=positions)
    assert isinstance(model, Model) and model.read_out is not None
    ids, mask = sequences(9, 4)
    inputs = ids, torch.zeros_like(ids), mask
    output = model(*inputs, need_attention=True)
    for row, length in enumerate((9, 4)):
        alone = model.predict(ids[row : row + 1, :length], need_attention=True)
        assert_close(output.logits[row], alone.logits[0, -1])
        assert_close(output.own[:, row, :, :length, :length], alone.own[:, 0])
    assert_close(model.from_embeddings(model.embed(*inputs), mask).logits, output.logits)
    last = model.encode(*inputs)[[0, 1], [8, 3]]
    assert_close(last @ model.token_embedding.weight.T, output.logits)


@torch.no_grad()
@POSITIONS
def test_a_removed_token_is_attended_to_by_none_and_the_others_keep_their_positions(positions):
    model = decoder(positions=positions)
    mask = torch.ones_like(IDS, dtype=torch.bool)
    mask[:, 3] = False
    changed = IDS.clone()
    changed[:, 3] = (changed[:, 3] + 1) % 30
    output = model(IDS, IDS, mask, need_attention=True)
    assert (output.own[..., 4:, 3] == 0).all()
    assert_close(output.logits, model(changed, IDS, mask).logits)
    assert_close(output.own[0, :, :, 0, 0], model(IDS, IDS, mask | True, need_attention=True).own[0, :, :, 0, 0])
