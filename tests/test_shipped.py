"""The checkpoints that ship with the project: complete, small enough, and as good as they are said to be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from viz_core import checkpoints
from viz_core.analysis.behaviour import run_behavioural_tests, category_scores
from viz_core.analysis.verdicts import skill
from viz_core.checkpoints import CARD, CONFIG, FOLDER, METRICS, TOKENIZER, WEIGHTS
from viz_core.checkpoints.card import model_card
from viz_core.evidence import health, results
from viz_core.tasks import TASKS

LISTINGS, BROKEN = checkpoints.list_checkpoints(FOLDER)
TOP = {
    "task",
    "split",
    "n",
    "accuracy",
    "auc",
    "mcc",
    "f1",
    "confusion",
    "majority_accuracy",
    "threshold",
    "ece",
    "ece_uncalibrated",
    "parameters",
    "seed",
    "command",
    "commit",
    "device",
    "wall_seconds",
    "data_sha256",
}
TEST_ROWS = {"imdb": 25_000, "afqmc": 4_316}


def of(task: str) -> list[checkpoints.CheckpointInfo]:
    return [info for info in LISTINGS if info.task == task]


def test_none_is_broken_and_all_together_are_small():
    assert BROKEN == []
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) <= 50 * 1024**2


@pytest.mark.parametrize("info", LISTINGS, ids=lambda info: f"{info.task}/{info.name}")
def test_folder_is_complete_and_its_figures_belong_together(info):
    loaded = checkpoints.load(info.task, info.name, FOLDER)
    assert {file.name for file in info.path.iterdir()} == {WEIGHTS, CONFIG, TOKENIZER, METRICS, CARD, results.FOLDER}
    figures = info.metrics.entries
    assert set(figures) >= TOP
    assert figures["n"] == TEST_ROWS[info.task] == sum(map(sum, figures["confusion"]))
    assert figures["parameters"] == sum(parameter.numel() for parameter in loaded.model.parameters())
    assert figures["threshold"] == info.settings.threshold
    (true_negative, _), (_, true_positive) = figures["confusion"]
    assert figures["accuracy"] == pytest.approx((true_negative + true_positive) / figures["n"])


@pytest.mark.parametrize("info", LISTINGS, ids=lambda info: f"{info.task}/{info.name}")
def test_scores_on_the_probes_are_those_of_the_weights_and_stand_in_the_card(info):
    """To keep them anew after a change of the probes: python -m viz_core probe --task T --model M --record"""
    found = category_scores(run_behavioural_tests(checkpoints.load(info.task, info.name, FOLDER), TASKS[info.task].behavioural_tests()))
    kept = info.metrics.entries["probes"]
    assert found["given"] == kept["given"]
    for one, other in zip([*found["categories"], found], [*kept["categories"], kept], strict=True):
        assert (one["category"], one["n"], one["accuracy"]) == (other["category"], other["n"], other["accuracy"])
    assert (info.path / CARD).read_text(encoding="utf-8") == model_card(info)


@pytest.mark.parametrize("info", LISTINGS, ids=lambda info: f"{info.task}/{info.name}")
def test_every_model_was_examined_with_the_weights_that_ship_and_its_figures_are_those_of_its_card(info):
    kept = results.read_result(info.path, health.NAME)
    found, card, shape = health.read(kept), info.metrics.entries["validation"], info.settings.model
    assert (kept["split"], kept["data"], kept["n"]) == ("validation", info.metrics.entries["data"], card["n"])
    for name in ("accuracy", "majority_accuracy", "auc", "mcc", "f1", "threshold", "ece", "ece_uncalibrated"):
        assert getattr(found.figures, name) == pytest.approx(card[name], abs=1e-3), name
    assert sum(found.calibration.count) == card["n"]
    for kind in {one.kind for one in found.slices}:
        assert sum(one.n for one in found.slices if one.kind == kind) == card["n"]
    assert {values.shape for values in found.heads.statistics.values()} == {(shape.layers, shape.heads)}
    assert found.heads.redundancy.shape == (shape.layers * shape.heads,) * 2
    assert (skill(found).level == "none") == bool(info.settings.caution)


def test_a_review_model_with_cls_pooling_reaches_90_percent():
    assert (
        max(info.metrics.entries["accuracy"] for info in of("imdb") if info.settings.model.pooling == "cls")
        >= 0.90
    )


def test_a_review_model_of_the_courses_size_reaches_88_percent():
    course = TASKS["imdb"].presets["course"].model
    sizes = ("layers", "heads", "width", "feedforward", "pooling")
    found = [
        info.metrics.entries["accuracy"]
        for info in of("imdb")
        if all(getattr(info.settings.model, size) == course[size] for size in sizes)
    ]
    assert max(found) >= 0.88


def test_a_pair_model_is_better_than_chance_where_accuracy_cannot_tell():
    assert any(
        info.metrics.entries["auc"] >= 0.71 and info.metrics.entries["mcc"] >= 0.28 for info in of("afqmc")
    )


def test_pair_models_of_three_depths_differ_in_nothing_else():
    same = [info for info in of("afqmc") if not info.settings.caution]
    assert sorted(info.settings.model.layers for info in same) == [2, 4, 6]
    assert len({replace(info.settings.model, layers=1) for info in same}) == 1
    recipes = [info.metrics.entries["recipe"] for info in same]
    assert recipes == recipes[:1] * 3


def test_the_bad_example_answers_the_same_for_everything():
    (bad,) = (info for info in of("afqmc") if info.settings.caution == "checkpoints.collapsed")
    assert bad.metrics.entries["accuracy"] == pytest.approx(0.69, abs=5e-5) == bad.metrics.entries["majority_accuracy"]
    assert bad.metrics.entries["mcc"] == 0


@pytest.mark.parametrize("info", of("afqmc"), ids=lambda info: info.name)
def test_vocabulary_of_afqmc_has_1708_entries(info):
    text = checkpoints.load("afqmc", info.name, FOLDER).text
    assert text.vocabulary == 1_708
    assert [text.token(i) for i in range(4)] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    assert text.max_tokens == 64


def test_loading_reads_weights_and_json_only():
    assert not [file for file in FOLDER.rglob("*") if file.suffix in (".pt", ".pth", ".pkl", ".bin", ".py")]
