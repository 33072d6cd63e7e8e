"""The comparison of the models of a task: from recorded figures, by hand, and never of other weights."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.fake_health import good_health
from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.verdicts.comparison import comparison_verdict, unpaired_difference
from viz_core.commands.comparing import BEGIN, END, compare
from viz_core.commands.parser import build_parser
from viz_core.evidence import health
from viz_core.evidence.comparison import (
    compare_models,
    comparison_file,
    readings,
    right_answers,
    save_answers,
    store_answers,
    store_latencies,
    store_seeds,
)
from viz_core.evidence.ledger import record_reading
from viz_core.evidence.results import write_result
from viz_core.language import Translator
from viz_core.records import BehaviouralTest, CategoryScore, Failure, Figures, Message, Reading, Slice
from viz_core.records.comparison import ComparedModel, Seeds, TrainingTime
from viz_core.rendering.comparison import figures_table, markdown, slices_table
from viz_core.statistics.intervals import wilson

RECIPE = {"lr": 1e-3, "seed": 0, "teacher": "ngrams", "pretrain_epochs": 3}


def measure(folder, seed: int = 0, accuracy: float = 0.8, **entries) -> None:
    """Gives a model figures on both splits."""
    recorded = {"n": 100, "accuracy": accuracy, "f1": [0.7, 0.9], "split": "test", "seed": seed, "wall_seconds": 90}
    recipe = {"recipe": {**RECIPE, "seed": seed}, "validation": {"accuracy": accuracy + 0.1}}
    checkpoints.save_metrics(folder, {**recorded, **recipe, **entries})


def row(model: str, attention: bool, accuracy: float, n: int = 10_000, **values) -> ComparedModel:
    first = dict(
        task="imdb",
        kind="recurrent",
        besides=(),
        parameters=5,
        trainings=(TrainingTime(1.0),),
        latency=None,
        lengths=(),
    )
    figures = dict(test=Figures(n=n, accuracy=accuracy, f1=(0.5, 0.7), auc=0.9), categories=(), seeds=Seeds({}))
    first["interval"] = wilson(round(accuracy * n), n)
    return ComparedModel(**{**first, **figures, "model": model, "attention": attention, **values})


def test_a_row_has_what_was_recorded(checkpoints_dir):
    assert compare_models("imdb") == (), "no model was measured on the test"
    measure(checkpoints_dir / "imdb/tiny", probes={"categories": [vars(CategoryScore("negation", 10, 0.5, 0.2, 0.8))]})
    (tiny,) = compare_models("imdb")
    assert (tiny.test.accuracy, tiny.trainings, tiny.attention) == (0.8, (TrainingTime(1.5),), True)
    assert tiny.besides == ("pretraining", "teacher")
    assert tiny.macro_f1 == pytest.approx(0.8) and tiny.categories[0].n == 10 and tiny.latency is None
    assert dict(tiny.seeds.values) == {0: pytest.approx(0.9)}
    assert tiny.interval == wilson(80, 100)
    measure(checkpoints_dir / "imdb/tiny", accuracy=0.29)
    assert compare_models("imdb")[0].interval == wilson(29, 100), "0.29 × 100 is 28.999999999999996"


def test_a_training_on_a_gpu_is_named_as_such(checkpoints_dir):
    measure(checkpoints_dir / "imdb/tiny", device="cuda (NVIDIA H100 80GB HBM3)")
    assert compare_models("imdb")[0].trainings == (TrainingTime(1.5, on_gpu=True),)


@pytest.mark.parametrize(
    "recipe, besides",
    [
        ({"teacher": "none"}, ()),
        ({"encoder": "path:models/bert"}, ("encoder",)),
        ({"encoder": "imdb/wide"}, ("teacher_model",)),
        ({"teacher": "imdb/wide"}, ("teacher_model",)),
        ({"teacher": "ngrams,imdb/wide"}, ("teacher", "teacher_model")),
    ],
)
def test_what_a_model_learned_from_besides_the_labels(checkpoints_dir, recipe, besides):
    measure(checkpoints_dir / "imdb/tiny", recipe=recipe)
    (tiny,) = compare_models("imdb")
    assert tiny.besides == besides
    if besides:
        say = Translator("en")
        table = markdown(figures_table([tiny], say))
        for source in ("teacher", "teacher_model"):
            assert (say(f"comparison.learned_{source}") in table) == (source in besides)


def test_a_bad_example_is_left_out(checkpoints_dir):
    measure(save_checkpoint(checkpoints_dir, "imdb", "bad", caution="checkpoints.collapsed"))
    assert compare_models("imdb") == ()


def test_seeds_are_those_of_the_same_recipe(checkpoints_dir, tmp_path):
    measure(checkpoints_dir / "imdb/tiny")
    for seed, accuracy in ((0, 0.1), (1, 0.6), (2, 0.7)):
        measure(save_checkpoint(tmp_path / "other", "imdb", f"seed-{seed}"), seed, accuracy)
    other_recipe = save_checkpoint(tmp_path / "other", "imdb", "other")
    measure(other_recipe, 3, recipe={**RECIPE, "lr": 1.0})
    assert store_seeds("imdb", tmp_path / "other") == {"tiny": [1, 2]}
    (tiny,) = compare_models("imdb")
    assert sorted(tiny.seeds.values) == [0, 1, 2] and tiny.seeds.mean == pytest.approx(0.8)
    assert tiny.seeds.spread == pytest.approx(0.1), "0.9, 0.7 and 0.8"
    measure(checkpoints_dir / "imdb/tiny", recipe={**RECIPE, "lr": 0.5})
    assert sorted(compare_models("imdb")[0].seeds.values) == [0], "the others are of another recipe now"


def test_settings_that_are_newer_than_a_record_have_their_defaults(checkpoints_dir, tmp_path):
    """The model was trained when `units` was no setting of a recipe; the other seed was trained later."""
    measure(checkpoints_dir / "imdb/tiny")
    other = save_checkpoint(tmp_path / "other", "imdb", "later")
    measure(other, 1, 0.6, recipe={**RECIPE, "units": "default"})
    assert store_seeds("imdb", tmp_path / "other") == {"tiny": [1]}
    assert sorted(compare_models("imdb")[0].seeds.values) == [0, 1]
    measure(other, 1, 0.6, recipe={**RECIPE, "units": "words"})
    assert store_seeds("imdb", tmp_path / "other") == {}


def test_a_seed_that_is_no_number_is_the_first(checkpoints_dir):
    measure(checkpoints_dir / "imdb/tiny", seed="one")
    assert list(compare_models("imdb")[0].seeds.values) == [0]


def test_of_the_slices_of_validation_a_row_has_those_of_length(checkpoints_dir):
    measure(checkpoints_dir / "imdb/tiny")
    write_result(checkpoints_dir / "imdb/tiny", "health", health.to_result(good_health()))
    assert [(part.kind, part.begin) for part in compare_models("imdb")[0].lengths] == [("length", 26), ("length", 127)]


def test_latency_is_relative_to_the_first_model_and_of_these_weights(checkpoints_dir):
    for name in ("tiny", "wide"):
        measure(save_checkpoint(checkpoints_dir, "imdb", name))
    store_latencies("imdb", [BehaviouralTest("negation", ("not a good film",), "negative")])
    stored = json.loads(comparison_file().read_text(encoding="utf-8"))
    first, second = compare_models("imdb")
    assert first.latency == 1.0
    assert second.latency == pytest.approx(stored["imdb/wide"]["latency"] / stored["imdb/tiny"]["latency"])
    stored["imdb/wide"]["weights_sha256"] = "of other weights"
    comparison_file().write_text(json.dumps(stored), encoding="utf-8")
    assert compare_models("imdb")[1].latency is None


def test_a_model_owes_what_the_encoder_that_it_started_from_learned_and_took(checkpoints_dir):
    first = {"recipe": {"pretrain_epochs": 3}, "device": "cuda (NVIDIA H100)", "wall_seconds": 300}
    second = {"recipe": {"encoder": "imdb/first", "augmentation": 7}, "device": "cpu", "wall_seconds": 1200}
    second["pretrained"] = {"name": "imdb/first", "training": first}
    own = {"recipe": {**RECIPE, "pretrain_epochs": 0, "encoder": "imdb/second"}}
    measure(checkpoints_dir / "imdb/tiny", **own, pretrained={"name": "imdb/second", "training": second})
    (tiny,) = compare_models("imdb")
    assert tiny.trainings == (TrainingTime(5.0, on_gpu=True), TrainingTime(20.0), TrainingTime(1.5))
    assert tiny.besides == ("pretraining", "teacher", "teacher_model", "augmentation")
    say = Translator("en")
    cells = figures_table([tiny], say)[0]
    assert cells[say("comparison.column_minutes")] == "26 min: 5 min (GPU) + 20 min + 90 s"
    measure(checkpoints_dir / "imdb/tiny", **own, pretrained={"name": "imdb/second", "training": "damaged"})
    assert compare_models("imdb")[0].trainings == (TrainingTime(1.5),)


def test_readings_of_the_whole_test_are_counted_by_model(checkpoints_dir):
    assert readings("imdb") is None
    figures = Figures(n=100, accuracy=0.8)
    tiny = Reading("2026-11-22T00:00:00+00:00", "0", "imdb", "tiny", "full", "all", "a", figures)
    others = (dict(weights_sha256="b"), dict(model="wide"), dict(task="afqmc"), dict(rows="unseen"))
    assert all(record_reading(replace(tiny, **values)) for values in ({}, *others))
    values = {"all": 4, "count": 3, "models": ["`tiny` 2", "`wide` 1"]}
    assert readings("imdb") == Message("comparison.readings", values) and readings("thucnews") is None


@pytest.mark.parametrize("content", ["", "[]", '{"imdb/tiny": 3}', '{"imdb/tiny": {"seeds": [1], "latency": "x"}}'])
def test_a_damaged_file_leaves_the_figures_of_the_models(checkpoints_dir, content):
    measure(checkpoints_dir / "imdb/tiny")
    comparison_file().write_text(content, encoding="utf-8")
    assert compare_models("imdb")[0].latency is None


@pytest.mark.parametrize(
    "alone, level, figures",
    [
        ((10, 2), "ahead", ("+8.0", "+1.2", "+10.9")),  # McNemar: 64 / 12 = 5.3 > 3.8
        ((2, 10), "behind", ("−8.0", "−10.9", "−1.2")),
        ((10, 4), "undecided", ("+6.0", "−1.3", "+10.7")),  # 36 / 14 = 2.6
    ],
)
def test_the_verdict_follows_from_the_rows_that_one_alone_gets_right(alone, level, figures):
    first = np.repeat([True, True, False], (100 - sum(alone), *alone))
    second = np.repeat([True, False, True], (100 - sum(alone), *alone))
    rows = [row("with", True, 0.9), row("without", False, 0.9)]
    best, picked, besides = comparison_verdict(rows, {"with": first, "without": second})
    assert best.values["verdict"].key == f"comparison.{level}" and best.values["pairing"].key == "comparison.paired"
    assert tuple(best.values[name] for name in ("points", "low", "high")) == figures
    assert (best.values["first"], best.values["second"]) == ("with", "without")
    assert (picked.key, besides.key) == ("comparison.picked", "comparison.besides")


def test_the_interval_without_the_rows_of_both_by_hand():
    # Standard error: sqrt(0.9 * 0.1 / 10000 + 0.8 * 0.2 / 10000) = 0.005
    first, second = row("a", True, 0.9), row("b", False, 0.8)
    assert unpaired_difference(first, second) == pytest.approx((0.1, 0.1 - 0.0098, 0.1 + 0.0098), abs=1e-5)
    values = comparison_verdict([first, second], {"a": np.ones(5, bool)})[0].values
    assert (values["pairing"].key, values["low"]) == ("comparison.unpaired", "+9.0")


def test_which_rows_a_model_gets_right_is_stored_once_and_only_with_its_recorded_accuracy(checkpoints_dir):
    folder = checkpoints_dir / "imdb/tiny"
    checkpoint = checkpoints.load("imdb", "tiny")
    examples = checkpoint.task.examples(checkpoint.task.read("test", "sample"), checkpoint.text_encoder)
    right = checkpoint.probabilities(examples).argmax(1) == examples.labels
    measure(folder, accuracy=1.5, n=len(right), data="sample")
    with pytest.raises(Failure, match="other_answers") as failure:
        store_answers("imdb")
    rows = len(right)
    share = {"right": int(right.sum()), "rows": rows, "recorded": round(1.5 * rows), "n": rows}
    assert failure.value.message.values == {"model": "imdb/tiny", **share}
    assert right_answers("imdb") == {}
    measure(folder, accuracy=right.mean(), n=rows, data="corpus")
    with pytest.raises(Failure, match="datasets.missing"):  # the corpus of the figures is read, not whichever there is
        store_answers("imdb")
    measure(folder, accuracy=right.mean(), n=len(right), data="sample")
    store_answers("imdb")
    assert right_answers("imdb")["tiny"].tolist() == right.tolist()
    other = right[::-1]
    save_answers(checkpoints.task_checkpoints("imdb")[0], other)
    store_answers("imdb")
    assert right_answers("imdb")["tiny"].tolist() == other.tolist(), "known: not predicted again"


def test_answers_that_cannot_be_written_are_a_failure_with_its_folder(checkpoints_dir):
    folder = checkpoints_dir / "imdb/tiny"
    measure(folder, accuracy=1, n=3)
    (folder / "evidence").write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(Failure, match="evidence.not_saved") as failure:
        save_answers(checkpoints.task_checkpoints("imdb")[0], np.ones(3, bool))
    assert failure.value.message.values["folder"] == str(folder)


def test_a_comparison_that_cannot_be_written_is_a_failure_with_its_folder(checkpoints_dir, tmp_path):
    measure(checkpoints_dir / "imdb/tiny")
    measure(save_checkpoint(tmp_path / "other", "imdb", "seed-1"), 1, 0.6)
    comparison_file().mkdir()
    with pytest.raises(Failure, match="evidence.not_saved") as failure:
        store_seeds("imdb", tmp_path / "other")
    assert failure.value.message.values["folder"] == str(checkpoints_dir)


def test_a_teacher_is_named_and_left_out_of_the_second_comparison():
    rows = [
        row("small", True, 0.9, besides=("teacher",)),
        row("bilstm-attention", True, 0.8),
        row("bilstm", False, 0.7),
    ]
    messages = comparison_verdict(rows, {})
    keys = [message.key.partition(".")[2] for message in messages]
    assert keys == ["best", "not_alone", "labels", "picked", "same_lstm", "besides"]
    assert messages[1].values["model"] == "small" and messages[2].values["first"] == "bilstm-attention"
    assert comparison_verdict(rows[:2], {}) == (), "nothing to compare attention with"
    for language in ("en", "zh"):
        assert all(Translator(language)(message) for message in messages)


def test_the_tables_in_words():
    say, parts = Translator("en"), [Slice("length", 5.0, 9.0, 50, 0.84, 0.7, 0.9, 0.5)]
    first = row("a", True, 0.9, 100, lengths=tuple(parts), latency=1.0, seeds=Seeds({0: 0.5, 1: 0.7}))
    other = row("b", False, 0.5, 100, lengths=(replace(parts[0], end=8.0),), trainings=(TrainingTime(3.0),))
    figures, slices = figures_table([first, other], say), slices_table([first, other], say)
    names = ("accuracy", "auc", "minutes", "latency", "seeds", "macro_f1")
    accuracy, auc, training, latency, seeds, macro_f1 = (say(f"comparison.column_{name}") for name in names)
    assert figures[0][accuracy] == say("comparison.interval", value=0.9, low=0.82564, high=0.94477)
    assert figures[0][auc] == "0.900"
    assert "60" in figures[0][training] and "3" in figures[1][training]
    assert "GPU" in figures_table([replace(other, trainings=(TrainingTime(3.0, on_gpu=True),))], say)[0][training]
    assert "1.0" in figures[0][latency] and figures[1][latency] == "–"
    assert all(part in figures[0][seeds] for part in ("60.0%", "14.1", "2"))
    assert [list(entry.values())[1] for entry in slices] == ["84.0%", "–"], "the other model counts other units"
    one = replace(first, lengths=(replace(parts[0], end=5.0),))
    assert list(slices_table([one], say)[0])[1] == say("comparison.column_length_one", begin="5")
    assert markdown([{"a": "1"}, {"a": "2", "b": "3"}]) == "| a | b |\n| --- | --- |\n| 1 | – |\n| 2 | 3 |"
    three = replace(first, test=replace(first.test, f1=(0.5, 0.7, 0.9)))
    assert figures_table([three], say)[0][macro_f1] == "0.700"


def test_the_command_writes_the_tables_into_a_document(checkpoints_dir, tmp_path):
    measure(checkpoints_dir / "imdb/tiny")
    document, say = tmp_path / "models.md", Translator("en")
    args = build_parser().parse_args(["compare", "--task", "imdb", "--write", str(document), "--measure"])
    with pytest.raises(Failure, match="not_readable"):
        compare(args, say)
    document.write_text("before", encoding="utf-8")
    with pytest.raises(Failure, match="no_place"):
        compare(args, say)
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    report = compare(args, say)
    text = document.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text and report.text in text
    assert "| tiny |" in text and report.entries[0]["model"] == "tiny"
