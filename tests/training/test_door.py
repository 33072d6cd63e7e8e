"""The door to training: submitting runs, requirements before a run, devices."""

import json
import subprocess
import sys
from dataclasses import asdict, replace

import pytest

from tests.tiny import save_checkpoint
from tests.training.tiny import ENCODER
from viz_core import checkpoints
from viz_core.jobs import runs
from viz_core.jobs.request import MAIN
from viz_core.records import Failure
from viz_core.training import devices, door, estimate
from viz_core.training.devices import Device
from viz_core.training.door import TrainingSettings
from viz_core.training.estimate import CorpusSize, expected_corpus_size

SETTINGS = TrainingSettings(
    "afqmc",
    "small",
    "mine",
    "sample",
    overrides=ENCODER,
    recipe={"epochs": 2},
    pinned=(("花呗怎么还款", "花呗如何还钱"),),
)


GPUS = ("cuda:0", "cuda:1", "cpu")


@pytest.fixture(autouse=True)
def no_worker(monkeypatch):
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)


@pytest.fixture(autouse=True)
def cpu_only(monkeypatch):
    """Unless a test says otherwise, on a machine with GPUs, too."""
    monkeypatch.setattr(devices, "available_devices", lambda: ("cpu",))
    door.devices.cache_clear()
    yield
    door.devices.cache_clear()


def test_memory_is_estimated_only_for_an_executor_that_shares_computers(monkeypatch):
    (here,) = door.submit_together([SETTINGS], "cpu", "me")
    monkeypatch.setenv("VIZ_RAY", "http://head:8265")
    (there,) = door.submit_together([SETTINGS], "cpu", "me")
    needed = door.requirements(SETTINGS, "cpu").memory_bytes
    assert runs.read(here.id).request.memory is None
    assert needed < runs.read(there.id).request.memory < needed + 10**9


def test_a_gpu_that_this_machine_lacks_may_be_one_of_a_cluster(monkeypatch):
    with pytest.raises(Failure):
        door.submit(SETTINGS, "cuda", "me")
    monkeypatch.setenv("VIZ_RAY", "http://head:8265")
    run = door.submit(SETTINGS, "cuda", "me")
    assert (run.request.device, run.status.queue) == ("cuda", "cuda:0") and run.request.memory


def test_the_worker_reads_what_was_submitted():
    (run,) = door.submit_together([SETTINGS], "cpu", "me", experiment="depth")
    request = runs.read(run.id).request
    assert (request.kind, request.name, request.command) == ("train", "mine", MAIN)
    assert (request.device, request.owner, request.experiment) == ("cpu", "me", "depth")
    assert request.settings == {
        "task": "afqmc",
        "preset": "small",
        "name": "mine",
        "data": "sample",
        "encoder": ENCODER,
        "recipe": {"epochs": 2},
        "pinned": [["花呗怎么还款", "花呗如何还钱"]],
    }
    assert TrainingSettings.from_request(request) == replace(SETTINGS, device="cpu")


@pytest.mark.parametrize(
    "settings, device, key",
    [(SETTINGS, "abacus", "training.no_device"), (replace(SETTINGS, data="full"), "cpu", "datasets.missing")],
)
def test_invalid_requests_are_refused_before_there_is_a_run(settings, device, key):
    with pytest.raises(Failure, match=key):
        door.submit(settings, device, "me")
    assert runs.list_runs() == []


@pytest.mark.parametrize(
    "task, recipe",
    [
        ("imdb", {"batch": 10**6}),
        ("imdb", {"batch": 10**6, "share": 0.1}),
        ("afqmc", {"batch": 100, "train_rows": 30}),
        ("imdb", {"batch": 600, "teacher": "none", "pieces": False, "pretrain_epochs": 1}),
        ("afqmc", {"batch": 500}),
        ("afqmc", {"batch": 10**6, "swap": False, "share": 0.5, "seed": 3}),
    ],
)
def test_the_requirements_before_a_run_are_those_checked_at_its_start(monkeypatch, task, recipe):
    monkeypatch.setattr(estimate, "_time_step", lambda *arguments: estimate.StepTime(1.0, 1.0, 0.0))
    settings = TrainingSettings(task, data="sample", overrides=ENCODER, recipe=recipe)
    requirements = door.requirements(settings, "cpu")
    assert requirements.seconds is None
    assert replace(door.estimate(settings, "cpu"), seconds=None) == requirements


def test_the_size_of_a_full_corpus_is_known_from_a_model_and_the_publisher(checkpoints_dir):
    """A hundredth of IMDB's 25,000 labelled and 50,000 unlabelled reviews, and a piece of each."""
    metrics = save_checkpoint(checkpoints_dir, "imdb", "whole") / checkpoints.METRICS
    metrics.write_text(json.dumps({**json.loads(metrics.read_text()), "data": "full"}))
    vocabulary = checkpoints.read_info(metrics.parent).settings.config.vocabulary
    distilled = TrainingSettings("imdb", data="full", recipe={"share": 0.01})
    assert expected_corpus_size(distilled.training()) == CorpusSize(vocabulary, 2 * (250 + 500), 512)
    plain = replace(distilled, recipe={"share": 0.01, "teacher": "none", "pieces": False})
    assert expected_corpus_size(plain.training()).rows == 250


def test_a_full_corpus_of_unknown_size_is_a_failure(checkpoints_dir):
    with pytest.raises(Failure, match="training.no_data"):
        door.requirements(TrainingSettings("imdb"), "cpu")


@pytest.fixture
def inspect_in_child(monkeypatch):
    """Sets what the process that inspects two GPUs and a CPU prints, or the error it ends with."""
    door.devices.cache_clear()
    monkeypatch.setattr(devices, "available_devices", lambda: GPUS)

    def set_result(result: str | Exception) -> None:
        def run(command: list[str], **options) -> subprocess.CompletedProcess:
            assert command == [sys.executable, "-m", "viz_core.training.devices"] and options["timeout"] > 0
            if isinstance(result, Exception):
                raise result
            return subprocess.CompletedProcess(command, 0, stdout=result)

        monkeypatch.setattr(door.subprocess, "run", run)

    yield set_result
    door.devices.cache_clear()


def test_devices_are_those_that_another_process_inspected(inspect_in_child):
    inspected = (Device("cuda:0", problem="no kernel image"), Device("cuda:1", 10**6, 10**6), Device("cpu", 1, 1))
    inspect_in_child(json.dumps([asdict(device) for device in inspected]))
    assert door.devices() == inspected and door.best_device() == "cuda:1"
    with pytest.raises(Failure) as failure:
        door.submit(SETTINGS, "cuda", "me")
    assert failure.value.message.key == "training.bad_device", "cuda is the first GPU"
    with pytest.raises(Failure) as failure:
        door.requirements(SETTINGS, "cuda:1")
    assert failure.value.message.key == "training.too_large", "a megabyte"
    with pytest.raises(Failure) as failure:
        door.requirements(SETTINGS, "cuda:2")
    assert failure.value.message.values == {"device": "cuda:2", "known": "cuda:0, cuda:1, cpu"}


def test_a_run_waits_for_the_gpu_that_was_named_or_the_first_that_computes(inspect_in_child):
    inspected = (Device("cuda:0", problem="no kernel image"), Device("cuda:1", 10**12, 10**12), Device("cpu", 1, 1))
    inspect_in_child(json.dumps([asdict(device) for device in inspected]))
    named = [door.submit(SETTINGS, device, "me").request.device for device in ("cuda:1", None, "cpu")]
    assert named == ["cuda:1", "cuda:1", "cpu"]


@pytest.mark.parametrize(
    "result, reason",
    [
        (subprocess.CalledProcessError(1, "python", stderr="Traceback:\nRuntimeError: no driver.\n"), "no driver"),
        (subprocess.CalledProcessError(-11, "python", stderr=""), "-11"),
        (subprocess.TimeoutExpired("python", 120), "120 seconds"),
        (OSError("Cannot fork"), "Cannot fork"),
        ("a warning on stdout", "Expecting value"),
        ('[{"unknown": 1}]', "unknown"),
    ],
)
def test_if_the_other_process_fails_the_gpus_have_a_problem_and_the_cpu_is_used(inspect_in_child, result, reason):
    inspect_in_child(result)
    *gpus, cpu = door.devices()
    assert [gpu.name for gpu in gpus] == ["cuda:0", "cuda:1"] and all(reason in gpu.problem for gpu in gpus)
    assert cpu.name == door.best_device() == "cpu" and cpu.memory_total > 0 and not cpu.problem
    with pytest.raises(Failure) as failure:
        door.requirements(SETTINGS, "cuda:1")
    assert failure.value.message.key == "training.bad_device" and reason in failure.value.message.values["reason"]
