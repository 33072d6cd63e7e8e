"""Model cards, from a checkpoint info written by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.models.tiny import decoder_config, encoder_decoder_config
from tests.tiny import config
from viz_core.checkpoints import CheckpointInfo, Settings
from viz_core.checkpoints.card import model_card
from viz_core.records import Figures, Metrics, Reading, TranslationFigures

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


def test_before_the_test_split_is_read_the_card_has_only_validation_metrics():
    card = model_card(checkpoint_info())
    assert "| metric | validation |\n|---|---|\n" in card
    assert row(card, "accuracy") == ["0.8750"]
    assert row(card, "n") == ["40"]


def test_after_the_test_split_is_read_both_splits_are_shown():
    card = model_card(checkpoint_info(**TEST))
    assert "| metric | validation | test |\n|---|---|---|\n" in card
    assert row(card, "n") == ["40", "4316"]
    assert row(card, "accuracy") == ["0.8750", "0.8125"]
    assert row(card, "ece_uncalibrated") == ["0.0312", "0.0312"]


def rows_of(card: str, label: str) -> list[list[str]]:
    lines = (line for line in card.splitlines() if line.startswith(f"| `{label}` |"))
    return [[cell.strip() for cell in line.strip("|").split("|")][1:] for line in lines]


def test_f1_and_confusion_matrices_name_their_classes():
    card = model_card(checkpoint_info(**TEST))
    assert "| class | F1 on validation | F1 on test |" in card
    assert card.count("| true class | `different` | `same` |") == 2
    assert rows_of(card, "different") == [["0.8000", "0.8000"], ["18", "2"], ["2000", "978"]]
    assert rows_of(card, "same") == [["0.9000", "0.9000"], ["3", "17"], ["300", "1038"]]
    assert card.index("Predicted classes on validation:") < card.index("Predicted classes on test:")


def test_without_the_scores_of_all_classes_a_card_has_no_section_of_classes():
    for missing in (dict(f1=None), dict(f1=[0.8]), dict(confusion=None)):
        assert "## Classes" not in model_card(checkpoint_info(validation={**VALIDATION, **missing}))


@pytest.mark.parametrize(("seconds", "words"), [(19, "19 seconds"), (119, "119 seconds"), (120, "2 minutes")])
def test_a_short_training_does_not_take_0_minutes(seconds, words):
    assert f"cpu, 1 threads, in {words}\n" in model_card(checkpoint_info(wall_seconds=seconds))


def test_metrics_of_another_split_are_not_labelled_as_test():
    card = model_card(checkpoint_info(**{**TEST, "split": "validation"}))
    assert "| metric | validation |\n" in card and "4316" not in card


def test_summary_describes_the_architecture():
    card = model_card(checkpoint_info(encoder=dict(layers=4, heads=2, width=128, vocabulary=1708, pooling="mean")))
    assert card.startswith("# afqmc / small\n\n")
    for phrase in (
        "4 layers × 2 heads",
        "width 128",
        "GELU",
        "pre-norm",
        "mean pooling",
        "vocabulary of 1,708",
        "1,234,567 parameters",
        "half precision",
    ):
        assert phrase in card


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
def test_command_reproduces_the_model_under_its_present_name(options, added):
    command = f"python -m viz_core train --task afqmc {options}".strip()
    assert f"- command: `{command}{added}`, commit" in model_card(checkpoint_info(command=command))


@pytest.mark.parametrize("overlap", [True, False])
def test_overlap_embedding_is_mentioned_only_if_present(overlap):
    assert ("occurring in the other sentence" in model_card(checkpoint_info(encoder=dict(overlap=overlap)))) == overlap


@pytest.mark.parametrize("stem", ["none", "convolution"])
def test_convolution_stem_is_mentioned_only_if_present(stem):
    assert ("convolution over three neighbouring tokens" in model_card(checkpoint_info(encoder=dict(stem=stem)))) == (
        stem == "convolution"
    )


def test_only_a_model_with_a_caution_is_called_a_bad_example():
    assert "Failed on purpose." in model_card(checkpoint_info(caution="checkpoints.collapsed"))
    assert "on purpose" not in model_card(checkpoint_info())


def test_card_has_what_reproducing_the_training_needs():
    card = model_card(checkpoint_info())
    for phrase in (
        "AFQMC as published by CLUE",
        "`python -m viz_core train --task afqmc --seed 3`",
        "commit `0123abc`",
        "seed 3",
        "f" * 64,
        "lr 0.0005, epochs 8, swap True",
        "cpu, 1 threads, in 2 minutes",
        "temperature 1.2500, decision threshold 0.4000",
    ):
        assert phrase in card


def test_a_model_trained_on_the_sample_does_not_cite_the_corpus():
    card = model_card(checkpoint_info(data="sample"))
    assert "the sample corpus of this project" in card and "CLUE" not in card


def test_behavioural_tests_have_their_own_section():
    score = dict(n=10, accuracy=0.7, low=0.3968, high=0.8922)
    card = model_card(
        checkpoint_info(
            probes=dict(
                category="all", **score, given=dict(different=4, same=6), categories=[dict(category="order", **score)]
            )
        )
    )
    assert row(card, "order") == row(card, "all") == ["10", "7", "0.70", "0.40–0.89"]
    assert "It predicted `different` 4 times and `same` 6 times." in card
    assert card.index("## Metrics") < card.index("## Behavioural tests") < card.index("## Training")
    assert "## Behavioural tests" not in model_card(checkpoint_info())


def test_predictions_of_more_than_two_classes_are_a_list():
    score = dict(n=3, accuracy=1.0, low=0.44, high=1.0)
    given = dict(finance=1, science=1, sports=1)
    card = model_card(checkpoint_info(probes=dict(category="all", **score, given=given, categories=[])))
    assert "It predicted `finance` 1 time, `science` 1 time and `sports` 1 time." in card


def test_sections_are_separated_by_a_single_blank_line():
    card = model_card(replace(checkpoint_info(**TEST), name="a_b"))
    assert card.endswith("\n") and not card.endswith("\n\n") and "\n\n\n" not in card
    headings = [line for line in card.splitlines() if line.startswith("#")]
    assert headings == ["# afqmc / a_b", "## Metrics", "## Classes", "## Training"]


def reading(date: str, weights: str, rows: str = "all", **figures) -> Reading:
    return Reading(date, "0" * 40, "afqmc", "small", "full", rows, weights * 64, Figures(**figures))


def test_readings_of_the_test_are_counted_and_listed():
    first = reading("2026-11-20T19:35:15+00:00", "a", n=4_316, accuracy=0.5551, auc=0.679, mcc=0.2472)
    second = reading("2026-11-22T04:59:50+00:00", "b", n=4_316, accuracy=0.6728, auc=0.7169, mcc=0.2644)
    unseen = reading("2026-11-23T00:00:00+00:00", "b", "unseen", n=4_116, accuracy=0.67, auc=0.715, mcc=0.26)
    assert "Readings" not in model_card(checkpoint_info())
    assert "has been read once for" in model_card(checkpoint_info(), [first])
    assert "has been read twice for" in model_card(checkpoint_info(), [first, second])
    card = model_card(checkpoint_info(), [first, second, unseen])
    assert "The test split has been read 3 times for models of this name" in card
    assert row(card, "2026-11-20") == ["`aaaaaaaa`", "4316 (all)", "0.5551", "0.6790", "0.2472"]
    assert row(card, "2026-11-23")[1] == "4116 (without those that repeat a text of train)"


def test_a_card_says_what_its_training_started_from():
    start = {"name": "tiny-bert", "licence": "mit", "sha256": "b" * 64}
    assert "A Transformer encoder trained from scratch: 2 layers" in model_card(checkpoint_info())
    card = model_card(checkpoint_info(pretrained=start))
    assert f"the pre-trained encoder tiny-bert (licence mit; sha256 of its weights `{'b' * 64}`): 2 layers" in card
    assert "its card names no licence; sha256" in model_card(checkpoint_info(pretrained={**start, "licence": ""}))
    assert "from scratch" in model_card(checkpoint_info(pretrained="damaged"))
    cards = {teacher: model_card(checkpoint_info(recipe={"teacher": teacher})) for teacher in ("ngrams", "a/b,ngrams")}
    assert "A Transformer encoder trained from scratch: " in cards["ngrams"]
    assert "A Transformer encoder distilled from `a/b`, starting from random weights: " in cards["a/b,ngrams"]


def test_a_card_says_which_model_of_this_project_was_trained_further():
    start = {"name": "a/b", "licence": "", "sha256": "b" * 64}
    card = model_card(checkpoint_info(pretrained=start, recipe={"encoder": "a/b"}))
    assert f"encoder trained further, starting from `a/b` (sha256 of its weights `{'b' * 64}`): 2 layers" in card
    card = model_card(checkpoint_info(pretrained=start, recipe={"encoder": "a/b", "teacher": "a/b,a/c,a/d"}))
    assert "encoder distilled from `a/b`, `a/c` and `a/d`, starting from `a/b` (sha256 of " in card
    info = checkpoint_info()
    own = f"{info.task}/{info.name}"
    card = model_card(checkpoint_info(pretrained={**start, "name": own}, recipe={"encoder": own}))
    assert f"encoder trained further, starting from an earlier `{own}` (sha256 of " in card


@pytest.mark.parametrize("encoder, origin", [("a/b", ""), ("path:a/b", "a/b"), ("", "a/b")])
def test_only_an_encoder_from_elsewhere_is_the_origin_of_a_model(encoder, origin):
    assert checkpoint_info(pretrained={"name": "a/b"}, recipe={"encoder": encoder}).origin == origin
    assert checkpoint_info(recipe={"encoder": encoder}).origin == ""


SCORES = dict(n=40, bleu=29.538, chrf=46.87, incomplete=1, beam=4, beam_bleu=31.128, beam_chrf=47.69)
SCORES |= dict(beam_incomplete=0, retrieval_bleu=14.199, retrieval_chrf=32.52)


def translation_info(**metrics) -> CheckpointInfo:
    settings = Settings("tatoeba", encoder_decoder_config(layers=3), kind="encoder_decoder")
    entries = {**METRICS, "task": "tatoeba", "validation": {**SCORES, "token_accuracy": 0.6722}, **metrics}
    return CheckpointInfo("tatoeba", "small", Path("tatoeba/small"), settings, Metrics(entries))


def test_a_translation_has_its_own_rows_in_the_same_table():
    card = model_card(translation_info(**{**SCORES, "bleu": 28.04, "split": "test", "n": 1_424}))
    assert "| metric | validation | test |\n|---|---|---|\n" in card
    assert row(card, "n") == ["40", "1424"] and row(card, "bleu") == ["29.5", "28.0"]
    assert row(card, "token_accuracy") == ["0.6722", ""], "not measured on test"
    assert "accuracy |" not in card.replace("token_accuracy |", "") and "threshold" not in card
    assert "3 + 3 layers × 2 heads" in card and "CC-BY 2.0 FR" in card


def test_readings_of_a_translation_have_scores_with_a_decimal():
    figures = TranslationFigures(**SCORES)
    reading = Reading("2026-11-23T00:00:00+00:00", "0" * 40, "tatoeba", "small", "full", "all", "a" * 64, figures)
    card = model_card(translation_info(), [reading])
    assert row(card, "2026-11-23") == ["`aaaaaaaa`", "40 (all)", "29.5", "31.1", "14.2"]


def test_a_language_model_has_its_own_sentence_and_rows():
    figures = dict(n=15, words=3048, perplexity=60.25, kneser_ney_perplexity=75.5, bits_per_character=1.25)
    settings = Settings("imdb-text", decoder_config(layers=4, heads=2), kind="decoder")
    stored = {**METRICS, "task": "imdb-text", "validation": {"split": "validation", **figures}}
    card = model_card(CheckpointInfo("imdb-text", "small", Path("imdb-text/small"), settings, Metrics(stored)))
    for phrase in ("decoder", "4 layers × 2 heads", "rotary positions", "vocabulary of 30", "1,234,567 parameters"):
        assert phrase in card
    assert (row(card, "perplexity"), row(card, "kneser_ney_perplexity")) == (["60.25"], ["75.50"])
