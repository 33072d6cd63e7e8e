"""The checkpoints that ship with the project: complete, small enough, and as good as they are said to be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from viz_core import checkpoints
from viz_core.analysis.probing import probing, scores
from viz_core.analysis.verdicts import skill
from viz_core.checkpoints import CARD, CONFIG, FOLDER, METRICS, TOKENIZER, WEIGHTS
from viz_core.checkpoints.card import model_card
from viz_core.evidence import health, results
from viz_core.tasks import TASKS

LISTINGS, BROKEN = checkpoints.listings(FOLDER)
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


def of(task: str) -> list[checkpoints.Listing]:
    return [listing for listing in LISTINGS if listing.task == task]


def test_none_is_broken_and_all_together_are_small():
    assert BROKEN == []
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) <= 50 * 1024**2


@pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: f"{listing.task}/{listing.name}")
def test_folder_is_complete_and_its_figures_belong_together(listing):
    loaded = checkpoints.load(listing.task, listing.name, FOLDER)
    assert {file.name for file in listing.path.iterdir()} == {WEIGHTS, CONFIG, TOKENIZER, METRICS, CARD, results.FOLDER}
    figures = listing.metrics.entries
    assert set(figures) >= TOP
    assert figures["n"] == TEST_ROWS[listing.task] == sum(map(sum, figures["confusion"]))
    assert figures["parameters"] == sum(parameter.numel() for parameter in loaded.model.parameters())
    assert figures["threshold"] == listing.settings.threshold
    (true_negative, _), (_, true_positive) = figures["confusion"]
    assert figures["accuracy"] == pytest.approx((true_negative + true_positive) / figures["n"])


@pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: f"{listing.task}/{listing.name}")
def test_scores_on_the_probes_are_those_of_the_weights_and_stand_in_the_card(listing):
    """To keep them anew after a change of the probes: python -m viz_core probe --task T --model M --record"""
    found = scores(probing(checkpoints.load(listing.task, listing.name, FOLDER), TASKS[listing.task].probes()))
    kept = listing.metrics.entries["probes"]
    assert found["given"] == kept["given"]
    for one, other in zip([*found["categories"], found], [*kept["categories"], kept], strict=True):
        assert (one["category"], one["n"], one["accuracy"]) == (other["category"], other["n"], other["accuracy"])
    assert (listing.path / CARD).read_text(encoding="utf-8") == model_card(listing)


@pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: f"{listing.task}/{listing.name}")
def test_every_model_was_examined_with_the_weights_that_ship_and_its_figures_are_those_of_its_card(listing):
    kept = results.read_result(listing.path, health.NAME)
    found, card, shape = health.read(kept), listing.metrics.entries["validation"], listing.settings.model
    assert (kept["split"], kept["data"], kept["n"]) == ("validation", listing.metrics.entries["data"], card["n"])
    for name in ("accuracy", "majority_accuracy", "auc", "mcc", "f1", "threshold", "ece", "ece_uncalibrated"):
        assert getattr(found.figures, name) == pytest.approx(card[name], abs=1e-3), name
    assert sum(found.calibration.count) == card["n"]
    for kind in {one.kind for one in found.slices}:
        assert sum(one.n for one in found.slices if one.kind == kind) == card["n"]
    assert {values.shape for values in found.heads.statistics.values()} == {(shape.layers, shape.heads)}
    assert found.heads.redundancy.shape == (shape.layers * shape.heads,) * 2
    assert (skill(found).level == "none") == bool(listing.settings.caution)


def test_a_review_model_with_cls_pooling_reaches_90_percent():
    assert (
        max(listing.metrics.entries["accuracy"] for listing in of("imdb") if listing.settings.model.pooling == "cls")
        >= 0.90
    )


def test_a_review_model_of_the_courses_size_reaches_88_percent():
    course = TASKS["imdb"].presets["course"].model
    sizes = ("layers", "heads", "width", "feedforward", "pooling")
    found = [
        listing.metrics.entries["accuracy"]
        for listing in of("imdb")
        if all(getattr(listing.settings.model, size) == course[size] for size in sizes)
    ]
    assert max(found) >= 0.88


def test_a_pair_model_is_better_than_chance_where_accuracy_cannot_tell():
    assert any(
        listing.metrics.entries["auc"] >= 0.71 and listing.metrics.entries["mcc"] >= 0.28 for listing in of("afqmc")
    )


def test_pair_models_of_three_depths_differ_in_nothing_else():
    same = [listing for listing in of("afqmc") if not listing.settings.caution]
    assert sorted(listing.settings.model.layers for listing in same) == [2, 4, 6]
    assert len({replace(listing.settings.model, layers=1) for listing in same}) == 1
    recipes = [listing.metrics.entries["recipe"] for listing in same]
    assert recipes == recipes[:1] * 3


def test_the_bad_example_answers_the_same_for_everything():
    (bad,) = (listing for listing in of("afqmc") if listing.settings.caution == "checkpoints.collapsed")
    assert bad.metrics.entries["accuracy"] == pytest.approx(0.69, abs=5e-5) == bad.metrics.entries["majority_accuracy"]
    assert bad.metrics.entries["mcc"] == 0


@pytest.mark.parametrize("listing", of("afqmc"), ids=lambda listing: listing.name)
def test_vocabulary_of_afqmc_has_1708_entries(listing):
    text = checkpoints.load("afqmc", listing.name, FOLDER).text
    assert text.vocabulary == 1_708
    assert [text.token(i) for i in range(4)] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    assert text.max_tokens == 64


def test_loading_reads_weights_and_json_only():
    assert not [file for file in FOLDER.rglob("*") if file.suffix in (".pt", ".pth", ".pkl", ".bin", ".py")]
