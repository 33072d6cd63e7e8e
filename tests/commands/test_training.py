"""The commands `train`, `evaluate` and `runs`."""

import json
import shlex
import shutil

import pytest

from tests.commands.command_line import run_module
from tests.commands.trainings import MINE, TINY, end_processes
from tests.tiny import save_checkpoint
from tests.words import says
from viz_core import __main__, checkpoints
from viz_core.commands.parser import build_parser
from viz_core.commands.training import ENCODER_OPTIONS, RECIPE_OPTIONS, explicit_options
from viz_core.jobs import runs
from viz_core.language import Translator
from viz_core.tasks import get_task
from viz_core.training import door
from viz_core.training.devices import Device
from viz_core.training.settings import TrainingSettings

FIGURES = {
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
}


@pytest.fixture(scope="module")
def trained_model(tmp_path_factory):
    """A checkpoints folder with a model trained on the sample by the command line, and the finished process."""
    root = tmp_path_factory.mktemp("checkpoints")
    folder = tmp_path_factory.mktemp("runs")
    run = run_module(
        "train", *MINE, "--json", VIZ_CHECKPOINTS_DIR=str(root), VIZ_RUNS_DIR=str(folder), VIZ_RUNS_FREE_MB="1"
    )
    end_processes(folder)
    assert run.returncode == 0, run.stderr
    return root, run


def test_estimate_does_not_train(runs_dir, checkpoints_dir, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["viz_core", "train", *MINE, "--estimate", "--json"])
    assert __main__.main() == 0
    output = json.loads(capsys.readouterr().out)
    assert output["parameters"] > 1000 and output["memory_bytes"] > 16 * output["parameters"] and output["seconds"] > 1
    assert runs.list_runs() == [] and not (checkpoints_dir / "imdb/mine").exists()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("option", ["--estimate", "--detach"])
def test_a_gpu_that_cannot_be_used_is_named_unless_a_device_is_chosen(
    call, checkpoints_dir, runs_dir, monkeypatch, option, language
):
    devices = (Device("cuda:0", problem="CUDA error: out of memory"), *door.devices())
    monkeypatch.setattr(door, "devices", lambda: devices)
    monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
    sentence = Translator(language)(door.skipped_devices("cpu")[0])
    without_device = MINE[: MINE.index("--device")]
    code, _, error = call("train", *without_device, option, lang=language)
    assert (code, error) == (0, sentence + "\n") and "CUDA error: out of memory" in sentence
    code, _, error = call("train", *MINE, option, lang=language)
    assert (code, error) == (0, "")


@pytest.mark.process
def test_train_writes_a_model_and_prints_each_epoch(trained_model):
    root, run = trained_model
    output = json.loads(run.stdout)
    assert (output["model"], output["data"], output["n"]) == ("mine", "sample", 48)
    assert run.stdout.count("\n") == 1
    epoch = json.loads(run.stderr)
    assert (epoch["phase"], epoch["epoch"]) == ("train", 1)
    checkpoint = checkpoints.load("imdb", "mine", root)
    assert (checkpoint.settings.config.layers, checkpoint.settings.config.width) == (1, 16)
    assert checkpoint.metrics.entries["validation"]["accuracy"] == output["accuracy"]
    assert checkpoint.metrics.entries["command"].startswith(
        "python -m viz_core train --task imdb --preset small --data sample --layers 1"
    )
    assert (root / "imdb" / "mine" / checkpoints.CARD).read_text(encoding="utf-8").startswith("# imdb / mine\n")


@pytest.mark.parametrize(
    "options, key, values",
    [
        (("--width", "30", "--heads", "4"), "training.bad_setting", ("30", "4")),
        (("--epochs", "0"), "training.bad_setting", ("(0)", "(64)")),
        (("--dropout", "1"), "training.bad_setting", ("dropout", "1")),
        (("--preset", "huge"), "training.no_preset", ("huge", ", ".join(get_task("imdb").presets))),
        (("--device", "abacus"), "training.no_device", ("abacus",)),
        (("--name", "../mine"), "training.bad_name", ("../mine",)),
        (("--name", "tiny"), "training.name_taken", ("tiny", "imdb")),
        (("--data", "full"), "datasets.missing", ("imdb",)),
    ],
)
def test_training_that_cannot_start_says_why(error_sentences, checkpoints_dir, runs_dir, options, key, values):
    sentence, _ = error_sentences("train", "--task", "imdb", "--data", "sample", *options)
    assert says(sentence, key) and all(value in sentence for value in values)
    assert sorted(file.name for file in (checkpoints_dir / "imdb").iterdir()) == ["tiny"], "nothing was written"
    assert not runs_dir.exists(), "and no run was submitted"


def test_recorded_command_reproduces_the_settings():
    encoder = dict(layers=3, attention_dropout=0.1, norm="post", pooling="mean", overlap=True)
    recipe = dict(
        lr=0.002,
        optimiser="adam",
        swap=False,
        teacher="none",
        pieces=False,
        class_weights=True,
        share=0.5,
        evaluations=4,
        best="mcc",
    )
    command = TrainingSettings("imdb", overrides=encoder, recipe=recipe).command
    args = build_parser().parse_args(shlex.split(command)[3:])
    assert (args.task, args.preset, args.data) == ("imdb", "small", "full")
    assert explicit_options(args, ENCODER_OPTIONS) == encoder and explicit_options(args, RECIPE_OPTIONS) == recipe


@pytest.mark.parametrize(
    "preset, sizes",
    [
        ("bilstm", dict(width=32, bidirectional=False, reading="mean")),
        ("bag", dict(width=8, bigrams=50)),
        ("tfidf", dict(bigrams=0)),
    ],
)
def test_recorded_command_has_the_settings_of_other_kinds(preset, sizes):
    settings = TrainingSettings("imdb", preset, overrides=sizes)
    args = build_parser().parse_args(shlex.split(settings.command)[3:])
    assert args.preset == preset and explicit_options(args, ENCODER_OPTIONS) == sizes
    config = settings.training().config
    assert {name: getattr(config, name) for name in sizes} == sizes


@pytest.mark.process
@pytest.mark.parametrize("split", ["validation", "test"])
def test_evaluate_on_the_sample(json_output, trained_model, monkeypatch, tmp_path, split):
    root, run = trained_model
    shutil.copytree(root, tmp_path / "copy")
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "copy"))
    output = json_output("evaluate", "--task", "imdb", "--model", "mine", "--split", split)
    notes = {"note"} if split == "validation" else set()  # what was chosen on it
    assert set(output) == {"task", "model", "data", "split", *FIGURES, *notes}
    assert (output["data"], output["split"], output["n"]) == ("sample", split, 48)
    if split == "validation":
        assert output["accuracy"] == json.loads(run.stdout)["accuracy"], "as printed by the training"


@pytest.mark.process
def test_recorded_test_metrics_are_in_metrics_and_card(json_output, trained_model, monkeypatch, tmp_path):
    shutil.copytree(trained_model[0], tmp_path / "copy")
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "copy"))
    folder = tmp_path / "copy" / "imdb" / "mine"
    before = json.loads((folder / checkpoints.METRICS).read_text(encoding="utf-8"))
    assert "test" not in (folder / checkpoints.CARD).read_text(encoding="utf-8").split("## Metrics")[1].split("##")[0]
    output = json_output("evaluate", "--task", "imdb", "--model", "mine", "--split", "test", "--record")
    after = json.loads((folder / checkpoints.METRICS).read_text(encoding="utf-8"))
    assert {name: after[name] for name in FIGURES} == {name: output[name] for name in FIGURES}
    assert after["split"] == "test" and {name: after[name] for name in before} == before, "earlier entries stay"
    card = (folder / checkpoints.CARD).read_text(encoding="utf-8")
    assert "| metric | validation | test |" in card and f"| {output['accuracy']:.4f} |\n" in card
    assert after["command"] in card and "The test split has been read once for models of this name" in card


@pytest.mark.process
def test_recorded_validation_metrics_replace_those_of_the_training(json_output, trained_model, monkeypatch, tmp_path):
    """As after a change of the split; the weights, the temperature and the threshold stay."""
    shutil.copytree(trained_model[0], tmp_path / "copy")
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "copy"))
    folder = tmp_path / "copy" / "imdb" / "mine"
    before = json.loads((folder / checkpoints.METRICS).read_text(encoding="utf-8"))
    settings = (folder / checkpoints.CONFIG).read_bytes()
    checkpoints.save_metrics(folder, {**before, "validation": {**before["validation"], "n": 3, "accuracy": 0.0}})
    output = json_output("evaluate", "--task", "imdb", "--model", "mine", "--split", "validation", "--record")
    after = json.loads((folder / checkpoints.METRICS).read_text(encoding="utf-8"))
    assert after == before and output["n"] == 48, "measured anew, it is what the training measured"
    assert "split" not in after and (folder / checkpoints.CONFIG).read_bytes() == settings
    assert f"| accuracy | {output['accuracy']:.4f} |\n" in (folder / checkpoints.CARD).read_text(encoding="utf-8")
    assert not (tmp_path / "copy" / "ledger.jsonl").exists()


@pytest.mark.process
def test_only_metrics_of_the_same_corpus_are_recorded(error_sentences, trained_model, monkeypatch, tmp_path):
    shutil.copytree(trained_model[0], tmp_path / "copy")
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "copy"))
    evaluate = ("evaluate", "--task", "imdb", "--model", "mine", "--record")
    metrics = tmp_path / "copy" / "imdb" / "mine" / checkpoints.METRICS
    before = metrics.read_bytes()
    for split in ("validation", "test"):
        sentence, _ = error_sentences(*evaluate, "--split", split, "--data", "full")
        assert says(sentence, "cli.other_data", trained="sample")
    assert metrics.read_bytes() == before


@pytest.mark.slow
@pytest.mark.process
def test_training_without_a_name_takes_the_next_free_name(call, checkpoints_dir, runs_dir):
    for name in ("small", "small-2"):
        save_checkpoint(checkpoints_dir, "imdb", name)
    before = (checkpoints_dir / "imdb/small/config.json").read_bytes()
    code, out, error = call("train", "--task", "imdb", *TINY, "--json")
    assert code == 0, error
    assert (
        json.loads(out)["model"] == "small-3"
        and checkpoints.load("imdb", "small-3").metrics.entries["data"] == "sample"
    )
    assert (checkpoints_dir / "imdb/small/config.json").read_bytes() == before
    card = (checkpoints_dir / "imdb/small-3" / checkpoints.CARD).read_text(encoding="utf-8")
    assert card.startswith("# imdb / small-3\n") and "--name small-3`" in card


@pytest.mark.slow
@pytest.mark.process
def test_overwrite_replaces_a_model(call, checkpoints_dir, runs_dir):
    code, out, error = call("train", *MINE, "--name", "tiny", "--overwrite", "--json")
    assert code == 0, error
    assert checkpoints.load("imdb", "tiny").metrics.entries["data"] == "sample"
    examination, run = runs.list_runs()  # the health of a new model is computed at once
    assert run.status.state == "finished" and json.loads(out)["run"] == run.id
    assert examination.name == "imdb/tiny: health"
