"""Accuracy by number of labels, from trainings of its own."""

import pytest

from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.verdicts.comparison import curves_verdict
from viz_core.evidence.comparison import compare_models
from viz_core.evidence.learning_curves import language_model_of, read_curves, store_curves
from viz_core.records import Failure
from viz_core.records.comparison import LearningPoint

START = "imdb-text/small"


def train(root, name, accuracy, labels=0, encoder=START, config=None, **entries):
    """A checkpoint as a training leaves it. config: of the model, what is not as usual."""
    folder = save_checkpoint(root, "imdb", name, **(config or {}))
    recipe = {"train_rows": labels, "encoder": encoder}
    test = {"n": 100, "accuracy": accuracy, "split": "test"}
    checkpoints.save_metrics(folder, {**test, "recipe": recipe, "validation": {"accuracy": accuracy}, **entries})


@pytest.fixture
def others(tmp_path_factory, checkpoints_dir):
    """A model that started as a language model, and the folder of trainings with fewer labels."""
    train(checkpoints_dir, "tiny", 0.9)
    root = tmp_path_factory.mktemp("others")
    train(root, "a", 0.7, 100)
    train(root, "b", 0.8, 100)
    train(root, "c", 0.6, 100, encoder="")
    train(root, "d", 0.85, 1000)
    return root


def test_trainings_with_as_many_labels_stand_side_by_side(others):
    train(others, "e", 0.95, 0)
    train(others, "f", 0.99, 100, encoder="imdb/other")
    stored = store_curves("imdb", others)["tiny"]
    assert stored.start == START and stored.points == (LearningPoint(100, (0.7, 0.8), (0.6,)),)
    train(others, "g", 0.7, 1000, encoder="")
    assert store_curves("imdb", others)["tiny"].points[1] == LearningPoint(1000, (0.85,), (0.7,))
    curves = read_curves("imdb")
    assert list(curves) == ["tiny"] and curves["tiny"].points[1].scratch == (0.7,)
    first, second = curves_verdict(curves)
    assert (first.values["started"], first.values["scratch"]) == (pytest.approx(0.75), 0.6)
    assert second.values["labels"] == 1000


@pytest.mark.parametrize(("config", "is_alike"), [({"segments": 1}, True), ({"width": 16}, False)])
def test_a_model_from_scratch_has_the_same_sizes_and_tokens_of_its_own(others, config, is_alike):
    train(others, "h", 0.75, 1000, encoder="", config=config)
    assert (LearningPoint(1000, (0.85,), (0.75,)) in store_curves("imdb", others)["tiny"].points) == is_alike


def test_without_both_there_is_nothing_to_compare(others, tmp_path):
    with pytest.raises(Failure, match="comparison.no_curves"):
        store_curves("imdb", tmp_path / "nothing")
    assert read_curves("imdb") == {}


def test_what_a_teacher_of_its_own_began_as_counts(checkpoints_dir):
    earlier = {"training": {"recipe": {"encoder": START}}}
    train(checkpoints_dir, "tiny", 0.9, encoder="imdb/first", pretrained=earlier)
    (info,) = checkpoints.task_checkpoints("imdb")
    assert language_model_of(info) == START
    assert compare_models("imdb")[0].besides == ("language_model", "teacher_model")


def test_other_starts_are_no_language_models(checkpoints_dir):
    train(checkpoints_dir, "tiny", 0.9, encoder="imdb/first")
    (info,) = checkpoints.task_checkpoints("imdb")
    assert language_model_of(info) == "" and store_curves("imdb", checkpoints_dir) == {}
