"""A training as a job: what it writes to its run folder."""

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.training.tiny import ENCODER, lines
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.jobs import runs
from viz_core.jobs.main import carry_out
from viz_core.jobs.request import MAIN
from viz_core.jobs.state import Status, read_status
from viz_core.records import Failure
from viz_core.tasks import get_task
from viz_core.training.folders import checkpoint_folder, publish
from viz_core.training.run import EVENTS, RunCallback, last_evaluation
from viz_core.training.settings import MAX_PINNED, TrainingSettings, model_config
from viz_core.training.snapshots import read_snapshot, snapshot_evaluations

RECIPE = dict(epochs=2, batch=64, pretrain_epochs=1)
PINNED = [["花呗怎么还款", "花呗如何还钱"], ["借呗", "花呗"]]


def run_folder(path: Path, device: str = "cpu", **settings) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    request = dict(
        kind="train",
        name="tiny",
        command=MAIN,
        device=device,
        settings={"task": "afqmc", "data": "sample", "name": "tiny", "encoder": ENCODER, "recipe": RECIPE, **settings},
    )
    (path / "request.json").write_text(json.dumps(request), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory) -> Path:
    """The folder of a finished run."""
    folder = run_folder(tmp_path_factory.mktemp("runs") / "run", pinned=PINNED)
    carry_out(folder)
    return folder


def status(folder: Path) -> Status:
    return read_status(folder)


def test_status_holds_device_steps_and_figures(finished_run):
    now = status(finished_run)
    assert (now.state, now.message) == ("finished", None) and now.device.startswith("cpu, ")
    assert now.step == now.total == 6 + 2 * 12
    last = lines(finished_run / "metrics.jsonl")[-1]
    assert now.last["step"] == last["step"] == 30 and now.best["auc"] == max(
        line["auc"] for line in lines(finished_run / "metrics.jsonl")[1:]
    )


def test_figures_count_whole_epochs_as_integers_and_the_seconds_of_the_training(finished_run):
    rows = lines(finished_run / "metrics.jsonl")
    assert [(row["epoch"], type(row["epoch"])) for row in rows] == [(1, int), (1, int), (2, int)]
    seconds = [json.loads(line)["seconds"] for line in (finished_run / "metrics.jsonl").read_text().splitlines()]
    written = (finished_run / "metrics.jsonl").stat().st_mtime - (finished_run / "request.json").stat().st_mtime
    assert 0 <= seconds[0] <= seconds[1] <= seconds[2] <= written + 0.1


def test_metrics_have_a_line_for_every_evaluation(finished_run):
    rows = lines(finished_run / "metrics.jsonl")
    assert [(row["phase"], row["evaluation"], row["step"]) for row in rows] == [
        ("pretrain", 1, 6),
        ("train", 2, 18),
        ("train", 3, 30),
    ]


def test_the_best_checkpoint_can_be_published_or_copied(finished_run, tmp_path):
    best = checkpoint_folder(finished_run, status(finished_run).best["step"])
    publish(best, tmp_path / "afqmc" / "mine")
    shutil.copytree(best, tmp_path / "afqmc" / "copied")
    for name in ("mine", "copied"):
        checkpoint = checkpoints.load("afqmc", name, tmp_path)
        assert checkpoint.metrics.entries["validation"]["auc"] == pytest.approx(
            status(finished_run).best["auc"], abs=5e-3
        )
        assert checkpoint.metrics.entries["command"].startswith(
            "python -m viz_core train --task afqmc --preset small --data sample"
        )
        assert checkpoint.metrics.entries["validation"]["split"] == "validation"
        assert checkpoint.settings.temperature != 1
    assert (tmp_path / "afqmc" / "mine" / checkpoints.CARD).read_text("utf-8").startswith("# afqmc / mine\n")


def test_pinned_inputs_are_explained_from_the_random_initialisation_to_the_end(finished_run, tmp_path):
    assert [snapshot_evaluations(finished_run, number) for number in (0, 1, 2)] == [[0, 1, 2, 3], [0, 1, 2, 3], []]
    start, end = (read_snapshot(finished_run, evaluation, 0) for evaluation in (0, 3))
    assert start.encoding.texts == tuple(PINNED[0]) and start.attention.shape == (1, 2, 15, 15)
    assert np.abs(start.attention - end.attention).max() > 1e-4
    if status(finished_run).best["evaluation"] == 3:
        publish(checkpoint_folder(finished_run, 30), tmp_path / "afqmc" / "tiny")
        again = explain(checkpoints.load("afqmc", "tiny", tmp_path), *PINNED[0])
        np.testing.assert_allclose(end.attention, again.attention, atol=2e-5)


def test_events_hold_figures_and_config(finished_run):
    events = EventAccumulator(str(finished_run / EVENTS)).Reload()
    assert {
        "pretrain/loss",
        "pretrain/lr",
        "train/loss",
        "train/validation_loss",
        "train/train_accuracy",
        "train/accuracy",
        "train/auc",
        "train/lr",
    } <= set(events.Tags()["scalars"])
    rows = lines(finished_run / "metrics.jsonl")[1:]
    assert [(event.step, event.value) for event in events.Scalars("train/loss")] == [
        (row["step"], pytest.approx(row["loss"])) for row in rows
    ]
    assert '"task": "afqmc"' in events.Tensors("config/text_summary")[0].tensor_proto.string_val[0].decode()


def test_the_last_evaluation_is_that_of_the_last_complete_line(tmp_path):
    file = tmp_path / "metrics.jsonl"
    assert last_evaluation(file) == 0
    file.write_text('{"evaluation": 1}\n{"evaluation": 2}\n{"evalu', encoding="utf-8")
    assert last_evaluation(file) == 2


class RecordingReporter:
    def __init__(self, path: Path) -> None:
        self.path, self.updates, self.metrics, self.device = path, [], [], None

    def mark_running(self, device, total):
        self.device = device

    def update(self, *step, **figures):
        self.updates.append((*step, *figures.values()))

    def append_metrics(self, figures):
        self.metrics.append(figures["evaluation"])


@pytest.fixture
def callback(tmp_path):
    """Of a run whose first attempt was killed after its second evaluation."""
    (tmp_path / "metrics.jsonl").write_text('{"evaluation": 1}\n{"evaluation": 2}\n', encoding="utf-8")
    settings = TrainingSettings("afqmc", "small", name="花呗", data="sample")
    callback = RunCallback(RecordingReporter(tmp_path), settings)
    yield callback
    callback.close()


def test_the_time_left_is_that_of_the_remaining_steps_at_the_speed_since_the_start(callback, monkeypatch):
    """Resumed at step 10 of 40; 5 steps in 20 seconds, so that the other 25 take 100."""
    times = iter([100.0, 100.0, 120.0])
    monkeypatch.setattr("viz_core.training.run.time", SimpleNamespace(monotonic=lambda: next(times)))
    callback.on_start("cpu, 2 threads", 10, 40)
    callback.on_step(10, 40)
    callback.on_step(15, 40)
    assert callback.reporter.device == "cpu, 2 threads" and callback.reporter.updates == [(10, None), (15, 100.0)]


def test_an_evaluation_that_a_killed_attempt_wrote_is_not_written_again(callback):
    callback.on_start("cpu", 10, 40)
    for number in (2, 3, 3):
        callback.on_evaluation({"evaluation": number, "step": 10, "phase": "train"}, None)
    assert callback.reporter.metrics == [3]


def test_the_config_among_the_events_is_legible(callback, tmp_path):
    callback.on_start("cpu", 0, 40)
    callback.close()
    events = EventAccumulator(str(tmp_path / EVENTS)).Reload()
    assert "花呗".encode() in events.Tensors("config/text_summary")[0].tensor_proto.string_val[0]


def test_a_stopped_run_has_a_best_checkpoint_and_can_be_resumed(tmp_path, monkeypatch):
    folder = run_folder(tmp_path / "run", recipe={**RECIPE, "epochs": 3})
    on_evaluation = RunCallback.on_evaluation

    def stop_after_the_second(callback, figures, best):
        on_evaluation(callback, figures, best)
        if figures["evaluation"] == 2:
            (folder / "stop").touch()

    monkeypatch.setattr(RunCallback, "on_evaluation", stop_after_the_second)
    carry_out(folder)
    now = status(folder)
    assert (now.state, now.message, len(lines(folder / "metrics.jsonl"))) == ("stopped", None, 2)
    assert checkpoints.read_info(checkpoint_folder(folder, now.best["step"])).metrics.entries["validation"]["n"] == 48
    monkeypatch.undo()
    (folder / "stop").unlink()
    carry_out(folder)
    assert status(folder).state == "finished" and len(lines(folder / "metrics.jsonl")) == 4


def test_a_stop_before_the_first_evaluation_says_so(tmp_path):
    folder = run_folder(tmp_path / "run")
    (folder / "stop").touch()
    carry_out(folder)
    assert (status(folder).state, status(folder).message.key) == ("stopped", "training.stopped_early")


@pytest.mark.parametrize(
    "settings, key, value",
    [
        (dict(task="poetry"), "tasks.unknown", "poetry"),
        (dict(preset="huge"), "training.no_preset", "huge"),
        (dict(data="some"), "training.bad_setting", "'some'"),
        (dict(colour="red"), "training.bad_setting", "colour"),
        (dict(recipe={"epochs": 0}), "training.bad_setting", "epochs (0)"),
        (dict(recipe={"epoch": 1}), "training.bad_setting", " epoch"),
        (dict(encoder={"width": 30, "heads": 4}), "training.bad_setting", "width 30"),
        (dict(pinned=[["a", "b"]] * 5), "training.too_many_pinned", 5),
        (dict(pinned=[["花呗", " "]]), "text.blank", None),
        (dict(pinned=["花呗"]), "analysis.needs_pair", "afqmc"),
        (dict(device="abacus"), "training.bad_device", "abacus"),
        (dict(data="full"), "training.no_data", None),
        (dict(encoder={"width": 80_000, "heads": 2}), "training.too_large", None),
    ],
)
def test_a_refused_run_has_the_reason_in_its_status(tmp_path, settings, key, value):
    folder = run_folder(tmp_path / "run", **settings)
    with pytest.raises(Failure):
        carry_out(folder)
    message = status(folder).message
    assert status(folder).state == "failed" and message.key == key
    assert value is None or str(value) in " ".join(map(str, message.values.values()))


def test_as_many_inputs_may_be_pinned_as_a_refusal_says():
    inputs = [("花呗", "借呗")] * MAX_PINNED
    assert len(TrainingSettings("afqmc", "small", data="sample", pinned=inputs).pinned) == MAX_PINNED
    with pytest.raises(Failure) as failure:
        TrainingSettings("afqmc", "small", data="sample", pinned=[*inputs, inputs[0]])
    assert failure.value.message.values == {"count": MAX_PINNED + 1, "most": MAX_PINNED}


def test_a_request_without_settings_is_refused():
    with pytest.raises(Failure) as failure:
        TrainingSettings.from_request(runs.Request(command=["x"]))
    assert failure.value.message.key == "training.bad_setting"


def test_a_request_changes_only_what_it_names():
    preset = get_task("afqmc").presets["collapsed"]
    training = TrainingSettings(
        "afqmc",
        "collapsed",
        recipe={"epochs": 3, "class_weights": True, "swap": False},
        overrides={"layers": 2},
        device="cpu",
    ).training()
    assert training.recipe == replace(preset.recipe, epochs=3, class_weights=True)
    assert training.config == model_config(get_task("afqmc"), "encoder", {**preset.config, "layers": 2})
    assert (training.name, training.caution, training.device) == ("collapsed", preset.caution, "cpu")
    assert training.command.endswith("--layers 2 --epochs 3 --class-weights --no-swap")


def test_settings_are_made_without_the_network(monkeypatch):
    """A page makes them at every key; what the hub has is asked for where a training is estimated, queued or begins."""

    def refuse(*arguments, **options):
        raise AssertionError("the network is used")

    monkeypatch.setattr("socket.getaddrinfo", refuse)
    monkeypatch.setattr("socket.socket.connect", refuse)
    recipe = {"encoder": "hf:somebody/some-encoder", "epochs": 1}
    settings = TrainingSettings("imdb", data="sample", recipe=recipe, overrides={"layers": 2})
    request = runs.Request("train", device="cpu", settings=settings.to_request())
    assert TrainingSettings.from_request(request) == replace(settings, device="cpu")
    with pytest.raises(Failure, match="training.bad_setting"):
        TrainingSettings("imdb", recipe={**recipe, "epochs": "many"})


@pytest.mark.process
def test_the_worker_runs_it(tmp_path, monkeypatch):
    """From the request through the queue to the end, as from the page and the command line."""
    monkeypatch.setenv("VIZ_RUNS_DIR", str(tmp_path / "runs"))
    run = runs.submit(
        runs.Request(
            "train",
            "tiny",
            device="cpu",
            owner="test",
            settings=dict(task="imdb", data="sample", encoder=ENCODER, recipe=dict(epochs=1, batch=64)),
        )
    )
    deadline = time.monotonic() + 120
    while not (run := runs.read(run.id)).is_over and time.monotonic() < deadline:
        time.sleep(0.1)
    assert run.status.state == "finished", run.status.message
    assert len(runs.read_metrics(run)[0]) == 1
