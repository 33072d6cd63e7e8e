"""Targets that an encoder learns from teachers."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from tests.training.tiny import ENCODER, RECIPE, train_tiny, training
from viz_core import checkpoints
from viz_core.datasets import corpus
from viz_core.models.kinds import KINDS
from viz_core.records import Failure
from viz_core.tasks import get_task
from viz_core.training import model_teacher
from viz_core.training.model_teacher import model_probabilities
from viz_core.training.ngram_teacher import ngram_probabilities
from viz_core.training.prepare import prepare, subset
from viz_core.training.settings import model_config
from viz_core.training.teacher import distillation_examples

CPU = torch.device("cpu")
NGRAMS = replace(RECIPE, teacher="ngrams", pieces=True)


@pytest.fixture
def teachers(tmp_path, monkeypatch):
    """Two untrained teachers of each task, `first` and `second`, and an empty cache."""
    monkeypatch.setattr(checkpoints.files, "folder", lambda: tmp_path / "checkpoints")
    monkeypatch.setattr(corpus, "PROJECT", tmp_path)
    for task in ("imdb", "afqmc"):
        text = prepare(get_task(task), "sample").text
        config = replace(model_config(get_task(task), "encoder", ENCODER), vocabulary=text.vocabulary)
        for seed, name in enumerate(("first", "second")):
            torch.manual_seed(seed)
            settings = checkpoints.Settings(task, config, threshold=0.5)
            folder = tmp_path / "checkpoints" / task / name
            folder.mkdir(parents=True)
            checkpoints.save(folder, settings, KINDS["encoder"].build(config), text, {})
    return tmp_path


def examples(task: str, recipe):
    prepared = subset(prepare(get_task(task), "sample", unlabelled=True), recipe)
    return prepared, distillation_examples(get_task(task), "sample", prepared, recipe)


def test_half_of_the_target_of_a_labelled_text_is_its_label():
    prepared, result = examples("imdb", NGRAMS)
    labelled = len(prepared.train)
    assert len(result) == 2 * labelled and result.targets.dtype == np.float32  # the sample has no unlabelled texts
    probabilities = ngram_probabilities(prepared.train, result.ids[labelled:], NGRAMS.seed)
    assert result.targets[labelled:] == pytest.approx(probabilities[labelled:], abs=1e-6)
    labels = np.eye(2)[prepared.train.labels]
    assert result.targets[:labelled] == pytest.approx((probabilities[:labelled] + labels) / 2, abs=1e-6)
    assert (result.labels == result.targets.argmax(1)).all()


def test_targets_are_the_probabilities_of_a_model(teachers):
    """Half a label for a labelled text; a piece has no label."""
    prepared, result = examples("imdb", replace(NGRAMS, teacher="imdb/first"))
    first, labelled = checkpoints.load("imdb", "first"), len(prepared.train)
    probabilities = first.probabilities(prepared.train)
    assert result.targets[:labelled] == pytest.approx((probabilities + np.eye(2)[prepared.train.labels]) / 2, abs=1e-6)
    pieces = replace_labels(result, slice(labelled, None))
    assert result.targets[labelled:] == pytest.approx(first.probabilities(pieces), abs=1e-5)


def test_the_mean_of_two_teachers(teachers):
    recipe = replace(NGRAMS, teacher="imdb/first,imdb/second")
    _, both = examples("imdb", recipe)
    (_, first), (_, second) = (examples("imdb", replace(recipe, teacher=name)) for name in recipe.teachers)
    assert both.targets == pytest.approx((first.targets + second.targets) / 2, abs=1e-6)
    assert np.abs(first.targets - second.targets).max() > 0.01


def test_two_teachers_by_hand(monkeypatch):
    """A labelled text of class 1, which they give 0.2 and 0.6: the mean is 0.4, with the label 0.7."""
    probabilities = {"a": 0.2, "b": 0.6}
    monkeypatch.setattr(
        "viz_core.training.teacher.model_probabilities",
        lambda task, name, texts, *_: np.tile([1 - probabilities[name], probabilities[name]], (len(texts), 1)),
    )
    prepared, result = examples("imdb", replace(RECIPE, teacher="imdb/a,imdb/b"))
    positive = prepared.train.labels == 1
    assert result.targets[positive] == pytest.approx(np.tile([0.3, 0.7], (positive.sum(), 1)))
    assert result.targets[~positive] == pytest.approx(np.tile([0.8, 0.2], ((~positive).sum(), 1)))


def test_a_model_is_asked_once(teachers, monkeypatch):
    recipe = replace(NGRAMS, teacher="imdb/first")
    _, before = examples("imdb", recipe)
    assert list((teachers / "data" / "cache").glob("teacher-imdb-*.npy"))
    monkeypatch.setattr(model_teacher, "_read", lambda *_: pytest.fail("the file is there"))
    _, after = examples("imdb", recipe)
    assert (before.targets == after.targets).all()


def test_other_texts_or_another_model_are_asked_again(teachers):
    task, texts = get_task("imdb"), pd.DataFrame({"text": ["good", "bad"]})
    first = model_probabilities(task, "first", texts, CPU)
    assert model_probabilities(task, "first", texts.iloc[::-1], CPU) == pytest.approx(first[::-1], abs=1e-6)
    (teachers / "checkpoints" / "imdb" / "first").rename(teachers / "checkpoints" / "imdb" / "old")
    (teachers / "checkpoints" / "imdb" / "second").rename(teachers / "checkpoints" / "imdb" / "first")
    assert np.abs(model_probabilities(task, "first", texts, CPU) - first).max() > 1e-3


def test_a_damaged_file_is_written_again(teachers):
    task, texts = get_task("imdb"), pd.DataFrame({"text": ["good", "bad"]})
    first = model_probabilities(task, "first", texts, CPU)
    (file,) = (teachers / "data" / "cache").glob("teacher-*.npy")
    file.write_bytes(file.read_bytes()[:-4])
    assert (model_probabilities(task, "first", texts, CPU) == first).all()
    assert (np.load(file) == first).all()


def test_a_teacher_reads_in_the_precision_of_the_training(teachers):
    """Its probabilities in bf16 differ in the third digit, and are kept apart from those in 32 bits."""
    task, texts = get_task("imdb"), pd.DataFrame({"text": ["good", "a bad film"]})
    exact, rounded = (model_probabilities(task, "first", texts, CPU, requested) for requested in ("32", "bf16"))
    assert 0 < np.abs(exact - rounded).max() < 0.02
    assert (model_probabilities(task, "first", texts, CPU, "auto") == exact).all()
    assert len(list((teachers / "data" / "cache").glob("teacher-*.npy"))) == 2


def test_pairs_in_both_orders_with_an_augmentation(teachers):
    recipe = replace(RECIPE, teacher="afqmc/first", swap=True, augmentation=20)
    prepared, result = examples("afqmc", recipe)
    first, labelled = checkpoints.load("afqmc", "first"), len(prepared.train)
    made = (len(result) - 2 * labelled) // 2
    assert 0 < made <= 20
    labels = np.eye(2)[prepared.train.labels]
    assert result.targets[:labelled] == pytest.approx((first.probabilities(prepared.train) + labels) / 2, abs=1e-5)
    swapped = replace_labels(result, slice(labelled, 2 * labelled))
    assert result.targets[labelled : 2 * labelled] == pytest.approx(
        (first.probabilities(swapped) + labels) / 2, abs=1e-5
    )
    assert swapped.segments[0].tolist() != result.segments[0].tolist()


def test_an_exchanged_word_is_a_label(teachers):
    """Their pairs come with one, which is half of the target."""
    recipe = replace(RECIPE, teacher="afqmc/first", augmentation=20)
    prepared, result = examples("afqmc", recipe)
    made = replace_labels(result, slice(len(prepared.train), None))
    probabilities, targets = (
        checkpoints.load("afqmc", "first").probabilities(made),
        result.targets[len(prepared.train) :],
    )
    halved = np.isclose(targets[:, 0], (probabilities[:, 0] + 1) / 2, atol=1e-5)
    same = np.isclose(targets[:, 0], probabilities[:, 0], atol=1e-5)
    assert halved.sum() + same.sum() == len(made) and halved.sum() >= 1


def test_a_training_with_a_model_as_teacher(teachers, tmp_path):
    trainer, done = train_tiny(tmp_path / "run", task="imdb", teacher="imdb/first,ngrams", pieces=True, augmentation=30)
    assert done and trainer.best


def test_a_teacher_that_is_missing_is_named(teachers):
    with pytest.raises(Failure, match="checkpoints.missing"):
        examples("imdb", replace(RECIPE, teacher="imdb/nobody"))


@pytest.mark.parametrize(
    "task, values, setting",
    [
        ("afqmc", {"teacher": "ngrams"}, "teacher='ngrams'"),
        ("afqmc", {"teacher": "afqmc/small", "pieces": True}, "pieces=True"),
        ("imdb", {"teacher": "afqmc/small"}, "teacher='afqmc/small'"),
        ("thucnews", {"teacher": "ngrams", "augmentation": 9}, "augmentation=9"),
    ],
)
def test_a_teacher_has_to_fit_the_task(task, values, setting):
    with pytest.raises(ValueError, match=setting):
        training(task, replace(RECIPE, **values))


def replace_labels(examples, rows: slice):
    """These rows, without labels."""
    return examples.at(np.arange(len(examples))[rows])
