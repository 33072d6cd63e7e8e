"""What tokens add to a prediction: worked out by hand, and their sum is the prediction."""

import numpy as np
import pytest
import torch

from tests.tiny import text_encoder
from viz_core import checkpoints
from viz_core.analysis.attribution.methods import contributions
from viz_core.analysis.explain import explain
from viz_core.checkpoints import Settings
from viz_core.models.baseline_configs import BagConfig, TfidfConfig
from viz_core.models.kinds import KINDS

TEXT = "not a good film"


def load(folder, kind: str, config) -> checkpoints.Checkpoint:
    torch.manual_seed(0)
    model, text = KINDS[kind].build(config), text_encoder("imdb")
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter)
    checkpoints.save(folder / f"imdb/{kind}", Settings("imdb", config, kind=kind), model, text, {"task": "imdb"})
    return checkpoints.load("imdb", kind)


@pytest.mark.parametrize("bigrams", [0, 20])
def test_they_add_up_to_the_log_odds_without_the_bias(checkpoints_dir, bigrams):
    text = text_encoder("imdb")
    sizes = dict(vocabulary=text.vocabulary, max_tokens=text.max_tokens, bigrams=bigrams)
    for kind, config in (("bag", BagConfig(width=8, **sizes)), ("tfidf", TfidfConfig(**sizes))):
        checkpoint = load(checkpoints_dir, kind, config)
        explanation = explain(checkpoint, TEXT)
        attribution, target = contributions(checkpoint, explanation), explanation.predicted
        bias = (checkpoint.model.bias if kind == "tfidf" else checkpoint.model.classifier.bias).detach().numpy()
        log_odds = np.log(explanation.probabilities[target] / explanation.probabilities[1 - target])
        assert attribution.values.sum() + bias[target] - bias[1 - target] == pytest.approx(log_odds, abs=1e-3), kind
        assert attribution.target == explanation.labels[target] and not attribution.values.flags.writeable


def test_a_bag_of_two_tokens_by_hand(checkpoints_dir):
    text = text_encoder("imdb")
    checkpoint = load(checkpoints_dir, "bag", BagConfig(text.vocabulary, text.max_tokens, 2))
    with torch.no_grad():
        checkpoint.model.token.weight.zero_(), checkpoint.model.classifier.weight.copy_(torch.eye(2))
        checkpoint.model.classifier.bias.copy_(torch.tensor([0.0, 9.0]))
        checkpoint.model.token.weight[text.ids(["good"])[0][0][1]] = torch.tensor([1.0, 3.0])
    values = contributions(checkpoint, explain(checkpoint, "good")).values
    np.testing.assert_allclose(values, [0, (3 - 1) / 3, 0])  # the mean is over [CLS] good [SEP]


def test_an_encoder_has_none(checkpoints_dir):
    checkpoint = checkpoints.load("imdb", "tiny")
    assert contributions(checkpoint, explain(checkpoint, TEXT)) is None
