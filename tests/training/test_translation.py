"""Learning to translate: the objective by hand, what is measured on validation, and trainings on the sample."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.models.tiny import encoder_decoder
from tests.training.tiny import DEVICE, RecordingCallback
from viz_core import checkpoints
from viz_core.analysis.translation.translating import hypothesis_text, translate
from viz_core.checkpoints import Settings
from viz_core.jobs.state import METRICS
from viz_core.models.decoding import greedy
from viz_core.models.encoder_decoder import EncoderDecoder
from viz_core.models.protocol import Output
from viz_core.records import Examples, Failure
from viz_core.tasks import CLASSIFICATION, get_task
from viz_core.text.building import CLS, PAD, SEP, build_translation_tokenizer
from viz_core.text.tokenizer import TextEncoder
from viz_core.training import trainer, translation
from viz_core.training.batches import Batch
from viz_core.training.estimate import memory
from viz_core.training.run import EVENTS, RunCallback
from viz_core.training.settings import Training, TrainingSettings
from viz_core.training.snapshots import read_snapshot, snapshot_evaluations
from viz_core.training.train import train, train_in
from viz_core.training.translation import Translation, TranslationValidation, split_pairs
from viz_core.training.validation import Stopped

NAME = "tatoeba"
TINY = dict(layers=1, heads=2, width=16, feedforward=16, dropout=0.1)


def settings(encoder: dict = TINY, **recipe) -> TrainingSettings:
    return TrainingSettings(NAME, data="sample", device=DEVICE, overrides=encoder, recipe={"epochs": 2, **recipe})


def batch(rows: list[list[int]], counts: list[float] | None = None) -> Batch:
    """Rows `[CLS] source [SEP] target [SEP]`, padded."""
    T = max(map(len, rows))
    ids = torch.tensor([row + [PAD] * (T - len(row)) for row in rows])
    mask = torch.tensor([[True] * len(row) + [False] * (T - len(row)) for row in rows])
    segments = torch.tensor([[0] * (row.index(SEP) + 1) + [1] * (T - row.index(SEP) - 1) for row in rows])
    return Batch(ids, segments, mask, torch.full((len(rows),), -1), torch.tensor(counts or [1.0] * len(rows)))


def test_pairs_are_split_into_source_and_target():
    rows = batch([[CLS, 5, 6, 7, SEP, 8, SEP], [CLS, 5, SEP, 8, 9, SEP]])
    source, mask, target = split_pairs(rows.ids, rows.segments, rows.mask)
    assert source.tolist() == [[CLS, 5, 6, 7, SEP], [CLS, 5, SEP, PAD, PAD]]
    assert mask.tolist() == [[True] * 5, [True] * 3 + [False] * 2]
    assert target.tolist() == [[CLS, 8, SEP, PAD], [CLS, 8, 9, SEP]]


class Fixed(torch.nn.Module):
    """Predicts token 8 with probability 1/2 at every place and shares the rest among the nine others."""

    def forward(self, source, source_mask, target):
        logits = torch.full((*target.shape, 10), math.log(1 / 18))
        logits[..., 8] = math.log(1 / 2)
        return Output(logits, {})


def test_the_loss_by_hand():
    """Two rows with the targets 8 [SEP] and 8 9 [SEP]: two of five tokens are predicted, three have 1/18."""
    rows = [[CLS, 5, 6, 7, SEP, 8, SEP], [CLS, 5, SEP, 8, 9, SEP]]
    sums = Translation(Fixed())(batch(rows))
    assert [float(part) for part in sums[1:]] == [5, 2, 5]
    assert float(sums.loss) == pytest.approx(2 * math.log(2) + 3 * math.log(18), rel=1e-5)
    smoothed = Translation(Fixed(), label_smoothing=0.1)(batch(rows))
    uniform = (math.log(2) + 9 * math.log(18)) / 10  # mean over the vocabulary
    assert float(smoothed.loss) == pytest.approx(0.9 * float(sums.loss) + 0.1 * 5 * uniform, rel=1e-5)


def test_rows_that_only_keep_a_process_busy_count_nothing():
    rows = [[CLS, 5, SEP, 8, SEP], [CLS, 6, SEP, 9, 9, SEP]]
    alone, busy = Translation(Fixed())(batch(rows[:1])), Translation(Fixed())(batch(rows, [1.0, 0.0]))
    assert [float(part) for part in busy] == pytest.approx([float(part) for part in alone])


def test_other_rows_of_a_batch_change_no_loss():
    objective = Translation(encoder_decoder())
    rows = [[CLS, 5, 6, 7, SEP, 8, SEP], [CLS, 5, SEP, 8, 9, 11, 12, SEP]]
    together = objective(batch(rows))
    apart = [objective(batch([row])) for row in rows]
    torch.testing.assert_close(together.loss, apart[0].loss + apart[1].loss)


class Copies(torch.nn.Module):
    """Writes the source, token by token, then the end; logits of 9 for what it writes and 0 for the rest.

    read: the sources it was given, each without padding.
    """

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.config = SimpleNamespace(vocabulary=vocabulary, max_tokens=16)
        self.read: list[list[int]] = []

    def forward(self, source, source_mask, target):
        T = target.shape[1]
        self.keep(source, source_mask)
        padded = torch.nn.functional.pad(source[:, 1:], (0, T))[:, :T]
        return Output(torch.nn.functional.one_hot(padded, self.config.vocabulary) * 9.0, {})

    def keep(self, source, mask):
        self.read += [ids[real].tolist() for ids, real in zip(source, mask, strict=True)]

    def encode(self, source, mask):
        return source, None

    def start(self, source, source_mask):
        self.keep(source, source_mask)
        return State(source, 0)

    def advance(self, state, tokens):
        end = state.length + 1
        logits = torch.nn.functional.one_hot(state.source[:, end], self.config.vocabulary) * 9.0
        return logits, State(state.source, end)


class State(SimpleNamespace):
    def __init__(self, source, length):
        super().__init__(source=source, length=length)

    def at(self, rows):
        return State(self.source[rows], self.length)


def validation(texts: list[tuple[str, str]], references: tuple[str, ...]) -> TranslationValidation:
    task = get_task(NAME)
    text = TextEncoder(build_translation_tokenizer([text for pair in texts for text in pair], 16, min_count=1))
    ids, segments = text.ids(*map(list, zip(*texts, strict=True)))
    assert task.max_tokens >= 16
    return TranslationValidation(Examples(ids, segments, np.full(len(ids), -1)), references, text)


@pytest.mark.parametrize("rows", [1, 64])
def test_a_model_that_copies_is_measured_by_hand(monkeypatch, rows):
    """Of the eight target tokens (ends included) it predicts all but the two that are not in the source."""
    monkeypatch.setattr(translation, "_VALIDATION_BATCH", rows)
    pairs = [("a b c d e", "a b x d e"), ("b", "y")]
    measure = validation(pairs, ("A b x d e", "y"))
    model = Copies(measure.text.vocabulary)
    result = measure.measure(model, Settings(NAME, encoder_decoder().config), lambda: False)
    assert result.figures["token_accuracy"] == pytest.approx(6 / 8)
    C, hit = measure.text.vocabulary, math.exp(9)
    expected = math.log(hit + C - 1) - 6 / 8 * 9
    assert result.figures["validation_loss"] == pytest.approx(expected, rel=1e-5)
    assert result.figures["incomplete"] == 0 and result.figures["n"] == 2
    assert 0 < result.figures["bleu"] < 100
    assert result.saved_figures == {"split": "validation", "decoding": "greedy", **result.figures}
    sources = [measure.text.encode(source).ids.tolist() for source, _ in pairs]
    assert sorted(model.read) == sorted(2 * sources), "nothing of the target, with teacher forcing and without"
    perfect = validation(pairs, ("A b c d e", "B")).measure(model, None, lambda: False)
    assert perfect.figures["bleu"] == pytest.approx(100)


@pytest.mark.parametrize("calls", [0, 1])
def test_measuring_can_be_stopped(calls):
    measure = validation([("a", "a")] * 3, ("a",) * 3)
    answers = iter([False] * calls + [True])
    with pytest.raises(Stopped):
        measure.measure(Copies(measure.text.vocabulary), None, lambda: next(answers))


def test_a_model_without_numbers_is_reported():
    measure = validation([("a", "a")], ("a",))
    model = encoder_decoder(vocabulary=measure.text.vocabulary)
    with torch.no_grad():
        model.output_bias.fill_(torch.nan)
    with pytest.raises(FloatingPointError, match="nan"):
        measure.measure(model, None, lambda: False)


@pytest.mark.parametrize(
    "recipe, reason",
    [
        (dict(swap=True), "swap=True has no use: tatoeba is a translation"),
        (dict(r_drop=1.0), "r_drop=1.0"),
        (dict(teacher="ngrams"), "teacher='ngrams'"),
        (dict(embeddings="skipgram"), "embeddings='skipgram' has no use: tatoeba is a translation"),
        (dict(best="auc"), "best='auc' does not fit: tatoeba is a translation; use bleu"),
    ],
)
def test_settings_without_meaning_for_a_translation_are_refused(recipe, reason):
    with pytest.raises(Failure) as failure:
        settings(**recipe)
    assert reason in failure.value.message.values["reason"]


def test_a_classification_has_no_bleu():
    with pytest.raises(Failure, match="training.bad_setting"):
        TrainingSettings("imdb", recipe={"best": "bleu"})


def test_the_preset_describes_a_model_of_the_size_that_may_ship():
    training = TrainingSettings(NAME).training().with_vocabulary(6_700)
    assert training.config.parameters() <= 8_000_000 and training.kind == "encoder_decoder"
    with torch.device("meta"):  # shapes only
        assert isinstance(EncoderDecoder(training.config), EncoderDecoder)


@pytest.mark.parametrize(
    "shape", [dict(), dict(width=128), dict(vocabulary=5_000), dict(attention_dropout=0.1)], ids=str
)
def test_memory_is_that_of_saved_tensors_and_half_as_much_again(shape):
    """Each tensor that autograd saves for the backward pass is counted once."""
    sizes = {**dict(vocabulary=200, max_tokens=64, width=64, feedforward=128, heads=4, dropout=0.1), **shape}
    objective = Translation(encoder_decoder(**sizes)).train()
    parameters = {parameter.untyped_storage()._cdata for parameter in objective.parameters()}
    saved = {}

    def save(tensor: torch.Tensor) -> torch.Tensor:
        saved[tensor.untyped_storage()._cdata] = tensor
        return tensor

    side = [int(index) for index in torch.randint(4, 200, (30,))]
    with torch.autograd.graph.saved_tensors_hooks(save, lambda tensor: tensor):
        objective(batch([[CLS, *side, SEP, *side, SEP]] * 8))
    measured = sum(tensor.untyped_storage().nbytes() for storage, tensor in saved.items() if storage not in parameters)
    config = objective.model.config
    estimated = memory(config, settings().training().recipe, 8, 64) - 16 * config.parameters()
    assert 1.2 < estimated / measured < 1.8


@pytest.mark.slow
@pytest.mark.process
def test_a_training_learns_writes_figures_and_resumes_to_the_same_curve(tmp_path, monkeypatch):
    monkeypatch.setattr(trainer, "SAVE_SECONDS", 0.0)
    training = settings(dict(TINY, dropout=0.0), epochs=4, lr=5e-3, batch=32).training()
    whole, parts = RecordingCallback(), [RecordingCallback(lambda step: step == 13), RecordingCallback()]
    assert train_in(tmp_path / "whole", training, whole)[1]
    assert not train_in(tmp_path / "parts", training, parts[0])[1]
    assert train_in(tmp_path / "parts", training, parts[1])[1]
    assert parts[0].figures + parts[1].figures == whole.figures and len(whole.figures) == 4
    losses = [figures["validation_loss"] for figures in whole.figures]
    assert losses == sorted(losses, reverse=True) and losses[-1] < 0.9 * losses[0]
    assert {"token_accuracy", "bleu", "chrf", "incomplete", "train_accuracy"} <= set(whole.figures[0])
    assert whole.figures[0]["n"] == 40


@pytest.mark.process
def test_a_run_draws_its_curves_and_translates_its_pinned_sentences(tmp_path):
    request = replace(settings(), pinned=(("我们明天去学校。",), ("你好",)))
    reporter = SimpleNamespace(
        path=tmp_path,
        append_metrics=lambda figures: None,
        update=lambda *args, **values: None,
        mark_running=lambda *args: None,
        stop_requested=lambda: False,
    )
    callback = RunCallback(reporter, request)
    train_in(tmp_path, request.training(), callback)
    callback.close()
    events = EventAccumulator(str(tmp_path / EVENTS)).Reload()
    assert {"train/loss", "train/token_accuracy", "train/bleu", "train/chrf"} <= set(events.Tags()["scalars"])
    assert not (tmp_path / METRICS).exists()  # the reporter writes it
    assert [snapshot_evaluations(tmp_path, number) for number in (0, 1, 2)] == [[0, 1, 2], [0, 1, 2], []]
    checkpoint = checkpoints.load_folder(
        max((tmp_path / "checkpoints").iterdir(), key=lambda folder: int(folder.name)), NAME
    )
    snapshot = read_snapshot(tmp_path, 2, 0)
    source = checkpoint.text_encoder.encode("我们明天去学校。")
    (hypothesis,) = translate(checkpoint.model, [source.ids], greedy)
    assert snapshot.source.texts == ("我们明天去学校。",)
    assert snapshot.text == hypothesis_text(checkpoint.text_encoder, hypothesis), "the greedy translation"
    T, S = len(snapshot.steps), len(source.ids)
    shapes = {kind: weights.shape for kind, weights in snapshot.attention.items()}
    assert shapes == {"self": (1, 2, S, S), "causal": (1, 2, T, T), "cross": (1, 2, T, S)}


@pytest.mark.process
def test_the_checkpoint_is_loaded_and_its_card_has_its_figures(tmp_path):
    figures = train(settings().training(), tmp_path / NAME / "tiny")
    checkpoint = checkpoints.load(NAME, "tiny", tmp_path)
    assert checkpoint.settings.threshold is None and checkpoint.model.attention_kinds == ("self", "causal", "cross")
    metrics = json.loads((tmp_path / NAME / "tiny" / checkpoints.METRICS).read_text(encoding="utf-8"))
    assert metrics["validation"] == figures and set(figures) >= {"bleu", "chrf", "token_accuracy", "decoding"}
    card = (tmp_path / NAME / "tiny" / checkpoints.CARD).read_text(encoding="utf-8")
    assert f"| chrf | {figures['chrf']:.1f} |" in card and "1 + 1 layers × 2 heads" in card
    assert f"{checkpoint.model.config.parameters():,} parameters" in card and "temperature" not in card
    assert "sample corpus of this project" in card


def test_the_vocabulary_has_no_word_of_the_held_out_targets():
    """Of a classification the labels, of a translation the targets: what is to be predicted is not read."""
    assert get_task(NAME).kind.vocabulary_splits == ("train",)
    assert "validation" in CLASSIFICATION.vocabulary_splits


def test_training_does_not_accept_a_kind_of_recipe_by_accident():
    preset = get_task(NAME).presets["small"]
    with pytest.raises(ValueError, match="word_dropout=0.1"):
        Training(get_task(NAME), None, type(preset.recipe)(best="bleu", word_dropout=0.1), "x")
