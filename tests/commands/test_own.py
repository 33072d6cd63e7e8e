"""The command `task`: a table becomes a task, and its models go to another installation as one file."""

import shutil
import zipfile
from pathlib import Path

import pytest

from tests.tasks.own import table
from tests.words import says
from viz_core import checkpoints
from viz_core.tasks import own
from viz_core.training.settings import TrainingSettings
from viz_core.training.train import train


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "my_fruit.csv"
    table().rename(columns={"label": "taste"}).to_csv(path, index=False, encoding="utf-16")
    return path


@pytest.fixture
def trained(json_output, file, checkpoints_dir) -> str:
    """The name of the task, with a model `small`."""
    name = json_output("task", "add", file)["task"]
    train(
        TrainingSettings(name, "bag", data="sample", recipe={"epochs": 2}).training(),
        checkpoints.folder() / name / "small",
    )
    return name


def test_a_table_is_checked_and_becomes_a_task(json_output, file):
    checked = json_output("task", "check", file)
    assert checked["columns"] == {"text": "text", "label": "taste"} and checked["encoding"] == "UTF-16"
    assert checked["labels"] == {"sour": 60, "sweet": 60} and not own.definitions()
    added = json_output("task", "add", file, "--max-tokens", "20", "--tokens", "characters", "--days", "7")
    (definition,) = own.definitions()
    assert (added["task"], added["title"]) == (definition.name, "my fruit")
    assert (definition.tokens, definition.max_tokens, definition.keeps_rows) == ("characters", 20, True)
    assert definition.expires - definition.created == pytest.approx(7 * 86_400, abs=60)


def test_a_file_of_any_name_gives_its_task_one(json_output, file):
    odd = file.rename(file.with_name("fruit #2 [final].csv"))
    title = json_output("task", "add", odd)["title"]
    assert title.startswith("fruit") and "#" not in title


def test_columns_are_chosen(json_output, error_sentences, file):
    sentence = error_sentences("task", "check", file, "--label", "colour")[0]
    assert says(sentence, "own.no_column", column="colour")


def test_a_task_is_meant_by_its_title_in_every_command(json_output, trained):
    assert json_output("predict", "--task", "my fruit", "--text", "two lemons in a bowl")["label"] in ("sour", "sweet")
    measured = json_output("evaluate", "--task", "my fruit", "--model", "small", "--split", "test")
    assert measured["task"] == trained and measured["n"] == own.find_definition(trained).counts["test"]
    assert (checkpoints.folder() / trained / "ledger.jsonl").exists(), "its test is read in a ledger of its own"
    assert not (checkpoints.folder() / "ledger.jsonl").exists()
    assert json_output("task", "show", "my fruit")["models"] == ["small"]
    assert [row["title"] for row in json_output("task", "list")] == ["my fruit"]


def test_two_tasks_of_one_title_are_told_apart_by_their_names(json_output, error_sentences, file):
    first, _ = (json_output("task", "add", file)["task"] for _ in range(2))
    assert says(error_sentences("task", "delete", "my fruit")[0], "own.unknown", name="my fruit")
    assert json_output("task", "delete", first) == {"deleted": first} and len(own.definitions()) == 1


def test_a_model_goes_to_another_installation(json_output, trained, tmp_path, monkeypatch):
    out = tmp_path / "fruit.zip"
    json_output("task", "export", "my fruit", "--out", out)
    content = b"".join(zipfile.ZipFile(out).read(name) for name in zipfile.ZipFile(out).namelist())
    assert b"two lemons" not in content and b"command line" not in content.replace(b"viz_core", b"")
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("VIZ_TASKS_DIR", str(tmp_path / "their tasks"))
    assert json_output("task", "import", out) == {"task": trained, "model": "small"}
    predicted = json_output("predict", "--task", "my fruit", "--model", "small", "--text", "two figs")
    assert predicted["label"] in ("sour", "sweet") and not own.has_rows(trained)
    (row,) = json_output("task", "list")
    assert row["title"] == "my fruit" and not row["has_rows"]


def test_the_same_model_is_not_imported_twice(json_output, error_sentences, trained, tmp_path):
    out = tmp_path / "fruit.zip"
    json_output("task", "export", "my fruit", "--out", out)
    assert says(error_sentences("task", "import", out)[0], "own.model_here", task="my fruit", name="small")


@pytest.mark.parametrize(
    "names",
    [
        ["readme.txt"],
        ["../../evil/config.json"],
        ["own-{zeros}/small/config.json", "own-{zeros}/small/run.py"],
        ["own-{zeros}/small/config.json", "own-{zeros}/other/config.json"],
        ["own-{zeros}/../config.json"],
        ["imdb/small/config.json"],
        ["own-{zeros}/small/config.json"],  # and nothing else
    ],
)
def test_another_archive_is_refused_and_leaves_nothing(error_sentences, names, tmp_path, checkpoints_dir):
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name.format(zeros="0" * 24), "{}")
    before = sorted(checkpoints_dir.rglob("*.json"))
    assert error_sentences("task", "import", path)
    assert sorted(checkpoints_dir.rglob("*.json")) == before and not own.definitions()


def test_a_broken_archive_is_a_sentence(error_sentences, tmp_path, checkpoints_dir):
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 and no more")
    assert says(
        error_sentences("task", "import", tmp_path / "broken.zip")[0], "checkpoints.bad_archive", file="broken.zip"
    )


def test_a_model_that_is_no_bert_is_not_written_as_one(error_sentences, trained, tmp_path):
    sentence = error_sentences("task", "export", "my fruit", "--format", "bert", "--out", tmp_path / "bert")[0]
    assert "bag" in sentence and not (tmp_path / "bert").exists()


def test_deleted_with_its_models(json_output, trained):
    json_output("task", "delete", "my fruit")
    assert not own.definitions() and not (checkpoints.folder() / trained).exists()
    shutil.rmtree(own.folder(), ignore_errors=True)


def test_what_is_needed_is_said(error_sentences):
    assert says(error_sentences("task", "add")[0], "own.what_needed", action="add")
