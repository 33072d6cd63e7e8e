"""What `pip install .` installs: everything that the app needs, nothing else, and it starts from any folder."""

import os
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from viz_core.checkpoints import FOLDER, list_checkpoints
from viz_core.tasks import all_tasks

PROJECT = Path(__file__).parents[1]
pytestmark = [pytest.mark.slow, pytest.mark.process]

OURS = "attention_microscope"
# Folders in the wheel: those in the project, and the files below them that are of no use to the app.
SOURCES = {"viz_core": "viz_core", f"{OURS}/pages": "pages"}
NOT_NEEDED = (
    "viz_core/explorer/source/",
    "viz_core/explorer/package",
    "viz_core/explorer/tsconfig",
    "viz_core/explorer/eslint",
    "viz_core/explorer/node_modules/",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-q", "-w"]
    subprocess.run([*command, str(folder), str(PROJECT)], check=True, cwd=folder)
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory) -> Path:
    """A folder of packages with the wheel in it."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def files_of(folder: Path) -> set[str]:
    return {
        path.relative_to(PROJECT).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_it_contains_code_pages_bundles_catalogues_and_samples(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for place, source in SOURCES.items():
        expected = {name for name in files_of(PROJECT / source) if not name.startswith(NOT_NEEDED)}
        present = {source + name.removeprefix(place) for name in names if name.startswith(f"{place}/")}
        assert present == expected
    for name in ("app.py", "requirements.txt", ".streamlit/config.toml"):
        assert f"{OURS}/{name}" in names
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"viz_core", OURS}


def test_it_contains_the_models_that_ship_and_what_was_measured_of_them(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for info in list_checkpoints(FOLDER, all_tasks())[0]:
        if (info.path / "kept.json").exists():
            continue  # saved on this machine
        for name in files_of(info.path):
            assert f"{OURS}/{name}" in names
    assert {f"{OURS}/checkpoints/ledger.jsonl", f"{OURS}/checkpoints/comparison.json"} <= names
    assert not any(name.endswith("kept.json") for name in names)


def test_its_dependencies_are_the_pins_of_the_requirements(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    lines = (PROJECT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert needed == [line for line in lines if "==" in line] and metadata.get_all("Provides-Extra") == ["gguf"]


def run(site: Path, folder: Path, code: str) -> str:
    """What a program prints that has the packages of `site` before all others, in another folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VIZ_")}
    process = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(site), "HOME": str(folder / "home"), "USERPROFILE": str(folder / "home")},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return process.stdout


def test_installed_it_finds_its_models_and_writes_at_home(site, tmp_path):
    code = (
        "from viz_core import checkpoints, folders, show; from viz_core.jobs.run_folder import folder; "
        "from viz_core.datasets.corpus import data_folders; "
        "print(show('imdb/small', 'Not bad at all.')); "
        "print(checkpoints.find_folder('imdb', 'small')); "
        "print(checkpoints.folder(), folder(), *data_folders())"
    )
    shown, model, *written = run(site, tmp_path, code).splitlines()
    assert "2 × 4" in shown
    assert Path(model) == site / OURS / "checkpoints" / "imdb" / "small"
    home = tmp_path / "home" / "attention-microscope"
    assert written == [f"{home / 'checkpoints'} {home / 'runs'} {home / 'data'}"]
    assert not home.exists(), "nothing is written before there is anything to write"
