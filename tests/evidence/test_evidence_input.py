"""The input to all kinds of evidence: a model whose weights are no numbers has none."""

import pytest
import torch
from safetensors.torch import load_file, save_file

from viz_core.checkpoints import WEIGHTS
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.kinds import evidence_kind
from viz_core.evidence.results import result_file
from viz_core.language import has_sentence
from viz_core.records import Failure


@pytest.mark.parametrize("name", evidence_kind("imdb").compute)
def test_weights_that_are_no_numbers_are_a_failure_that_counts_them(sample_models, name):
    file = sample_models["imdb"] / WEIGHTS
    weights = load_file(file)
    damaged = next(iter(weights))
    weights[damaged].fill_(torch.nan)
    save_file(weights, file)
    with pytest.raises(Failure) as error:
        compute_evidence(name, "imdb", "tiny", lambda done, total: None)
    message = error.value.message
    assert (message.key, message.values["name"]) == ("checkpoints.not_finite", "imdb/tiny")
    assert message.values["invalid"] == weights[damaged].numel() and has_sentence(message)
    assert not result_file(sample_models["imdb"], name).exists()
