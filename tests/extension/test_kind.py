"""A kind of model without attention: saved, loaded, explained and evaluated; what needs attention is refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import nn

from tests.pages.app import open_page
from tests.tiny import text_encoder
from viz_core import checkpoints
from viz_core.analysis.attribution.methods import attributions
from viz_core.analysis.explain import explain
from viz_core.analysis.whatif import Changes, predict_with_changes
from viz_core.checkpoints import Settings
from viz_core.evidence.job import compute_evidence
from viz_core.language import Translator
from viz_core.models.kinds import KINDS, Kind
from viz_core.models.protocol import Model, Output, TrainableConfig
from viz_core.records import Failure, Message


@dataclass(frozen=True)
class BagConfig:
    vocabulary: int
    max_tokens: int
    classes: int
    width: int
    pooling: str = "mean"
    layers: int = 0
    heads: int = 0

    def parameters(self) -> int:
        return self.vocabulary * self.width + (self.width + 1) * self.classes

    def activations(self, tokens: int) -> int:
        return tokens * self.width

    def operations(self, tokens: float) -> float:
        return 6 * tokens * self.width

    def shrink(self, most_parameters: int) -> BagConfig:
        return self


class Bag(nn.Module):
    """A linear classifier of the mean token embedding."""

    attention_kinds = ()

    def __init__(self, config: BagConfig) -> None:
        super().__init__()
        self.config = config
        self.token = nn.Embedding(config.vocabulary, config.width)
        self.classifier = nn.Linear(config.width, config.classes)

    @property
    def token_embedding(self) -> nn.Embedding:
        return self.token

    def forward(self, ids, segments, mask, need_attention=False, hook=None) -> Output:
        return self.from_embeddings(self.embed(ids, segments, mask), mask)

    def embed(self, ids, segments, mask):
        return self.token(ids)

    def from_embeddings(self, x, mask, need_attention=False, hook=None) -> Output:
        real = mask[:, :, None].float()
        return Output(self.classifier((x * real).sum(1) / real.sum(1)), {})

    def encode(self, ids, segments, mask):
        return self.embed(ids, segments, mask)


@pytest.fixture
def bag(checkpoints_dir, monkeypatch) -> checkpoints.Checkpoint:
    """The checkpoint `imdb/bag`; `imdb/tiny` is there too."""
    monkeypatch.setitem(KINDS, "bag", Kind(lambda values: BagConfig(**values), Bag))
    text = text_encoder("imdb")
    torch.manual_seed(0)
    model = Bag(BagConfig(text.vocabulary, text.max_tokens, 2, 8))
    settings = Settings("imdb", model.config, threshold=0.4, kind="bag")
    checkpoints.save(checkpoints_dir / "imdb/bag", settings, model, text, {"task": "imdb", "data": "sample"})
    return checkpoints.load("imdb", "bag")


def test_it_satisfies_the_protocols(bag):
    assert isinstance(bag.model, Model) and isinstance(bag.model.config, TrainableConfig)
    assert bag.settings.kind == "bag" and bag.model.config.parameters() == sum(
        p.numel() for p in bag.model.parameters()
    )


def test_attribution_uses_the_methods_without_attention(bag):
    explanation = explain(bag, "not a good film")
    assert explanation.attention.shape == (0, 0, 6, 6) and not explanation.has_attention
    results = attributions(bag, explanation)
    assert [attribution.method for attribution in results] == ["leave_one_out", "integrated_gradients"]
    # By hand: leaving a token out of a mean over six tokens gives the mean over the other five.
    with torch.no_grad():
        embeddings = bag.model.token(torch.tensor(explanation.encoding.ids.tolist()))
        odds = [
            bag.model.classifier(rows.mean(0)) @ torch.tensor([-1.0, 1.0])
            for rows in (embeddings, torch.cat([embeddings[:1], embeddings[2:]]))
        ]
    sign = 1 if explanation.predicted == 1 else -1
    assert results[0].values[1] == pytest.approx(sign * float(odds[0] - odds[1]), abs=1e-5)


def test_tokens_can_be_removed_and_changes_to_heads_are_refused(bag):
    encoding = explain(bag, "not a good film").encoding
    assert predict_with_changes(bag, encoding, [Changes(removed=frozenset([1]))]).shape == (1, 2)
    for changes in (Changes(masked=frozenset([(0, 0)])), Changes(blocked=frozenset([1]))):
        with pytest.raises(Failure) as failure:
            predict_with_changes(bag, encoding, [changes])
        assert failure.value.message == Message("checkpoints.no_attention", {"name": "imdb/bag"})


def test_health_has_no_heads_and_importance_is_refused(bag):
    assert compute_evidence("health", "imdb", "bag", lambda done, total: None)["heads"] is None
    assert compute_evidence("faithfulness", "imdb", "bag", lambda done, total: None)["methods"] == [
        "leave_one_out",
        "integrated_gradients",
    ]
    with pytest.raises(Failure, match="no_attention"):
        compute_evidence("importance", "imdb", "bag", lambda done, total: None)


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
def test_pages_open_it_and_report_the_missing_attention(bag, root, language):
    import streamlit as st

    st.cache_resource.clear()
    say = Translator(language)
    compute_evidence("health", "imdb", "bag", lambda done, total: None)
    app = open_page("sentiment", model="bag", lang=language, text="a good film")
    assert say("kinds.no_explorer", name="imdb/bag") in infos(app)
    models = open_page("models", task="imdb", model="bag", lang=language)
    assert say("kinds.no_heads", name="imdb/bag") in infos(models)
    for kind in ("methods", "whatif"):
        assert not refusals(open_page("sentiment", model="bag", lang=language, evidence=kind, removed="2"))
    masked = open_page("sentiment", model="bag", lang=language, evidence="whatif", masked="1.1")
    assert len(refusals(masked)) == 1, "it has no head"
    for part in ("figures", "samples", "errors", "compare", "probes"):
        open_page("evaluation", task="imdb", model="bag", part=part, lang=language)
    open_page(lang=language)
    assert np.isfinite(explain(bag, "a good film").probabilities).all()


def refusals(app) -> list[str]:
    """Why the changes of a link are not made."""
    return [element.value for element in app.warning if element.icon == ":material/link_off:"]


def infos(app) -> str:
    return " ".join(element.value for element in app.info).replace("\\", "")
