"""The baselines: their contract, and results worked out by hand."""

import math

import numpy as np
import pytest
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from torch import nn

from viz_core.models.baseline import bigram_rows
from viz_core.models.baseline_configs import BagConfig, RecurrentConfig, TfidfConfig
from viz_core.models.kinds import KINDS
from viz_core.models.protocol import ClassifierConfig, HookPoint, Model
from viz_core.models.recording import record, replacing

CONFIGS = {
    "lstm": ("recurrent", RecurrentConfig(30, 16, 8)),
    "bilstm": ("recurrent", RecurrentConfig(30, 16, 8, bidirectional=True)),
    "mean": ("recurrent", RecurrentConfig(30, 16, 8, bidirectional=True, reading="mean")),
    "attention": ("recurrent", RecurrentConfig(30, 16, 8, bidirectional=True, reading="attention", classes=3)),
    "bag": ("bag", BagConfig(30, 16, 8)),
    "bigrams": ("bag", BagConfig(30, 16, 8, bigrams=50, classes=3)),
    "tfidf": ("tfidf", TfidfConfig(30, 16)),
    "tfidf of pairs": ("tfidf", TfidfConfig(30, 16, bigrams=50, classes=3)),
}


@pytest.fixture(params=list(CONFIGS))
def model(request) -> nn.Module:
    kind, config = CONFIGS[request.param]
    torch.manual_seed(0)
    model = KINDS[kind].build(config).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)
    return model


def batch(*texts: list[int]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    ids = torch.zeros(len(texts), max(map(len, texts)), dtype=torch.int64)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.tensor(text)
    return ids, torch.zeros_like(ids), ids != 0


def test_the_contract(model):
    config = model.config
    assert isinstance(model, Model) and isinstance(config, ClassifierConfig)
    assert config.parameters() == sum(parameter.numel() for parameter in model.parameters())
    assert type(config).from_dict(vars(config)) == config and config.shrink(1) == config
    assert config.activations(10) > 0 < config.operations(10.0)
    ids, segments, mask = batch([2, 5, 6, 7, 3], [2, 8, 3])
    output = model(ids, segments, mask, need_attention=True)
    assert output.logits.shape == (2, config.classes) and set(output.attention) == set(model.attention_kinds)
    assert model.encode(ids, segments, mask).shape[:2] == (2, 5)
    assert model.token_embedding.weight.shape[0] == 30


def test_padding_changes_nothing(model):
    short = model(*batch([2, 8, 9, 3])).logits
    padded = model(*batch([2, 8, 9, 3], [2, 5, 6, 7, 5, 6, 3])).logits[:1]
    torch.testing.assert_close(short, padded, atol=1e-6, rtol=0)


def test_a_masked_token_inside_a_text_is_skipped(model):
    ids, segments, mask = batch([2, 8, 7, 9, 3])
    mask[0, 2] = False
    other = ids.clone()
    other[0, 2] = 11
    torch.testing.assert_close(model(ids, segments, mask).logits, model(other, segments, mask).logits)


def test_the_logits_from_the_embeddings_are_those_from_the_ids(model):
    ids, segments, mask = batch([2, 8, 7, 9, 3], [2, 5, 3])
    x = model.embed(ids, segments, mask)
    torch.testing.assert_close(model.from_embeddings(x, mask).logits, model(ids, segments, mask).logits)


def test_an_lstm_that_skips_a_token_reads_what_is_left():
    torch.manual_seed(0)
    for name in ("lstm", "bilstm", "mean", "attention"):
        model = KINDS["recurrent"].build(CONFIGS[name][1]).eval()
        ids, segments, mask = batch([2, 8, 7, 9, 3])
        mask[0, 2] = False
        torch.testing.assert_close(model(ids, segments, mask).logits, model(*batch([2, 8, 9, 3])).logits)


@pytest.mark.parametrize("name", ["lstm", "bilstm"])
def test_the_states_are_those_of_torch(name):
    torch.manual_seed(0)
    model = KINDS["recurrent"].build(CONFIGS[name][1]).eval()
    lstm = nn.LSTM(8, model.config.state, batch_first=True, bidirectional=model.config.bidirectional)
    for direction, suffix in zip(model.directions, ("", "_reverse"), strict=False):
        lstm.load_state_dict({f"{key}{suffix}": value for key, value in direction.state_dict().items()}, strict=False)
    ids, segments, mask = batch([2, 8, 7, 9, 3])
    states, (last, _) = lstm(model.embed(ids, segments, mask))
    torch.testing.assert_close(model.encode(ids, segments, mask), states)
    torch.testing.assert_close(model(ids, segments, mask).logits, model.classifier(torch.cat([*last], dim=1)))


def test_additive_attention_by_hand():
    model = KINDS["recurrent"].build(RecurrentConfig(30, 16, 1, reading="attention")).eval()
    attention = model.attention
    with torch.no_grad():
        attention.key.weight.fill_(2.0), attention.key.bias.fill_(0.5)
        attention.query.weight.fill_(-1.0), attention.score.fill_(3.0)
    states, mask = torch.tensor([[[0.1], [0.4], [-0.2]]]), torch.tensor([[True, True, False]])
    context, weights = attention(states, states, mask)
    scores = [[3 * math.tanh(2 * key + 0.5 - query) for key in (0.1, 0.4)] for query in (0.1, 0.4, -0.2)]
    for row, (first, second) in enumerate(scores):
        total = math.exp(first) + math.exp(second)
        expected = [math.exp(first) / total, math.exp(second) / total, 0.0]
        np.testing.assert_allclose(weights[0, 0, row].detach(), expected, atol=1e-6)
        assert context[0, row].item() == pytest.approx(0.1 * expected[0] + 0.4 * expected[1], abs=1e-6)


def test_the_hook_changes_scores_values_and_weights():
    torch.manual_seed(0)
    model = KINDS["recurrent"].build(CONFIGS["attention"][1]).eval()
    inputs = batch([2, 8, 7, 9, 3])
    shapes = {"values": (1, 1, 5, 8), "scores": (1, 1, 5, 5), "weights": (1, 1, 5, 5), "context": (1, 1, 5, 8)}
    recorded = record(model, inputs, {*shapes, "final", "pooled"})
    torch.testing.assert_close(recorded.output.logits, model(*inputs).logits)
    points = {HookPoint(name, 0): torch.Size(shape) for name, shape in shapes.items()}
    points |= {HookPoint("final"): (1, 5, 8), HookPoint("pooled"): (1, 8)}
    assert {point: tensor.shape for point, tensor in recorded.items()} == points
    without = model(*inputs, hook=replacing({"values": torch.zeros_like}))
    torch.testing.assert_close(without.logits[0], model.classifier.bias)
    uniform = model(*inputs, True, replacing({"scores": torch.zeros_like}))
    np.testing.assert_allclose(uniform.attention["self"].detach(), 1 / 5, atol=1e-6)


def test_a_bag_is_the_mean_of_its_embeddings():
    model = KINDS["bag"].build(BagConfig(30, 16, 2)).eval()
    with torch.no_grad():
        model.token.weight.zero_(), model.classifier.weight.copy_(torch.eye(2)), model.classifier.bias.zero_()
        model.token.weight[5] = torch.tensor([4.0, 0.0])
        model.token.weight[6] = torch.tensor([0.0, 2.0])
    np.testing.assert_allclose(model(*batch([2, 5, 6, 3])).logits[0].detach(), [1.0, 0.5])
    torch.testing.assert_close(model(*batch([2, 5, 6, 3])).logits, model(*batch([2, 6, 5, 3])).logits)


def test_pairs_of_neighbours_know_the_order():
    model = KINDS["bag"].build(CONFIGS["bigrams"][1]).eval()
    assert not torch.allclose(model(*batch([2, 5, 6, 3])).logits, model(*batch([2, 6, 5, 3])).logits)


def test_the_rows_of_pairs():
    ids, _, mask = batch([2, 5, 6, 5, 6, 3])
    mask[0, 5] = False
    rows, is_pair = bigram_rows(ids, mask, 1000)
    assert is_pair.tolist() == [[False, True, True, True, True, False]]
    assert rows[0, 2] == rows[0, 4] != rows[0, 3] and rows.min() >= 0 and rows.max() < 1000


def test_tfidf_is_that_of_scikit_learn():
    texts = [[5, 6, 6, 7], [5, 8, 8, 8], [9, 5], [7, 7, 7, 9, 8]]
    model = KINDS["tfidf"].build(TfidfConfig(30, 16)).eval()
    model.fit([np.array([2, *text, 3], np.int32) for text in texts])
    with torch.no_grad():
        model.token.weight.normal_(), model.bias.normal_()
    vectorizer = TfidfVectorizer(analyzer=list, sublinear_tf=True)
    vectors = vectorizer.fit_transform(texts)
    weights = model.token.weight.detach().numpy()[vectorizer.get_feature_names_out().astype(int)]
    expected = vectors @ weights + model.bias.detach().numpy()
    np.testing.assert_allclose(model(*batch(*([2, *text, 3] for text in texts))).logits.detach(), expected, atol=1e-5)


def test_each_occurrence_of_a_type_has_the_same_share_of_the_logits():
    model = KINDS["tfidf"].build(TfidfConfig(30, 16)).eval()
    with torch.no_grad():
        model.token.weight.fill_(1.0)
    shares = model.embed(*batch([2, 5, 5, 6, 3]))[0, :, 0].detach()
    values = np.array([1 + math.log(2), 1.0])
    values /= np.linalg.norm(values)
    np.testing.assert_allclose(shares, [0, values[0] / 2, values[0] / 2, values[1], 0], atol=1e-6)


@pytest.mark.parametrize(
    "build, value",
    [
        (lambda: RecurrentConfig(30, 16, 7, bidirectional=True), "7"),
        (lambda: RecurrentConfig(30, 16, 8, reading="first"), "first"),
        (lambda: RecurrentConfig(30, 16, 8, bidirectional=2), "2"),
        (lambda: RecurrentConfig(0, 16, 8), "0"),
        (lambda: RecurrentConfig(30, 16, 8, dropout=1.0), "1.0"),
        (lambda: BagConfig(30, 16, 8, bigrams=-1), "-1"),
        (lambda: BagConfig(30, 16, 2.5), "2.5"),
        (lambda: TfidfConfig(30, 16, bigrams=True), "True"),
    ],
)
def test_an_invalid_size_is_named(build, value):
    with pytest.raises(ValueError, match=value):
        build()
