"""The heads of models from elsewhere on pairs of sentences: equal to the means over single inputs."""

import numpy as np
import pytest

from tests.adapters.tiny_networks import byte_pairs, network, wordpiece
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.explain import explain
from viz_core.analysis.heads.profile import REDUNDANCY_ROWS, best_read, sentence_profile
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.datasets.sample import LANGUAGES, PAIRS, sentence_pairs
from viz_core.explorer.packing import CRITERIA

CATS = [("the cat, it sat on the mat.", "the cat lay on the rug."), ("a film is good.", "the film is not a good film!")]


@pytest.mark.parametrize(
    "family, tokenizer, sizes", [("bert", wordpiece, {}), ("roberta", byte_pairs, {"vocab_size": 300})]
)
def test_statistics_are_the_means_of_those_of_each_pair(family, tokenizer, sizes):
    """Also where special tokens have other ids than ours, and both texts are in one segment of the model."""
    model = adapt(network(family, "Model", **sizes), tokenizer())
    profile = sentence_profile(model, CATS)
    single = [head_statistics(explain(model, *pair)) for pair in CATS]
    of_causal = {"first", "duplicate", "induction"}
    for name in set(CRITERIA) - of_causal:
        values = [getattr(statistics, name) for statistics in single]
        expected = np.mean([value for value in values if value is not None], axis=0)
        np.testing.assert_allclose(profile.statistics[name], expected, atol=1e-5, err_msg=name)
        uniform = np.mean([statistics.uniform[name] for statistics in single if name in statistics.uniform])
        assert profile.uniform[name] == pytest.approx(uniform, abs=1e-5), name
    assert profile.rows == 2 and profile.redundancy.shape == (12, 12)
    np.testing.assert_allclose(np.diag(profile.redundancy), 1, atol=1e-5)


def test_the_sentences_are_those_with_the_fewest_unknown_tokens():
    model = adapt(network("bert", "Model"), wordpiece())
    pairs = {"zh": [("花呗怎么还款", "花呗如何还钱")], "en": CATS}
    assert best_read(model, pairs) == "en"
    assert best_read(model, {"first": CATS, "second": CATS}) == "first"


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_pairs_of_our_own_in_every_language(language):
    pairs = sentence_pairs(language)
    assert len(pairs) == len(set(pairs)) == PAIRS > REDUNDANCY_ROWS
    assert all(first.strip() and second.strip() and first != second for first, second in pairs)
    assert any("a" in first for first, _ in pairs) if language == "en" else any("么" in first for first, _ in pairs)
