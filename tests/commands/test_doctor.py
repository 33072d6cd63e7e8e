"""The command `doctor` on a machine that has everything, and with one fault after another."""

import shutil
import socket
import subprocess
import sys
from importlib import metadata
from types import SimpleNamespace

import pytest

from tests.datasets.archives import pair_files, zip_archive
from tests.tiny import save_checkpoint
from tests.words import chinese, english, says
from viz_core.commands import doctor
from viz_core.language import LANGUAGES, Translator
from viz_core.tasks import all_tasks
from viz_core.training.devices import Device

CORPORA = [name for name, task in all_tasks().items() if task.corpus]


@pytest.fixture(autouse=True)
def machine(monkeypatch, checkpoints_dir, tmp_path):
    """A machine with a CPU, a browser, a Chinese font and room on its disk."""
    monkeypatch.setattr(doctor.door, "devices", lambda: (Device("cpu"),))
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}" if name in ("chromium", "fc-list") else None)
    monkeypatch.setattr(subprocess, "run", lambda *a, **o: SimpleNamespace(stdout="Zeta\nNoto Sans CJK SC,Noto\n"))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10 * 10**9, 8 * 10**9, 2 * 10**9))


def findings(name: str, verify: bool = False, port: int = 0) -> list[tuple[str, str]]:
    """States and sentences of one check, which exist in every language."""
    results = doctor._run(doctor.CHECKS[name], SimpleNamespace(verify=verify, port=port))
    for language in LANGUAGES:
        assert all(Translator(language)(result.message) for result in results)
    return [(result.state, Translator("en")(result.message)) for result in results]


def test_a_machine_that_has_everything_but_data_has_no_problem(call, json_output):
    code, out, _ = call("doctor", "--port", "0")
    assert code == 0 and f"{english('doctor.state_problem')}\t" not in out
    assert says(out.splitlines()[-1], "doctor.summary", warnings=len(CORPORA), problems=0)
    entries = json_output("doctor", "--port", "0")
    assert {entry["check"] for entry in entries if entry["state"] == "warning"} == {"data"}
    assert set(entries[0]) == {"check", "state", "sentence"}


def test_a_problem_is_exit_code_1_in_the_language_of_the_person(call, checkpoints_dir):
    (checkpoints_dir / "imdb/tiny/config.json").write_text("{")
    code, out, _ = call("doctor", lang="zh")
    assert code == 1 and says(out.splitlines()[-1], "doctor.summary", "zh", problems=1)
    assert [line.partition("\t")[0] for line in out.splitlines() if "imdb" in line and "tiny" in line] == [
        chinese("doctor.state_problem")
    ]


def test_an_old_python_is_a_problem(monkeypatch):
    assert findings("python")[0][0] == "ok"
    monkeypatch.setattr(sys, "version_info", (3, 10, 2))
    assert findings("python") == [("problem", english("doctor.python_old", version="3.10.2", least="3.11"))]


def test_packages_that_are_missing_or_have_another_version_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "REQUIREMENTS", tmp_path / "requirements.txt")
    doctor.REQUIREMENTS.write_text("# pinned\nnumpy==2.0\ntorch==2.13.0\nnowhere==1.0\n-r other.txt\n")
    monkeypatch.setattr(doctor.metadata, "version", _versions({"numpy": "1.9", "torch": "2.13.0+cpu"}))
    (numpy, nowhere) = findings("packages")
    assert numpy[0] == "warning" and "1.9" in numpy[1] and "2.0" in numpy[1]
    assert nowhere[0] == "problem" and says(nowhere[1], "doctor.package_missing", package="nowhere")
    doctor.REQUIREMENTS.write_text("torch==2.13.0\n")
    assert findings("packages") == [("ok", english("doctor.packages", count=1))]


def _versions(versions: dict[str, str]):
    def version(name: str) -> str:
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    return version


def test_a_gpu_that_does_not_compute_is_a_warning_with_its_reason(monkeypatch):
    devices = (Device("cuda:0", problem="no kernel image"), Device("cpu"))
    monkeypatch.setattr(doctor.door, "devices", lambda: devices)
    (gpu, cpu) = findings("device")
    assert (
        gpu == ("warning", english("doctor.device_bad", device="cuda:0", reason="no kernel image")) and cpu[0] == "ok"
    )


def test_corpora_are_located_and_on_request_verified(tmp_path):
    assert [state for state, _ in findings("data")] == ["warning"] * len(CORPORA)
    zip_archive(tmp_path / "data" / "afqmc_public.zip", pair_files())
    missing = len(CORPORA) - 2
    assert [state for state, _ in findings("data")] == ["warning", "ok", *["warning"] * missing]
    states = [state for state, _ in findings("data", verify=True)]
    assert states[0] == "warning" and states[-missing:] == ["warning"] * missing
    assert set(states[1:-missing]) == {"problem"}


def test_every_model_is_loaded(checkpoints_dir):
    save_checkpoint(checkpoints_dir, "imdb", "cut")
    weights = checkpoints_dir / "imdb/cut/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:200])
    states = dict(reversed(finding) for finding in findings("models"))
    assert sorted(states.values()) == ["ok", "ok", "problem"]
    assert all("cut" in sentence for sentence, state in states.items() if state == "problem")


def test_without_models_the_folder_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "none"))
    ((state, sentence),) = findings("models")
    assert state == "problem" and str(tmp_path / "none") in sentence


def test_a_disk_without_room_for_a_run_is_a_problem(monkeypatch):
    assert findings("disk")[0] == ("ok", findings("disk")[0][1]) and says(
        findings("disk")[0][1], "doctor.disk", free=2000
    )
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "3000")
    ((state, sentence),) = findings("disk")
    assert state == "problem" and says(sentence, "doctor.disk_full", least=3000)
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "many")
    ((state, sentence),) = findings("disk")
    assert state == "problem" and says(sentence, "jobs.bad_limit", value="many")


def test_folders_that_may_only_be_read_are_named(monkeypatch, checkpoints_dir):
    def refuse(dir):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    _, runs_folder, models = findings("disk")
    assert runs_folder[0] == "problem" and "VIZ_RUNS_DIR" in runs_folder[1]
    read_only = {"folder": str(checkpoints_dir), "reason": "Permission denied"}
    assert models[0] == "warning" and says(models[1], "doctor.folder_read_only", **read_only)


def test_fonts_and_browser_that_are_missing_are_warnings(monkeypatch):
    assert findings("fonts") == [("ok", english("doctor.fonts", font="Noto Sans CJK SC"))]
    assert "/usr/bin/chromium" in findings("browser")[0][1]
    monkeypatch.setattr(subprocess, "run", lambda *a, **o: SimpleNamespace(stdout=""))
    assert findings("fonts") == [("warning", english("doctor.fonts_missing"))]
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert findings("fonts")[0][0] == "ok" and findings("browser")[0][0] == "warning"


@pytest.mark.parametrize("taken", [False, True])
def test_a_port_that_is_taken_is_a_warning_with_another(taken):
    with socket.socket() as server:
        server.bind(("localhost", 0))
        port = server.getsockname()[1]
        if taken:
            server.listen()
        else:
            server.close()
        ((state, sentence),) = findings("port", port=port)
    assert (state == "warning") == taken == says(sentence, "doctor.port_taken", other=port + 1)


def test_an_error_of_a_check_is_a_problem_and_the_others_go_on(monkeypatch, call):
    def raise_an_error(args):
        yield doctor._finding("ok", "python", version="3")
        raise ZeroDivisionError("a secret")

    monkeypatch.setitem(doctor.CHECKS, "fonts", raise_an_error)
    code, out, _ = call("doctor")
    sentence = english("doctor.check_failed", reason="ZeroDivisionError")
    assert code == 1 and f"{english('doctor.state_problem')}\t{sentence}" in out and "/usr/bin/chromium" in out
