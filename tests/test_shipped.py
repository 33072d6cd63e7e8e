"""The shipped checkpoints: complete, small enough, and as good as their cards claim."""

from dataclasses import replace

import numpy as np
import pytest

from viz_core import checkpoints
from viz_core.analysis.evaluation.behaviour import category_scores, run_behavioural_tests
from viz_core.analysis.translation.head_alignment import measure_alignments
from viz_core.analysis.verdicts.model import skill
from viz_core.analysis.verdicts.survey import standouts
from viz_core.analysis.verdicts.translation import alignment_verdict
from viz_core.checkpoints import CARD, CONFIG, FOLDER, METRICS, TOKENIZER, WEIGHTS
from viz_core.checkpoints.card import model_card
from viz_core.evidence import alignment, heads, health, results
from viz_core.evidence.ledger import read_ledger, readings_of
from viz_core.evidence.surveyed import read_importance, read_surveys
from viz_core.records import TranslationFigures
from viz_core.tasks import CLASSIFICATION, TRANSLATION, all_tasks, get_task

INFOS, FAILURES = checkpoints.list_checkpoints(FOLDER, all_tasks(CLASSIFICATION))
TRANSLATIONS, TRANSLATION_FAILURES = checkpoints.list_checkpoints(FOLDER, all_tasks(TRANSLATION))
ORIGIN = {"task", "split", "n", "parameters", "seed", "command", "commit", "device", "wall_seconds", "data_sha256"}
TOP_LEVEL = ORIGIN | {
    "accuracy",
    "auc",
    "mcc",
    "f1",
    "confusion",
    "majority_accuracy",
    "threshold",
    "ece",
    "ece_uncalibrated",
}
TEST_ROWS = {"imdb": 25_000, "afqmc": 4_316, "thucnews": 10_000, "tatoeba": 1_424}
of_translations = pytest.mark.parametrize("info", TRANSLATIONS, ids=lambda info: f"{info.task}/{info.name}")


def infos_of(task: str) -> list[checkpoints.CheckpointInfo]:
    return [info for info in INFOS if info.task == task]


def test_all_are_readable_and_their_total_size_is_small():
    assert FAILURES == TRANSLATION_FAILURES == []
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) <= 160_000_000


@pytest.mark.parametrize("info", INFOS, ids=lambda info: f"{info.task}/{info.name}")
def test_folder_is_complete_and_its_metrics_are_consistent(info):
    checkpoint = checkpoints.load(info.task, info.name, FOLDER)
    assert {file.name for file in info.path.iterdir()} == {WEIGHTS, CONFIG, TOKENIZER, METRICS, CARD, results.FOLDER}
    metrics = info.metrics.entries
    assert set(metrics) >= TOP_LEVEL
    assert metrics["n"] == TEST_ROWS[info.task] == sum(map(sum, metrics["confusion"]))
    assert metrics["parameters"] == sum(parameter.numel() for parameter in checkpoint.model.parameters())
    assert metrics["threshold"] == info.settings.threshold
    assert metrics["accuracy"] == pytest.approx(np.trace(metrics["confusion"]) / metrics["n"])


@pytest.mark.parametrize("info", INFOS, ids=lambda info: f"{info.task}/{info.name}")
def test_behavioural_results_are_reproducible_and_in_the_card(info):
    """To update them after the tests change: python -m viz_core probe --task T --model M --record"""
    checkpoint = checkpoints.load(info.task, info.name, FOLDER)
    computed = category_scores(run_behavioural_tests(checkpoint, checkpoint.task.behavioural_tests()))
    saved = info.metrics.entries["probes"]
    assert computed["given"] == saved["given"]
    for score, expected in zip([*computed["categories"], computed], [*saved["categories"], saved], strict=True):
        assert all(score[name] == expected[name] for name in ("category", "n", "accuracy"))
    assert (info.path / CARD).read_text(encoding="utf-8") == model_card(info, readings_of(info.task, info.name))


@pytest.mark.parametrize("info", INFOS, ids=lambda info: f"{info.task}/{info.name}")
def test_the_figures_of_the_test_are_the_last_ones_in_the_ledger(info):
    """If they are not: python -m viz_core evaluate --task T --model M --split test --record"""
    last = [reading for reading in readings_of(info.task, info.name) if reading.rows == "all"][-1]
    assert last.figures == info.metrics.test
    assert (last.data, last.weights_sha256) == (info.metrics.entries["data"], results.weights_sha256(info.path))


def test_the_ledger_has_every_reading_of_a_recipe_in_the_history():
    """Each with the figure by which docs/experiments.md names it."""
    history = [reading for reading in read_ledger() if reading.source == "history"]
    areas = {(reading.model, round(reading.figures.auc, 3)) for reading in history if reading.task == "afqmc"}
    assert areas == {
        ("collapsed", 0.549),
        *(("small", area) for area in (0.679, 0.706, 0.717)),
        *(("small-2-layers", area) for area in (0.676, 0.692)),
        *(("small-6-layers", area) for area in (0.706, 0.719)),
    }
    accuracies = {(reading.model, reading.figures.accuracy) for reading in history if reading.task == "imdb"}
    assert accuracies == {("small", 0.87644), ("small", 0.9082), ("wide", 0.88972)}


@pytest.mark.parametrize("info", INFOS, ids=lambda info: f"{info.task}/{info.name}")
def test_the_health_check_belongs_to_the_weights_and_agrees_with_the_card(info):
    result = results.read_result(info.path, health.NAME)
    record, card, config = health.read(result), info.metrics.entries["validation"], info.settings.config
    assert (result["split"], result["data"], result["n"]) == ("validation", info.metrics.entries["data"], card["n"])
    for name in ("accuracy", "majority_accuracy", "auc", "mcc", "f1", "threshold", "ece", "ece_uncalibrated"):
        assert getattr(record.figures, name) == pytest.approx(card[name], abs=1e-3), name
    assert sum(record.calibration.count) == card["n"]
    for kind in {part.kind for part in record.slices}:
        assert sum(part.n for part in record.slices if part.kind == kind) == card["n"]
    if config.layers:
        assert {values.shape for values in record.heads.statistics.values()} == {(config.layers, config.heads)}
        assert record.heads.redundancy.shape == (config.layers * config.heads,) * 2
    else:
        assert record.heads is None
    assert (skill(record).level == "none") == bool(info.settings.caution)


@pytest.mark.parametrize("info", [*INFOS, *TRANSLATIONS], ids=lambda info: f"{info.task}/{info.name}")
def test_the_survey_of_heads_belongs_to_the_weights_and_is_small(info):
    """If it does not: python -m viz_core evidence heads --task T --model M"""
    config, file = info.settings.config, results.result_file(info.path, heads.NAME)
    if not config.layers:
        assert not file.exists()
        return
    surveyed = read_surveys(info.path)
    assert surveyed.source == info.metrics.entries["data"] and surveyed.n >= 1000
    assert {survey.shape for survey in surveyed.surveys} == {(config.layers, config.heads)}
    assert file.stat().st_size <= 200_000


def test_heads_that_the_documents_name_stand_out():
    """`afqmc/small`: 2.4 aligns words, 1.2 and 2.2 attend to the neighbours; some head does nothing."""
    info = checkpoints.find("afqmc", "small")
    surveyed, importance = read_surveys(info.path), read_importance(info.path)
    found = {standout.criterion: standout.heads for standout in standouts(surveyed.of("self"), importance)}
    assert (found["same"], found["previous"], found["next"]) == (((1, 3),), ((0, 1),), ((1, 1),))
    assert found["idle"]


@of_translations
def test_folder_of_a_translation_is_complete_and_small(info):
    checkpoint, metrics = checkpoints.load(info.task, info.name, FOLDER), info.metrics.entries
    assert {file.name for file in info.path.iterdir()} == {WEIGHTS, CONFIG, TOKENIZER, METRICS, CARD, results.FOLDER}
    assert set(metrics) >= ORIGIN and metrics["n"] == TEST_ROWS[info.task]
    assert metrics["parameters"] == sum(parameter.numel() for parameter in checkpoint.model.parameters()) <= 8_000_000
    assert sum(file.stat().st_size for file in info.path.rglob("*") if file.is_file()) <= 16 * 1024**2


@of_translations
def test_the_figures_of_a_translation_are_in_the_card_and_the_ledger(info):
    """If they are not: python -m viz_core evaluate --task T --model M --split test --record"""
    readings = readings_of(info.task, info.name)
    last = [reading for reading in readings if reading.rows == "all"][-1]
    assert last.figures == TranslationFigures.from_dict(info.metrics.entries)
    assert (last.data, last.weights_sha256) == (info.metrics.entries["data"], results.weights_sha256(info.path))
    assert (info.path / CARD).read_text(encoding="utf-8") == model_card(info, readings)


@of_translations
def test_a_translation_is_far_above_the_retrieval_baseline(info):
    for split in ("validation", "test"):
        numbers = info.metrics.numbers(split)
        assert numbers["bleu"] >= 26 and numbers["bleu"] > numbers["retrieval_bleu"] + 8, split
        assert numbers["incomplete"] <= 0.01 * numbers["n"] >= numbers["beam_incomplete"], split


@of_translations
def test_the_word_alignment_belongs_to_the_weights_and_to_the_pairs(info):
    """If it does not: python -m viz_core evidence alignment --task T --model M"""
    saved = alignment.read(results.read_result(info.path, alignment.NAME))
    checkpoint = checkpoints.load(info.task, info.name, FOLDER)
    computed = measure_alignments(checkpoint, checkpoint.task.aligned_pairs())
    assert (saved.pairs, saved.sure, saved.possible) == (computed.pairs, computed.sure, computed.possible)
    for stored, score in zip(saved.scores, computed.scores, strict=True):
        assert stored.error_rate == pytest.approx(score.error_rate, abs=0.01), score
    assert alignment_verdict(saved).level == "better", "a head aligns words better than the diagonal"


def test_a_review_model_with_cls_pooling_reaches_90_percent():
    assert (
        max(info.metrics.entries["accuracy"] for info in infos_of("imdb") if info.settings.config.pooling == "cls")
        >= 0.90
    )


def test_a_review_model_of_the_courses_size_reaches_88_percent():
    course = get_task("imdb").presets["course"].config
    sizes = ("layers", "heads", "width", "feedforward", "pooling")
    accuracies = [
        info.metrics.entries["accuracy"]
        for info in infos_of("imdb")
        if all(getattr(info.settings.config, size, None) == course[size] for size in sizes)
    ]
    assert max(accuracies) >= 0.88


def test_a_pair_model_ranks_clearly_better_than_chance():
    assert any(
        info.metrics.entries["auc"] >= 0.71 and info.metrics.entries["mcc"] >= 0.28 for info in infos_of("afqmc")
    )


def test_pair_models_of_three_depths_differ_only_in_depth():
    infos = [info for info in infos_of("afqmc") if info.name.startswith("small")]
    assert sorted(info.settings.config.layers for info in infos) == [2, 4, 6]
    assert len({replace(info.settings.config, layers=1) for info in infos}) == 1
    recipes = [info.metrics.entries["recipe"] for info in infos]
    assert recipes == recipes[:1] * 3


def test_the_bad_example_equals_the_majority_class_baseline():
    (bad,) = (info for info in infos_of("afqmc") if info.settings.caution == "checkpoints.collapsed")
    assert bad.metrics.entries["accuracy"] == pytest.approx(0.69, abs=5e-5) == bad.metrics.entries["majority_accuracy"]
    assert bad.metrics.entries["mcc"] == 0


@pytest.mark.parametrize("info", infos_of("afqmc"), ids=lambda info: info.name)
def test_vocabulary_of_afqmc_has_1708_entries(info):
    text_encoder = checkpoints.load("afqmc", info.name, FOLDER).text_encoder
    assert text_encoder.vocabulary == 1_708
    assert [text_encoder.token(i) for i in range(4)] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    assert text_encoder.max_tokens == 64


def test_checkpoints_hold_no_pickle_or_code():
    assert not [file for file in FOLDER.rglob("*") if file.suffix in (".pt", ".pth", ".pkl", ".bin", ".py")]
