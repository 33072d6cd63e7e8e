"""The heads of models from elsewhere on texts of our own: equal to the means over single inputs."""

import numpy as np
import pytest

from tests.adapters.test_causal import network as gpt2
from tests.adapters.tiny_networks import byte_pairs, network, wordpiece
from tests.adapters.tiny_translators import network as translator
from tests.adapters.tiny_translators import pieces
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.explain import explain
from viz_core.analysis.heads.profile import best_read
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.analysis.heads.survey import survey_heads
from viz_core.datasets.sample import LANGUAGES, PAIRS, sentence_pairs
from viz_core.evidence.own_texts import UNKNOWN, own_texts, unknown_share
from viz_core.explorer.packing import CRITERIA

CATS = [("the cat, it sat on the mat.", "the cat lay on the rug."), ("a film is good.", "the film is not a good film!")]


@pytest.mark.parametrize(
    "family, tokenizer, sizes", [("bert", wordpiece, {}), ("roberta", byte_pairs, {"vocab_size": 300})]
)
def test_statistics_are_the_means_of_those_of_each_pair(family, tokenizer, sizes):
    """Also where special tokens have other ids than ours, and both texts are in one segment of the model."""
    model = adapt(network(family, "Model", **sizes), tokenizer())
    (survey,) = survey_heads(model, CATS, range(2))
    single = [head_statistics(explain(model, *pair)) for pair in CATS]
    of_causal = {"first", "duplicate", "induction"}
    for name in set(CRITERIA) - of_causal:
        values = [getattr(statistics, name) for statistics in single]
        expected = np.mean([value for value in values if value is not None], axis=0)
        np.testing.assert_allclose(survey.statistics[name].mean, expected, atol=1e-5, err_msg=name)
        uniform = np.mean([statistics.uniform[name] for statistics in single if name in statistics.uniform])
        assert survey.statistics[name].uniform == pytest.approx(uniform, abs=1e-5), name
    assert survey.inputs == 2 and survey.divergence.shape == (12, 12)
    np.testing.assert_allclose(np.diag(survey.divergence), 0, atol=1e-5)


def test_the_sentences_are_those_with_the_fewest_unknown_tokens():
    model = adapt(network("bert", "Model"), wordpiece())
    pairs = {"zh": [("花呗怎么还款", "花呗如何还钱")], "en": CATS}
    assert best_read(model, pairs) == "en"
    assert best_read(model, {"first": CATS, "second": CATS}) == "first"


def test_a_text_in_a_language_that_the_model_does_not_read_is_left_out():
    model = adapt(network("bert", "Model"), wordpiece())
    assert unknown_share(model, ("花呗怎么还款",)) > UNKNOWN
    texts = own_texts(model)
    assert not [parts for parts in texts if "么" in "".join(parts)]
    assert all(unknown_share(model, parts) <= UNKNOWN for parts in texts)


def test_a_model_that_reads_bytes_gets_texts_in_both_languages():
    texts = own_texts(adapt(network("roberta", "Model", vocab_size=300), byte_pairs()))
    assert len(texts) == 2 * PAIRS and all(len(parts) == 2 for parts in texts)
    assert texts[0] == sentence_pairs("en")[0] and texts[-1] == sentence_pairs("zh")[-1]


def test_a_causal_model_gets_single_texts():
    texts = own_texts(adapt(gpt2(), byte_pairs()))
    assert {len(parts) for parts in texts} == {1} and len(texts) == 120
    (survey,) = survey_heads(adapt(gpt2(), byte_pairs()), texts[:3], range(3))
    assert survey.kind == "causal" and "induction" in survey.statistics


def test_a_translation_gets_sources_in_the_direction_that_it_reads():
    model = adapt(translator("t5"), pieces(), "t5")
    (source, target), *_ = own_texts(model)
    assert unknown_share(model, (source,)) <= unknown_share(model, (target,))
    surveys = survey_heads(model, own_texts(model)[:2], range(2))
    assert {survey.kind for survey in surveys} == {"self", "causal", "cross"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_pairs_of_our_own_in_every_language(language):
    pairs = sentence_pairs(language)
    assert len(pairs) == len(set(pairs)) == PAIRS
    assert all(first.strip() and second.strip() and first != second for first, second in pairs)
    assert any("a" in first for first, _ in pairs) if language == "en" else any("么" in first for first, _ in pairs)
