"""A real language model, SmolLM2-135M-Instruct: weights, logits and tokens are those of the library."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM

from tests.adapters.smollm2 import read_smollm2, smollm2_file
from tests.steps import linear, rms_norm, rotate, silu, softmax
from viz_core.adapters.chat import read_frame
from viz_core.adapters.checkpoint import adapt, with_chat
from viz_core.adapters.opening import open_model
from viz_core.analysis.attribution.methods import attributions
from viz_core.analysis.context import read_on, write_on
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.direct_contributions import direct_contributions
from viz_core.analysis.explain import explain
from viz_core.analysis.generation import chat_text, continue_text, given_tokens, read_text
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.analysis.inside.inside import inside
from viz_core.analysis.inside.layer_matrices import layer_matrices
from viz_core.analysis.inside.logit_lens import text_lens
from viz_core.analysis.inside.passes import Selected
from viz_core.analysis.whatif import Changes, outcomes
from viz_core.records import Failure, Generation
from viz_core.text.chat import Turn

pytestmark = pytest.mark.slow

TEXT = "Mr Ellery met Mrs Fontaine at the station. Mr Ellery carried the bags of Mrs"


@pytest.fixture(scope="module")
def smollm2():
    return read_smollm2()


@torch.no_grad()
def test_its_weights_and_logits_are_those_of_the_library(smollm2):
    network, tokenizer = smollm2
    checkpoint = adapt(network, tokenizer, "smollm2")
    reading = read_text(checkpoint, given_tokens(checkpoint, TEXT))
    network.set_attn_implementation("eager")
    expected = network(**tokenizer(TEXT, return_tensors="pt"), output_attentions=True)
    attention = torch.tensor(reading.explanation.attention)
    assert attention.shape[:2] == (30, 9)
    torch.testing.assert_close(attention, torch.cat(expected.attentions), atol=1e-4, rtol=0)
    ids = torch.tensor(reading.explanation.encoding.ids)
    chances = expected.logits[0].softmax(-1)[:-1].gather(1, ids[1:, None])[:, 0]
    measured = torch.tensor([step.output.probability for step in reading.steps if step])
    torch.testing.assert_close(measured, chances, atol=1e-4, rtol=0)


@torch.no_grad()
def test_the_weights_of_a_head_follow_from_the_vectors_before_the_rotation(smollm2):
    """From what the record has of a head to the weights of the library, by the formulas of the steps."""
    network, tokenizer = smollm2
    checkpoint = adapt(network, tokenizer, "smollm2")
    encoding = checkpoint.text_encoder.encode(TEXT)
    T, layer, number = len(encoding.ids), 5, 2
    record = inside(checkpoint, encoding, Selected("causal", layer, number, T - 1, 4))
    assert (record.sizes["L"], record.sizes["H"], record.sizes["G"], record.sizes["d"]) == (30, 9, 3, 64)
    head, base = record.of_head, network.config.rope_parameters["rope_theta"]
    read = rms_norm(record.window, record.norms["attention"][0], record.epsilon)
    keys = linear(read, *layer_matrices(checkpoint, "causal", layer, "keys", number).values())
    query = linear(record.query.read[None], *layer_matrices(checkpoint, "causal", layer, "query", number).values())
    np.testing.assert_allclose(keys, head.unrotated_keys, atol=1e-3)
    rotated = rotate(query, np.array([T - 1]), base) @ rotate(keys, np.arange(T), base).T
    network.set_attn_implementation("eager")
    expected = network(**tokenizer(TEXT, return_tensors="pt"), output_attentions=True)
    weights = expected.attentions[layer][0, number, -1].numpy()
    np.testing.assert_allclose(softmax(rotated[0] / 8), weights, atol=1e-4)
    np.testing.assert_allclose(head.weights, weights, atol=1e-4)
    gated = silu(record.of_layer.gate) * record.of_layer.hidden
    np.testing.assert_allclose(gated, record.of_layer.activated, atol=1e-4)
    likeliest = expected.logits[0, -1].softmax(-1).topk(5)
    np.testing.assert_allclose(record.prediction.probabilities[:5], likeliest.values, atol=1e-4)
    lens = text_lens(checkpoint, encoding)
    assert lens.probabilities[-1, -1] == pytest.approx(float(likeliest.values[0]), abs=1e-4)
    assert sum(block.parameters for block in record.blocks) == sum(weight.numel() for weight in network.parameters())


def test_a_head_that_copies_adds_most_to_the_copied_name_and_the_copied_token_matters_most(smollm2):
    checkpoint = adapt(*smollm2, "smollm2")
    explanation = explain(checkpoint, "My neighbour Vera Quist plays the cello. Every evening I hear Vera")
    added = direct_contributions(checkpoint, explanation, 0, 1)
    layer, head = np.unravel_index(added.heads.argmax(), added.heads.shape)
    assert head_statistics(explanation).induction[layer, head] > 0.5 and added.heads.max() > added.difference
    parts = added.heads.sum() + added.feedforward.sum() + added.embedding + added.biases
    assert parts == pytest.approx(added.difference, abs=1e-3)
    removal, integrated, *_ = attributions(checkpoint, explanation)
    assert removal.labels[int(removal.values.argmax())] == "Qu" and integrated.gap < 0.05


@pytest.mark.parametrize(
    "text, start",
    [
        ("My neighbour Vera Quist plays the cello. Every evening I hear Vera", "␣Qu"),
        ("小林喜欢喝绿茶。每天早上，小林喜欢喝", "<0xE7>"),  # the first bytes of 绿
    ],
)
def test_a_name_is_copied_by_induction_heads_and_not_without_them(smollm2, text, start):
    checkpoint = adapt(*smollm2, "smollm2")
    shown = explain(checkpoint, text)
    assert shown.labels[0].startswith(start)
    induction = head_statistics(shown).induction
    heads = [(int(head) // 9, int(head) % 9) for head in np.argsort(-induction.ravel())[:4]]
    assert induction[heads[0]] > 0.5
    others = [(layer, (head + 4) % 9) for layer, head in heads]
    variants = [Changes(), Changes(masked=frozenset(heads)), Changes(masked=frozenset(others))]
    with_all, without, without_others = outcomes(checkpoint, shown.encoding, variants, classes=shown.label_ids)[:, 0]
    assert without < with_all / 10 and without_others > with_all / 2


@torch.no_grad()
def test_it_goes_on_as_with_the_library_from_a_folder_in_half_precision(smollm2, tmp_path):
    network, tokenizer = smollm2
    half = LlamaForCausalLM(network.config).eval()
    half.load_state_dict(network.state_dict())
    half.to(torch.bfloat16).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    checkpoint = open_model(f"path:{tmp_path}")
    events = continue_text(checkpoint, TEXT, Decoding(), 6)
    generation = next(event for event in events if isinstance(event, Generation))
    inputs = tokenizer(TEXT, return_tensors="pt")
    theirs = half.float().generate(**inputs, max_new_tokens=6, do_sample=False)[0]
    assert generation.explanation.encoding.ids.tolist() == theirs.tolist()
    assert generation.text == tokenizer.decode(theirs)


@torch.no_grad()
def test_a_message_of_a_chat_is_answered_as_with_the_library_until_the_turn_ends(smollm2):
    network, tokenizer = smollm2
    network.generation_config.eos_token_id = tokenizer.eos_token_id
    checkpoint = replace(adapt(network, tokenizer, "smollm2"), chat=read_frame(tokenizer, "smollm2"))
    text, _ = chat_text(checkpoint, "Name three fruits.")
    events = continue_text(checkpoint, text, Decoding(), 30)
    generation = next(event for event in events if isinstance(event, Generation))
    messages = [{"role": "user", "content": "Name three fruits."}]
    inputs = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    theirs = network.generate(**inputs, max_new_tokens=30, do_sample=False)[0].tolist()
    assert [*generation.explanation.encoding.ids.tolist(), tokenizer.eos_token_id] == theirs and generation.complete


@torch.no_grad()
def test_a_conversation_of_several_turns_is_read_and_answered_as_with_the_library(smollm2):
    """Each message is answered greedily, and the answers are read again with the next message."""
    network, tokenizer = smollm2
    network.generation_config.eos_token_id = tokenizer.eos_token_id
    checkpoint = with_chat(adapt(network, tokenizer, "smollm2"), read_frame(tokenizer, "smollm2"))
    turns, messages, context = list[Turn](), [{"role": "system", "content": "Be brief."}], None
    for message in ("Name three fruits.", "Which one is yellow?", "And which is the largest?"):
        text, notices = chat_text(checkpoint, message, "Be brief.", turns)
        ids = given_tokens(checkpoint, text).ids.tolist()
        messages.append({"role": "user", "content": message})
        inputs = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        assert ids == inputs["input_ids"][0].tolist() and notices == ()
        assert context is None or ids[: len(context.ids)] == list(context.ids), "what was read need not be read again"
        *_, context = write_on(checkpoint, read_on(checkpoint, ids, context), Decoding(), 40)
        theirs = network.generate(**inputs, max_new_tokens=40, do_sample=False)[0].tolist()
        assert list(context.ids) == theirs[: len(context.ids)]
        assert theirs[len(context.ids) :] in ([], [tokenizer.eos_token_id])
        answer = tokenizer.decode(context.ids[len(ids) :])
        turns.append(Turn(message, answer))
        messages.append({"role": "assistant", "content": answer})
    encoding = checkpoint.text_encoder.encode(checkpoint.chat.read("", "Be brief.", turns))
    text = "".join(encoding.surface(i) for i in np.flatnonzero(~encoding.special))
    assert "".join(text.split()) == "".join("".join(m["content"] for m in messages).split())


@pytest.mark.process
@torch.no_grad()
def test_a_gguf_folder_is_opened_with_the_weights_and_tokens_of_the_library(smollm2, tmp_path):
    network, tokenizer = smollm2
    (tmp_path / "model.gguf").symlink_to(smollm2_file())
    checkpoint = open_model(f"path:{tmp_path}")
    assert checkpoint.chat == read_frame(tokenizer, "smollm2") and list(tmp_path.iterdir()) == [tmp_path / "model.gguf"]
    opened = dict(checkpoint.model.prepared.network.named_parameters())
    assert opened.keys() == dict(network.named_parameters()).keys()
    assert all(torch.equal(weight, opened[name]) for name, weight in network.named_parameters())
    for text in (TEXT, "小林喜欢喝绿茶。", "<|im_start|>user\nHi<|im_end|>"):
        assert checkpoint.text_encoder.encode(text).ids.tolist() == tokenizer(text)["input_ids"]


@pytest.mark.process
@pytest.mark.parametrize(
    "old, new, key",
    [
        (b"blk.7.attn_q.weight", b"blk.7.attn_z.weight", "adapters.misfit"),  # which the library would draw at random
        (b"llama.embedding_length", b"llama.embedding_lengtf", "adapters.bad_size"),
        (b"tokenizer.ggml.tokens", b"tokenizer.ggml.tokenz", "adapters.unreadable_model"),
        (None, None, "adapters.unreadable_model"),  # half of it
    ],
)
def test_a_gguf_file_that_lacks_something_is_refused(tmp_path, old, new, key):
    content = smollm2_file().read_bytes()
    damaged = content.replace(old, new, 1) if old else content[: len(content) // 2]
    assert damaged != content
    (tmp_path / "model.gguf").write_bytes(damaged)
    with pytest.raises(Failure) as failure:
        open_model(f"path:{tmp_path}")
    assert failure.value.message.key == key
