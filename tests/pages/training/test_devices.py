"""Devices on the training page: those that cannot be used are named, and the server process opens no GPU."""

import json
import subprocess
from dataclasses import asdict
from types import SimpleNamespace

import pytest
import torch

from tests.pages.app import page_text
from tests.pages.fake_runs import open_training
from tests.words import says
from viz_core.jobs import runs as jobs
from viz_core.language import LANGUAGES, Translator
from viz_core.training import door
from viz_core.training.devices import Device

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]

GIGABYTES = 10**9
CPU = Device("cpu", 16 * GIGABYTES, 16 * GIGABYTES)
GPU, SECOND_GPU = (Device(f"cuda:{number}", 80 * GIGABYTES, 60 * GIGABYTES, 3.0) for number in range(2))
REASON = "CUDA error: no kernel image is available for execution on the device"
BROKEN = Device("cuda:0", problem=REASON)
OPENING = ("mem_get_info", "init", "set_device", "current_device", "get_device_properties", "get_device_name")


def set_devices(monkeypatch, *devices: Device) -> None:
    monkeypatch.setattr(door, "devices", lambda: devices)


def captions(app) -> str:
    return " ".join(caption.value for caption in app.caption).replace("\\", "")


@pytest.fixture
def no_opened_gpu(monkeypatch):
    """A machine with a GPU where every call that would open it fails the test; returns a function that sets what the
    process prints that examines the devices."""
    opened = []

    def set_report(report: str, code: int = 0) -> None:
        def run(arguments, **options):
            if code:
                raise subprocess.CalledProcessError(code, arguments, "", report)
            return subprocess.CompletedProcess(arguments, 0, report, "")

        monkeypatch.setattr(door, "subprocess", SimpleNamespace(**{**vars(subprocess), "run": run}))

    def refuse(name: str):
        def call(*arguments, **options):
            opened.append(name)
            raise RuntimeError(f"the server process called torch.cuda.{name}")

        return call

    for name in OPENING:
        monkeypatch.setattr(torch.cuda, name, refuse(name))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    door.devices.cache_clear()
    yield set_report
    door.devices.cache_clear()
    assert not opened


def test_the_page_offers_a_gpu_without_opening_it(no_opened_gpu):
    no_opened_gpu(json.dumps([asdict(GPU), asdict(CPU)]))
    app = open_training()
    assert (app.selectbox(key="train_device").options, app.selectbox(key="train_device").value) == (
        ["cuda:0", "cpu"],
        "cuda:0",
    )
    assert says(page_text(app), "pages.training_estimate", available="80")
    app.button(key="start").click().run()
    assert jobs.list_runs()[0].request.device == "cuda:0" and not app.exception


def test_a_gpu_that_recovers_is_offered_once_the_devices_are_checked_again(no_opened_gpu):
    no_opened_gpu(json.dumps([asdict(BROKEN), asdict(CPU)]))
    app = open_training()
    assert "train_device" not in [box.key for box in app.selectbox]
    no_opened_gpu(json.dumps([asdict(GPU), asdict(CPU)]))
    app.run()
    assert "train_device" not in [box.key for box in app.selectbox], "a rerun does not ask the GPU"
    app.button(key="inspect_devices").click().run()
    assert app.selectbox(key="train_device").options == ["cuda:0", "cpu"] and not app.exception
    assert "inspect_devices" not in [button.key for button in app.button]


@pytest.mark.parametrize(
    ("report", "code", "reason"),
    [
        (json.dumps([asdict(BROKEN), asdict(CPU)]), 0, REASON),
        ("Traceback (most recent call last):\nRuntimeError: the driver is too old.\n", 1, "the driver is too old"),
        ("", -11, "exit code -11"),
        ("no JSON", 0, "Expecting value"),
    ],
    ids=["a card without kernels", "a driver that fails", "a crash", "no report"],
)
def test_a_gpu_that_cannot_be_used_leaves_the_cpu_and_is_explained(no_opened_gpu, report, code, reason):
    no_opened_gpu(report, code)
    app = open_training()
    assert "train_device" not in {box.key for box in app.selectbox}
    assert says(captions(app), "training.device_skipped", device="cuda:0", used="cpu")
    assert reason in captions(app) and "Command" not in captions(app)
    app.button(key="start").click().run()
    assert jobs.list_runs()[0].request.device == "cpu" and not app.exception


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_several_gpus_only_those_that_can_be_used_are_offered(monkeypatch, language):
    set_devices(monkeypatch, BROKEN, SECOND_GPU, CPU)
    app, say = open_training(lang=language), Translator(language)
    picker = app.selectbox(key="train_device")
    assert picker.options == ["cuda:1", "cpu"]
    for used in picker.options:
        picker.set_value(used).run()
        assert say("training.device_skipped", device="cuda:0", reason=REASON, used=used) in captions(app)


def test_apples_gpu_is_offered_but_not_the_default(monkeypatch):
    set_devices(monkeypatch, Device("mps", 16 * GIGABYTES, 16 * GIGABYTES), CPU)
    app = open_training()
    assert (app.selectbox(key="train_device").options, app.selectbox(key="train_device").value) == (
        ["mps", "cpu"],
        "cpu",
    )


def test_a_machine_without_a_gpu_has_no_picker_and_no_remark(monkeypatch):
    set_devices(monkeypatch, CPU)
    app = open_training()
    assert "train_device" not in {box.key for box in app.selectbox} and not says(
        captions(app), "training.device_skipped"
    )
