"""A kind of task, text -> next token, whose measure falls: one record per package, and no branch anywhere."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from streamlit.testing.v1 import AppTest
from torch import Tensor, nn

from tests.extension.conftest import weather_task
from viz_core import __main__, checkpoints, notebook
from viz_core.checkpoints import Checkpoint
from viz_core.checkpoints.card_kinds import CardKind, register_card_kind
from viz_core.commands.kinds import CommandKind, register_command_kind
from viz_core.evidence.evidence_input import evidence_input
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.kinds import EvidenceKind, register_evidence_kind
from viz_core.evidence.ledger import readings_of
from viz_core.evidence.requests import request_first_evidence
from viz_core.jobs import runs
from viz_core.language import Translator
from viz_core.models.batch import pad
from viz_core.models.decoding import Vocabulary, greedy
from viz_core.models.kinds import KINDS, Kind
from viz_core.models.protocol import Generator, Output
from viz_core.recipes import Preset, Recipe
from viz_core.records import Evaluation, Explanation, register_figures
from viz_core.rendering.curves import curves, training_curves
from viz_core.rendering.theme import theme
from viz_core.tasks import Measure, TaskKind, register, unregister
from viz_core.text.building import CLS, PAD, SEP, UNK
from viz_core.training.kinds import TrainingKind, register_training_kind
from viz_core.training.loop import BatchSums
from viz_core.training.settings import Training, TrainingSettings
from viz_core.training.train import train
from viz_core.training.validation import Measured

pytestmark = pytest.mark.process  # it trains

SENTENCE_MODEL = TaskKind(
    "sentence_model", "a model of sentences", (Measure("doubt", falls=True),), vocabulary_splits=("train",)
)


@dataclass(frozen=True)
class BigramConfig:
    vocabulary: int
    max_tokens: int
    layers: int = 0
    heads: int = 0

    @property
    def classes(self) -> int:
        return self.vocabulary

    def parameters(self) -> int:
        return self.vocabulary**2

    def activations(self, tokens: int, fused: bool = False) -> int:
        return tokens * self.vocabulary

    def operations(self, tokens: float) -> float:
        return 6 * tokens * self.vocabulary

    def shrink(self, most_parameters: int) -> BigramConfig:
        return self


class Bigrams(nn.Module):
    """The logits of the next token are the row of the last one."""

    attention_kinds = ()
    special_ids = Vocabulary(CLS, SEP, excluded=(PAD, UNK, CLS))

    def __init__(self, config: BigramConfig) -> None:
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocabulary, config.vocabulary)
        self.unused = nn.Parameter(torch.zeros(1))  # a model has other parameters besides its embeddings

    def forward(self, ids, segments, mask, need_attention=False, hook=None) -> Output:
        return Output(self.token_embedding(ids) + 0 * self.unused, {})

    def start(self, ids: Tensor, mask: Tensor, hook=None) -> Rows:
        return Rows(len(ids))

    def advance(self, state: Rows, tokens: Tensor, hook=None) -> tuple[Tensor, Rows]:
        return self.token_embedding(tokens), state


@dataclass(frozen=True)
class Rows:
    count: int

    def at(self, rows: Tensor) -> Rows:
        return Rows(len(rows))


class NextToken(nn.Module):
    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch) -> BatchSums:
        logits, labels = self.model(batch.ids, batch.segments, batch.mask).logits[:, :-1], batch.ids[:, 1:]
        counts = batch.mask[:, 1:] * batch.counts[:, None]
        losses = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
        correct = (logits.argmax(-1) == labels) * counts
        return BatchSums((losses * counts).sum(), counts.sum(), correct.sum(), counts.sum())


@dataclass(frozen=True)
class Perplexity:
    """The figures of a language model, of a split and in the ledger."""

    n: int
    doubt: float

    @classmethod
    def from_dict(cls, values: Mapping) -> Perplexity:
        return cls(values["n"], values["doubt"])

    def to_dict(self) -> dict:
        return asdict(self)

    def is_close(self, other: Perplexity) -> bool:
        return self.n == other.n and math.isclose(self.doubt, other.doubt, abs_tol=1e-4)


def doubt(model: nn.Module, examples) -> Perplexity:
    ids, segments, mask = pad(examples.ids, examples.segments)
    with torch.inference_mode():
        losses = -model(ids, segments, mask).logits[:, :-1].log_softmax(-1).gather(2, ids[:, 1:, None])[:, :, 0]
    return Perplexity(len(examples), math.exp(float((losses * mask[:, 1:]).sum() / mask[:, 1:].sum())))


@dataclass(frozen=True)
class PerplexityValidation:
    examples: object

    def __len__(self) -> int:
        return len(self.examples)

    def measure(self, model, settings, should_stop) -> Measured:
        figures = doubt(model, self.examples).to_dict()
        figures |= {"validation_loss": math.log(figures["doubt"])}
        return Measured(figures, settings, {"split": "validation", **figures})


def continue_text(checkpoint: Checkpoint, args, say) -> dict:
    nothing = torch.zeros(1, 0, dtype=torch.int64)
    state = checkpoint.model.start(nothing, nothing.bool())
    with torch.inference_mode():
        (hypothesis,) = greedy(checkpoint.model.advance, state, 1, checkpoint.model.special_ids, 5)
    return {"model": checkpoint.name, "text": [checkpoint.text_encoder.token(token) for token in hypothesis.tokens]}


def explain_nothing(checkpoint: Checkpoint, *texts: str) -> tuple[Explanation, None]:
    encoding, none = checkpoint.text_encoder.encode(*texts), np.zeros((1, 1, *(len(texts[0].split()) + 2,) * 2))
    return Explanation(checkpoint.name, "sentences", encoding, (), np.empty(0), None, none, ""), None


@pytest.fixture
def sentences(tmp_path, monkeypatch, root) -> Iterator[None]:
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "checkpoints"))
    monkeypatch.setitem(KINDS, "bigrams", Kind(lambda values: BigramConfig(**values), Bigrams, can_pretrain=False))
    monkeypatch.setattr("viz_core.records.readings._KINDS", {})
    register_figures("doubt", Perplexity)
    register_training_kind(
        SENTENCE_MODEL,
        TrainingKind(
            lambda model, recipe, labels: NextToken(model),
            lambda task, data, recipe, prepared: PerplexityValidation(prepared.validation),
            lambda checkpoint, texts: explain_nothing(checkpoint, *texts)[0],
        ),
    )
    card = CardKind({"n": 0, "doubt": 2}, "The lower, the better.", {"doubt": "doubt"}, 2)
    register_card_kind(SENTENCE_MODEL, card)
    surprise = {"surprise": lambda data, progress: doubt(data.checkpoint.model, data.examples).to_dict()}
    register_evidence_kind(SENTENCE_MODEL, EvidenceKind(surprise, evidence_input, first="surprise"))
    measure = lambda checkpoint, frame, data: doubt(  # noqa: E731
        checkpoint.model, checkpoint.task.examples(frame, checkpoint.text_encoder)
    )
    register_command_kind(
        SENTENCE_MODEL,
        CommandKind({"predict": continue_text}, ("heatmap",), measure, "cli.checkpoint_chosen_on_validation"),
    )
    notebook.register_reader(SENTENCE_MODEL, explain_nothing)
    recipe = Recipe(lr=0.05, epochs=4, batch=16, token_lr=1.0, best="doubt")
    task = weather_task(
        tmp_path,
        kind=SENTENCE_MODEL,
        name="sentences",
        labels=(),
        presets={"small": Preset({}, recipe, kind="bigrams")},
        behavioural_test_file=None,
    )
    register(task)
    yield
    unregister("sentences")


def test_it_is_trained_measured_described_and_used(sentences, tmp_path, monkeypatch, capsys):
    folder, seen = tmp_path / "checkpoints/sentences/small", []
    final = train(TrainingSettings("sentences", data="sample", device="cpu").training(), folder, seen.append)
    assert final["doubt"] == pytest.approx(min(figures["doubt"] for figures in seen))
    assert final["doubt"] < 0.7 * seen[0]["doubt"], "it learns"
    checkpoint = checkpoints.load("sentences", "small")
    assert isinstance(checkpoint.model, Generator) and checkpoint.task.kind is SENTENCE_MODEL
    assert compute_evidence("surprise", "sentences", "small", lambda done, total: None)["doubt"] > 1
    request_first_evidence(folder, "anna")
    assert [run.request.settings["pass"] for run in runs.list_runs()] == ["surprise"]

    def call(*words: str) -> dict:
        monkeypatch.setattr(sys, "argv", ["viz_core", *words, "--json", "--lang", "en"])
        assert __main__.main() == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    assert call("predict", "--task", "sentences", "--text", "x")["text"][0] in ("today", "yesterday", "on", "all")
    options = ("--task", "sentences", "--model", "small", "--data", "sample")
    assert call("evaluate", *options, "--split", "test", "--record")["doubt"] > 1
    (reading,) = readings_of("sentences", "small")
    assert isinstance(reading.figures, Perplexity)
    card = (folder / checkpoints.CARD).read_text(encoding="utf-8")
    assert f"| {reading.figures.doubt:.2f} |" in card and "The lower, the better." in card
    assert notebook.show("sentences/small", "today there were").document.startswith("<!")


def test_its_measure_has_a_chart(sentences):
    (measure,) = SENTENCE_MODEL.measures
    rows = [Evaluation.from_dict({"epoch": epoch, "doubt": 90 / epoch, "loss": 1}) for epoch in (1, 2, 3)]
    figure = training_curves(curves("small", rows, measure), Translator("en"), theme("light"), measure)
    assert list(figure.data[0].y) == [90, 45, 30]
    assert "doubt" in figure.layout.title.text
    assert {"doubt", "30"} <= set(figure.layout.annotations[0].text.split())


def _describe_run() -> None:
    from pathlib import Path

    import streamlit as st

    from pages.training.measures import charts_of, columns, in_words
    from viz_core.jobs.runs import Request, Run
    from viz_core.records import Evaluation

    charts = charts_of([Run(Path("run"), Request("train", settings={"task": "sentences"}))])
    evaluation = Evaluation.from_dict({"doubt": 12.5})
    st.text(f"{[chart.name for chart in charts]} {in_words(evaluation)} {columns(evaluation, charts[1:2])}")


def test_the_page_of_its_trainings_has_its_measure(sentences):
    app = AppTest.from_function(_describe_run)
    app.session_state["lang"] = "en"
    shown = app.run().text[0].value
    assert shown.startswith("['loss', 'doubt', 'lr', 'speed'] ['")
    assert shown.endswith("12.5'] {'doubt': 12.5}")


def test_the_best_checkpoint_is_the_one_whose_doubt_is_lowest(sentences, tmp_path, monkeypatch):
    """The second of three evaluations, although the third has a larger number."""
    values = iter([9.0, 4.0, 6.0])
    monkeypatch.setitem(globals(), "doubt", lambda model, examples: Perplexity(len(examples), next(values)))
    recipe = {"epochs": 3}
    training: Training = TrainingSettings("sentences", data="sample", device="cpu", recipe=recipe).training()
    assert train(training, tmp_path / "checkpoints/sentences/small")["doubt"] == 4.0


def test_settings_of_other_kinds_are_refused_in_a_sentence(sentences):
    from viz_core.records import Failure

    with pytest.raises(Failure) as failure:
        TrainingSettings("sentences", recipe={"best": "bleu"})
    reason = failure.value.message.values["reason"]
    assert reason == "best='bleu' does not fit: sentences is a model of sentences; use doubt"
