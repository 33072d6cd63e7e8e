"""A real language model, SmolLM2-135M-Instruct: weights, logits and tokens are those of the library."""

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM

from tests.adapters.smollm2 import read_smollm2
from viz_core.adapters.checkpoint import adapt
from viz_core.adapters.opening import open_model
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.explain import explain
from viz_core.analysis.generation import continue_text, given_tokens, read_text
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.analysis.whatif import Changes, outcomes
from viz_core.records import Generation

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
