"""Encoders with a decoder: attention, logits and decoding are those of the library, and states stay as they are."""

import pytest
import torch

from tests.adapters.tiny_translators import FAMILIES, T5_AND_MARIAN_FIRST, TOKENS, network, pieces
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.translation.changes import TranslationChanges, probabilities_with_changes, word_id
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.analysis.translation.live import read_reference, translate_live
from viz_core.models.protocol import HookPoint
from viz_core.models.recording import record
from viz_core.records import Failure, Translation

TEXT = "the cat sat unbelievably."
KINDS = {"self": "encoder_attentions", "causal": "decoder_attentions", "cross": "cross_attentions"}
families = pytest.mark.parametrize("family", T5_AND_MARIAN_FIRST)


@pytest.fixture(scope="module")
def checkpoints():
    return {family: adapt(network(family), pieces(), family) for family in FAMILIES}


def ids(*tokens: str) -> list[int]:
    return [TOKENS.index(token) for token in tokens]


def translation_of(events) -> Translation:
    return next(event for event in events if isinstance(event, Translation))


def inputs() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """source `(2, 7)`, its mask and target `(2, 5)`; the second row has two tokens of padding."""
    source = torch.randint(3, 20, (2, 7), generator=torch.Generator().manual_seed(1))
    target = torch.randint(3, 20, (2, 5), generator=torch.Generator().manual_seed(2))
    mask = torch.ones_like(source, dtype=torch.bool)
    mask[1, 5:], target[:, 0] = False, 0
    return source, mask, target


def library_output(family: str, source: torch.Tensor, mask: torch.Tensor, target: torch.Tensor):
    net = network(family)
    net.set_attn_implementation("eager")
    with torch.no_grad():
        return net(
            input_ids=source,
            attention_mask=mask.long(),
            decoder_input_ids=target,
            use_cache=False,
            output_attentions=True,
        )


@families
def test_the_three_attentions_and_the_logits_are_those_of_the_library(checkpoints, family):
    expected = library_output(family, *inputs())
    with torch.no_grad():
        output = checkpoints[family].model(*inputs(), need_attention=True)
    torch.testing.assert_close(output.logits, expected.logits, atol=1e-5, rtol=0)
    for kind, name in KINDS.items():
        torch.testing.assert_close(output.attention[kind], torch.stack(getattr(expected, name)), atol=1e-5, rtol=0)
    assert output.attention["causal"].triu(1).abs().max() == 0 < output.attention["cross"].std()


@families
def test_step_by_step_the_logits_are_those_of_all_at_once_and_no_state_changes(checkpoints, family):
    model, (source, mask, target) = checkpoints[family].model, inputs()
    with torch.inference_mode():
        logits = model(source, mask, target).logits
        _, attention = model.encode(source, mask, need_attention=True)
        state = model.start(source, mask)
        for position in range(target.shape[1]):
            after, later = model.advance(state, target[:, position])
            again, _ = model.advance(state, target[:, position])
            torch.testing.assert_close(after, logits[:, position], atol=1e-4, rtol=0)
            torch.testing.assert_close(again, after, atol=0, rtol=0)
            state = later
        rows = torch.tensor([1, 1, 0])
        selected, _ = model.advance(state.at(rows), target[rows, 0])
        torch.testing.assert_close(selected, model.advance(state, target[:, 0])[0][rows], atol=1e-4, rtol=0)
    assert attention.shape == (3, 2, 4, 7, 7)


@families
def test_greedy_decoding_writes_what_the_library_generates(checkpoints, family):
    checkpoint = checkpoints[family]
    source = checkpoint.text_encoder.encode(TEXT)
    translation = translation_of(translate_live(checkpoint, source, Decoding()))
    excluded = [[index] for index in checkpoint.model.special_ids.excluded]
    generated = network(family).generate(
        torch.from_numpy(source.ids.copy())[None],
        max_length=checkpoint.text_encoder.max_tokens,
        num_beams=1,
        do_sample=False,
        bad_words_ids=excluded,
    )
    assert generated[0].tolist()[1:] == [step.output.id for step in translation.steps]


@families
def test_candidates_have_the_probabilities_of_the_library(checkpoints, family):
    checkpoint = checkpoints[family]
    source = checkpoint.text_encoder.encode(TEXT)
    outputs = ids("▁die", "▁Katze", "▁sat", "</s>")
    translation = explain_translation(checkpoint, source, outputs)
    target = torch.tensor([[0, *outputs[:-1]]])
    mask = torch.ones(1, len(source.ids), dtype=torch.bool)
    logits = library_output(family, torch.from_numpy(source.ids.copy())[None], mask, target).logits[0]
    logits[:, list(checkpoint.model.special_ids.excluded)] = -torch.inf
    for step, row in zip(translation.steps, logits.softmax(-1), strict=True):
        values, likeliest = row.topk(8)
        assert [candidate.id for candidate in step.candidates] == likeliest.tolist()
        assert [candidate.probability for candidate in step.candidates] == pytest.approx(values.tolist(), abs=1e-5)
        assert step.output.probability == pytest.approx(float(row[step.output.id]), abs=1e-5)


@families
def test_a_beam_of_one_is_greedy(checkpoints, family):
    checkpoint = checkpoints[family]
    source = checkpoint.text_encoder.encode(TEXT)
    texts = [
        translation_of(translate_live(checkpoint, source, decoding)).text
        for decoding in (Decoding(), Decoding("beam", width=1))
    ]
    assert texts[0] == texts[1]


@families
def test_masked_heads_and_blocked_tokens_change_the_pass_and_the_hook_sees_every_attention(checkpoints, family):
    checkpoint = checkpoints[family]
    source = checkpoint.text_encoder.encode(TEXT)
    translation = explain_translation(checkpoint, source, ids("▁die", "▁Katze", "▁sat", "</s>"))
    changes = TranslationChanges(masked=frozenset({(1, 2)}), blocked=frozenset({1}))
    changed = probabilities_with_changes(checkpoint, translation, changes)
    assert abs(changed - [step.output.probability for step in translation.steps]).max() > 1e-4
    names = ("scores", "values", "weights")
    points = {HookPoint(name, layer, kind) for layer in range(3) for kind in KINDS for name in names}
    assert set(record(checkpoint.model, inputs(), names)) == points


@families
def test_heads_write_into_the_residual_stream_as_measured(checkpoints, family):
    """What a key adds at a weight of 1 is its value through its head's part of the output projection."""
    checkpoint = checkpoints[family]
    source = checkpoint.text_encoder.encode(TEXT)
    translation = explain_translation(checkpoint, source, ids("▁die", "▁Katze", "▁sat", "</s>"))
    target = torch.from_numpy(translation.target.ids.copy())[None]
    read = torch.from_numpy(source.ids.copy())[None]
    values = record(checkpoint.model, (read, torch.ones_like(read, dtype=torch.bool), target), {"values"})
    for kind in KINDS:
        tensor = values["values", 2, kind][0]
        d = tensor.shape[-1]
        matrix = checkpoint.model.output_projections[kind][2]
        expected = torch.stack(
            [(tensor[head] @ matrix[:, head * d : head * d + d].T).norm(dim=-1) for head in range(4)]
        )
        torch.testing.assert_close(torch.from_numpy(translation.value_norms[kind][2].copy()), expected)


def test_the_target_is_a_text_with_the_place_of_each_piece(checkpoints):
    encoder = checkpoints["t5"].text_encoder
    target = encoder.decode(ids("▁die", "▁cat", "s", "bel", ".", "<unk>", "▁the"), read=6)
    assert target.texts == ("die catsbel. the",)
    assert [target.surface(index) for index in range(7)] == ["<pad>", "die", "cat", "s", "bel", ".", "<unk>"]
    assert target.words.tolist() == [0, 1, 2, 2, 2, 2, 2]
    assert target.special.tolist() == [True, *[False] * 6] and target.unknown.tolist() == [*[False] * 6, True]


def test_a_reference_is_read_with_its_end_and_a_word_of_the_vocabulary_is_fed(checkpoints):
    checkpoint = checkpoints["t5"]
    source = checkpoint.text_encoder.encode(TEXT)
    translation = translation_of(read_reference(checkpoint, source, "die Katze sat."))
    assert translation.outputs == ("▁die", "▁Katze", "▁sat", ".", "</s>") and translation.complete
    assert translation.target.tokens[0] == "<pad>" and translation.text == "die Katze sat."
    assert [word_id(checkpoint, word) for word in ("▁Katze", "Katze", "</s>", "bel")] == ids(
        "▁Katze", "▁Katze", "</s>", "bel"
    )
    for word in ("Hund", "<pad>", "the cat"):
        with pytest.raises(Failure, match="not_a_word"):
            word_id(checkpoint, word)


def test_a_model_in_memory_stays_as_it_is_and_shares_its_weights():
    net = network("t5")
    before = net.config._attn_implementation
    model = adapt(net, pieces(), "mine").model
    assert net.config._attn_implementation == before
    assert model.network.shared.weight is net.shared.weight and model.network is not net


@pytest.mark.parametrize(
    "sizes, key",
    [
        (dict(num_decoder_layers=2), "adapters.unequal_sides"),
        (dict(decoder_start_token_id=1), "adapters.bad_special_id"),
        (dict(decoder_start_token_id=21), "adapters.bad_special_id"),
        (dict(eos_token_id=None), "adapters.bad_special_id"),
    ],
)
def test_a_config_that_does_not_say_what_is_needed_is_refused(sizes, key):
    with pytest.raises(Failure) as failure:
        adapt(network("t5", **sizes), pieces(), "mine")
    assert failure.value.message.key == key


def test_a_model_without_the_head_for_the_next_token_is_refused():
    from transformers import T5Model

    with pytest.raises(Failure) as failure:
        adapt(T5Model(network("t5").config), pieces(), "mine")
    assert failure.value.message.key == "adapters.predicts_nothing"
