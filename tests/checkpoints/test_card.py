"""What a model card says, from a checkpoint info made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tiny import config
from viz_core.checkpoints import CheckpointInfo, Settings
from viz_core.checkpoints.card import model_card
from viz_core.records import Metrics

VALIDATION = dict(
    split="validation",
    n=40,
    accuracy=0.875,
    majority_accuracy=0.5,
    auc=0.9,
    mcc=0.75,
    f1=[0.8, 0.9],
    confusion=[[18, 2], [3, 17]],
    ece=0.0125,
    ece_uncalibrated=0.03125,
    threshold=0.4,
)
TEST = {**VALIDATION, "split": "test", "n": 4_316, "accuracy": 0.8125, "confusion": [[2000, 978], [300, 1038]]}
METRICS = dict(
    task="afqmc",
    data="full",
    recipe=dict(lr=5e-4, epochs=8, swap=True),
    seed=3,
    parameters=1_234_567,
    command="python -m viz_core train --task afqmc --seed 3",
    commit="0123abc",
    device="cpu, 1 threads",
    wall_seconds=150,
    data_sha256="f" * 64,
    validation=VALIDATION,
)


def checkpoint_info(caution: str = "", encoder: dict | None = None, **metrics) -> CheckpointInfo:
    settings = Settings("afqmc", config(**(encoder or {})), temperature=1.25, threshold=0.4, caution=caution)
    return CheckpointInfo("afqmc", "small", Path("afqmc/small"), settings, Metrics({**METRICS, **metrics}))


def row(card: str, name: str) -> list[str]:
    (line,) = (line for line in card.splitlines() if line.startswith(f"| {name} |"))
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


def test_without_a_reading_of_the_test_only_validation_has_figures():
    card = model_card(checkpoint_info())
    assert "| | validation |\n|---|---|\n" in card
    assert row(card, "accuracy") == ["0.8750"]
    assert row(card, "n") == ["40"]


def test_once_the_test_was_read_both_stand_side_by_side():
    card = model_card(checkpoint_info(**TEST))
    assert "| | validation | test |\n|---|---|---|\n" in card
    assert row(card, "n") == ["40", "4316"]
    assert row(card, "accuracy") == ["0.8750", "0.8125"]
    assert row(card, "f1") == ["[0.8000, 0.9000]"] * 2
    assert row(card, "confusion") == ["[[18, 2], [3, 17]]", "[[2000, 978], [300, 1038]]"]
    assert row(card, "ece_uncalibrated") == ["0.0312", "0.0312"]


def test_figures_of_another_split_are_not_called_the_test():
    card = model_card(checkpoint_info(**{**TEST, "split": "validation"}))
    assert "| | validation |\n" in card and "4316" not in card


def test_summary_names_what_was_built():
    card = model_card(checkpoint_info(encoder=dict(layers=4, heads=2, width=128, vocabulary=1708, pooling="mean")))
    assert card.startswith("# afqmc / small\n\n")
    for said in (
        "4 layers × 2 heads",
        "width 128",
        "GELU",
        "pre-norm",
        "mean pooling",
        "vocabulary of 1,708",
        "1,234,567 parameters",
        "half precision",
    ):
        assert said in card


@pytest.mark.parametrize(
    "options, added",
    [
        ("", ""),
        ("--preset small --layers 2", ""),
        ("--preset course", " --name small"),
        ("--preset small --name mine", " --name small"),
        ("--preset course --name small", ""),
    ],
)
def test_the_command_makes_it_again_under_the_name_it_has(options, added):
    command = f"python -m viz_core train --task afqmc {options}".strip()
    assert f"- command: `{command}{added}`, commit" in model_card(checkpoint_info(command=command))


@pytest.mark.parametrize("overlap", [True, False])
def test_embedding_of_common_tokens_is_named_where_there_is_one(overlap):
    assert ("occurring in the other sentence" in model_card(checkpoint_info(encoder=dict(overlap=overlap)))) == overlap


@pytest.mark.parametrize("stem", ["none", "convolution"])
def test_a_stem_is_named_where_there_is_one(stem):
    assert ("convolution over three neighbouring tokens" in model_card(checkpoint_info(encoder=dict(stem=stem)))) == (
        stem == "convolution"
    )


def test_only_the_bad_example_is_called_one():
    assert "A bad example, on purpose." in model_card(checkpoint_info(caution="checkpoints.collapsed"))
    assert "bad example" not in model_card(checkpoint_info())


def test_making_can_be_repeated():
    card = model_card(checkpoint_info())
    for said in (
        "AFQMC as published by CLUE",
        "`python -m viz_core train --task afqmc --seed 3`",
        "commit `0123abc`",
        "seed 3",
        "f" * 64,
        "lr 0.0005, epochs 8, swap True",
        "cpu, 1 threads, in 2 minutes",
        "temperature 1.2500, decision threshold 0.4000",
    ):
        assert said in card


def test_training_on_the_sample_is_not_called_the_real_corpus():
    card = model_card(checkpoint_info(data="sample"))
    assert "the sample corpus of this project" in card and "CLUE" not in card


def test_scores_on_the_probes_stand_in_a_section_of_their_own():
    score = dict(n=10, accuracy=0.7, low=0.3968, high=0.8922)
    card = model_card(
        checkpoint_info(
            probes=dict(
                category="all", **score, given=dict(different=4, same=6), categories=[dict(category="order", **score)]
            )
        )
    )
    assert row(card, "order") == row(card, "all") == ["10", "7", "0.70", "0.40–0.89"]
    assert "It answered `different` 4 times and `same` 6 times." in card
    assert card.index("## Figures") < card.index("## Probes") < card.index("## How it was made")
    assert "## Probes" not in model_card(checkpoint_info())


def test_card_is_markdown_with_one_empty_line_between_its_parts():
    card = model_card(replace(checkpoint_info(**TEST), name="a_b"))
    assert card.endswith("\n") and not card.endswith("\n\n") and "\n\n\n" not in card
    headings = [line for line in card.splitlines() if line.startswith("#")]
    assert headings == ["# afqmc / a_b", "## Figures", "## How it was made"]
