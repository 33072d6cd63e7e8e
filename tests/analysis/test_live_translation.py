"""Translations step by step: the same as those of a batch, in one pass the same as one after another."""

import math

import numpy as np
import pytest
import torch

from tests.tiny_translation import SOURCE, translation_checkpoint
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.translation.changes import TranslationChanges
from viz_core.analysis.translation.explain_translation import explain_translation, source_notices, source_tensors
from viz_core.analysis.translation.live import beam_tree, grow_beam, read_reference, translate_live, translate_stepwise
from viz_core.analysis.translation.translating import beam_decoder, translate
from viz_core.models.decoding import greedy
from viz_core.records import BeamTree, Exposure, Failure, Step, Translation
from viz_core.text.building import CLS, SEP, UNK


@pytest.fixture(scope="module", params=[0.0, 3.0], ids=["cut off", "complete"])
def checkpoint(request):
    return translation_checkpoint(end=request.param)


@pytest.fixture(scope="module")
def source(checkpoint):
    return checkpoint.text_encoder.encode(SOURCE)


def ids(steps) -> list[int]:
    return [step.output.id for step in steps]


def probabilities(steps) -> list[float]:
    return [step.output.probability for step in steps]


def live(checkpoint, source, decoding=None, changes=None) -> tuple[list, Translation, Exposure]:
    *events, translation, exposure = translate_live(checkpoint, source, decoding or Decoding(), changes)
    return events, translation, exposure


def test_the_steps_are_those_of_greedy_decoding(checkpoint, source):
    steps = list(translate_stepwise(checkpoint, source))
    (hypothesis,) = translate(checkpoint.model, [source.ids], greedy)
    assert ids(steps) == [*hypothesis.tokens, *([SEP] if hypothesis.complete else [])] and len(steps) > 2
    assert sum(map(math.log, probabilities(steps))) == pytest.approx(hypothesis.log_probability, abs=1e-4)
    assert all(step.rank == 1 and step.output == step.candidates[0] for step in steps)
    shares = [candidate.probability for candidate in steps[0].candidates]
    assert shares == sorted(shares, reverse=True) and sum(shares) < 1


def test_one_pass_over_the_translation_gives_what_decoding_computed(checkpoint, source):
    """Its attention is that of the cached steps, to 1e-5, and so are the probabilities."""
    steps, translation, _ = live(checkpoint, source)
    assert ids(translation.steps) == ids(steps) and all(isinstance(step, Step) for step in steps)
    np.testing.assert_allclose(probabilities(translation.steps), probabilities(steps), atol=1e-5)
    model, tensors = checkpoint.model, source_tensors(source)
    with torch.inference_mode():
        _, own = model.encode(*tensors, need_attention=True)
        state, causal, cross = model.start(*tensors), [], []
        for token in [CLS, *ids(steps)[:-1]]:
            output, state = model.decode(torch.tensor([[token]]), state, need_attention=True)
            causal.append(output.attention["causal"][:, 0, :, 0].numpy())
            cross.append(output.attention["cross"][:, 0, :, 0].numpy())
    attention = translation.attention
    np.testing.assert_allclose(attention["self"], own[:, 0].numpy(), atol=1e-5)
    for position, row in enumerate(causal):
        np.testing.assert_allclose(attention["causal"][:, :, position, : position + 1], row, atol=1e-5)
        assert not attention["causal"][:, :, position, position + 1 :].any()
    np.testing.assert_allclose(attention["cross"], np.stack(cross, axis=2), atol=1e-5)


def test_the_record_is_aligned_and_read_only(checkpoint, source):
    _, translation, _ = live(checkpoint, source)
    S, T = len(source.ids), len(translation.steps)
    shapes = {kind: weights.shape[2:] for kind, weights in translation.attention.items()}
    assert shapes == {"self": (S, S), "causal": (T, T), "cross": (T, S)}
    assert len(translation.target.tokens) == T and translation.target.tokens[0] == "[CLS]"
    assert translation.outputs[: T - 1] == translation.target.tokens[1:]
    assert translation.complete == (translation.outputs[-1] == "[SEP]") == (not translation.notices)
    for array in (*translation.attention.values(), translation.target.ids, translation.source.offsets):
        assert not array.flags.writeable
    for weights in translation.attention.values():
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)


def test_a_reference_equal_to_the_translation_has_its_probabilities(checkpoint, source):
    steps, translation, _ = live(checkpoint, source)
    read, exposure = read_reference(checkpoint, source, translation.text)
    # A reference always ends: where the translation was cut off, its last token differs.
    same = len(steps) if translation.complete else len(steps) - 1
    assert same > 0 and ids(read.steps)[:same] == ids(steps)[:same]
    np.testing.assert_allclose(probabilities(read.steps)[:same], probabilities(steps)[:same], atol=1e-5)
    assert exposure.passes == 0 and exposure.forced_seconds > 0


def test_the_rank_and_the_probability_of_a_reference_are_those_among_all_tokens(checkpoint, source):
    read, _ = read_reference(checkpoint, source, "we zebra go")
    assert read.outputs == ("we", "[UNK]", "go", "[SEP]") and read.complete
    unknown = read.steps[1]
    assert (unknown.output.id, unknown.output.probability, unknown.rank) == (UNK, 0, None)
    assert len(read.notices) == 1 and "zebra" in read.notices[0].values["tokens"]
    with torch.inference_mode():
        logits = checkpoint.model(*source_tensors(source), torch.tensor([[CLS]])).logits[0, 0]
    logits = logits.clone()
    logits[[0, UNK, CLS]] = -torch.inf
    we = read.steps[0].output
    assert we.probability == pytest.approx(float(logits.softmax(0)[we.id]), rel=1e-4)
    assert read.steps[0].rank == 1 + int((logits > logits[we.id]).sum())


def test_continuing_with_the_likeliest_candidate_is_greedy_and_with_another_goes_on_from_there(checkpoint, source):
    steps = list(translate_stepwise(checkpoint, source))
    prefix = dict(enumerate(ids(steps)[:2]))
    assert ids(translate_stepwise(checkpoint, source, forced=prefix)) == ids(steps)
    other = steps[1].candidates[1]
    changed = list(translate_stepwise(checkpoint, source, forced={**prefix, 1: other.id}))
    assert changed[1].output == other and changed[1].rank == 2 and changed[0] == steps[0]
    np.testing.assert_allclose(
        probabilities(explain_translation(checkpoint, source, ids(changed)).steps), probabilities(changed), atol=1e-5
    )


def test_a_seed_repeats_a_sample_and_another_gives_another(checkpoint, source):
    samples = [ids(live(checkpoint, source, Decoding("sample", 2.0, seed))[0]) for seed in (1, 1, 2)]
    assert samples[0] == samples[1] != samples[2]


@pytest.mark.parametrize("width", [1, 4])
def test_the_best_leaf_of_the_tree_is_that_of_beam_search(checkpoint, source, width):
    (*levels, tree), translation, exposure = live(checkpoint, source, Decoding("beam", width=width))
    (hypothesis,) = translate(checkpoint.model, [source.ids], beam_decoder(width))
    best = tree.path(tree.leaves[0].node)
    assert isinstance(tree, BeamTree) and ids(translation.steps) == list(best)
    assert [token for token in best if token != SEP] == list(hypothesis.tokens)
    assert tree.leaves[0].complete == hypothesis.complete and exposure.passes == len(levels)
    assert len(tree.leaves) <= width and tree.nodes == tuple(node for level in levels for node in level)
    for node in tree.nodes:
        parent = tree.nodes[node.parent].log_probability if node.parent >= 0 else 0.0
        assert math.log(node.probability) == pytest.approx(node.log_probability - parent, abs=1e-5)
    assert all(sum(node.survives for node in level) <= width for level in levels)
    if width == 1:
        assert list(best) == ids(translate_stepwise(checkpoint, source))


def test_a_beam_goes_on_from_forced_tokens(checkpoint, source):
    forced = {0: 5, 1: 6}
    nodes = [node for level in grow_beam(checkpoint, source, 3, forced) for node in level]
    tree = beam_tree(checkpoint, 3, nodes)
    assert {tree.path(leaf.node)[:2] for leaf in tree.leaves} == {(5, 6)} and len(tree.leaves) == 3


def test_a_translation_that_takes_too_long_is_cut_off_and_says_so(checkpoint, source):
    *steps, translation, exposure = translate_live(checkpoint, source, Decoding(), seconds=0)
    assert len(steps) == exposure.passes == 1 and not translation.complete
    (notice,) = translation.notices
    assert (notice.key, notice.values) == ("translation.cut_off", {"count": 1})


def test_the_limit_of_the_model_is_kept(checkpoint, source):
    steps = list(translate_stepwise(checkpoint, source, limit=1000))
    assert len(steps) <= checkpoint.model.config.max_tokens - 1
    assert len(list(translate_stepwise(checkpoint, source, limit=2))) == 2


def test_a_sentence_without_chinese_is_translated_with_a_notice(checkpoint):
    keys = {
        text: [notice.key for notice in source_notices(checkpoint, checkpoint.text_encoder.encode(text))]
        for text in (SOURCE, "we go", "我 zebra")
    }
    assert keys == {SOURCE: [], "we go": ["translation.no_chinese"], "我 zebra": ["text.unknown"]}


@pytest.mark.parametrize(
    "decoding, key",
    [
        (Decoding("beam", width=0), "translation.width"),
        (Decoding("beam", width=9), "translation.width"),
        (Decoding("sample", temperature=0.0), "translation.temperature"),
        (Decoding("sample", temperature=float("nan")), "translation.temperature"),
    ],
)
def test_settings_that_are_not_possible_are_refused_at_once(checkpoint, source, decoding, key):
    with pytest.raises(Failure) as failure:
        translate_live(checkpoint, source, decoding, TranslationChanges())
    assert failure.value.message.key == key
