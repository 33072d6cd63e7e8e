"""What `pip install .` installs: everything that the app needs, nothing else, and it starts from any folder."""

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from pages.shared.tasks import BEFORE_AND_AFTER, PAGES
from viz_core.checkpoints import FOLDER, list_checkpoints, task_checkpoints
from viz_core.language import LANGUAGES
from viz_core.lessons import read_lessons
from viz_core.tasks import CLASSIFICATION, all_tasks

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


@pytest.fixture(scope="module")
def further(wheel) -> dict[str, dict]:
    """What the wheel says of the models that are not in it."""
    with zipfile.ZipFile(wheel) as archive:
        return json.loads(archive.read(f"{OURS}/checkpoints/further.json"))


def inside(wheel: Path) -> set[str]:
    """The models in the wheel."""
    paths = [name.split("/") for name in zipfile.ZipFile(wheel).namelist() if name.endswith("/model.safetensors")]
    return {f"{task}/{model}" for _, _, task, model, _ in paths}


def shipped() -> dict[str, Path]:
    """The folders of the models of the checkout, without those that were saved on this machine."""
    folders = {f"{info.task}/{info.name}": info.path for info in list_checkpoints(FOLDER, all_tasks())[0]}
    return {name: path for name, path in folders.items() if not (path / "kept.json").exists()}


def test_it_is_small_enough_for_a_package_index(wheel):
    assert wheel.stat().st_size <= 40_000_000


def test_its_models_are_complete_with_what_was_measured_of_them(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for model in inside(wheel):
        assert {f"{OURS}/{name}" for name in files_of(FOLDER / model)} <= names
    assert {f"{OURS}/checkpoints/ledger.jsonl", f"{OURS}/checkpoints/comparison.json"} <= names
    assert not any(name.endswith("kept.json") for name in names)


def test_it_has_the_size_and_checksum_of_each_file_of_the_others(wheel, further):
    assert {*inside(wheel), *further} == set(shipped()) and not inside(wheel) & set(further)
    for model, files in further.items():
        contents = {name.removeprefix(f"checkpoints/{model}/"): PROJECT / name for name in files_of(FOLDER / model)}
        assert files == {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in ((name, path.read_bytes()) for name, path in contents.items())
        }


def opened_by_lessons() -> set[str]:
    """The models that cards name, with their tasks."""
    tasks, models = {page.url: page.task for page in PAGES.values()}, set()
    for lesson in read_lessons()[0]:
        for url, link in (card.state(language) for card in lesson.cards for language in LANGUAGES):
            named = {link[key] for key in ("model", "ref_model", "other") if link.get(key)}
            models |= {name if "/" in name else f"{link.get('task') or tasks[url]}/{name}" for name in named}
    return models


# Too large, and a second version of a model that is in it: the page says how to fetch them (test_absent_models.py).
FETCHED_FOR_LESSONS = {"imdb/minilm", "afqmc/small-6-layers"}


def test_it_has_the_models_that_pages_and_lessons_open(wheel):
    first = {f"{task}/{task_checkpoints(task, FOLDER)[0].name}" for task in all_tasks()}
    compared = {f"{BEFORE_AND_AFTER.task}/{name}" for name in BEFORE_AND_AFTER.models}
    assert {*first, *compared, *opened_by_lessons(), "afqmc/collapsed"} - FETCHED_FOR_LESSONS <= inside(wheel)
    for task in all_tasks(CLASSIFICATION):  # something cheap to compare with, where there is any
        baselines = {f"{task}/{info.name}" for info in task_checkpoints(task, FOLDER) if info.settings.kind == "tfidf"}
        assert not baselines or baselines & inside(wheel)


def test_its_dependencies_are_the_pins_of_the_requirements(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    lines = (PROJECT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert needed == [line for line in lines if "==" in line] and metadata.get_all("Provides-Extra") == ["gguf", "ray"]


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


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    """The archive of this commit's models; in a copy without git their folder."""
    if not (PROJECT / ".git").exists():
        return FOLDER
    file = tmp_path_factory.mktemp("archive") / "models.zip"
    subprocess.run(["make", "-s", "models-archive", f"ARCHIVE={file}"], check=True, cwd=PROJECT)
    return file


def test_installed_it_fetches_the_others_and_opens_them(site, source, tmp_path):
    code = "import runpy, sys; sys.argv[1:] = {!r}; runpy.run_module('viz_core', run_name='__main__')"
    with pytest.raises(subprocess.CalledProcessError) as absent:
        run(site, tmp_path, "from viz_core import show; show('imdb/minilm', 'Not bad at all.')")
    assert "models fetch imdb/minilm" in absent.value.stderr
    command = ["models", "fetch", "--all", "--json", "--from", str(source)]
    states = {entry["model"]: entry["state"] for entry in json.loads(run(site, tmp_path, code.format(command)))}
    assert states and set(states.values()) == {"fetched"}
    shown = "from viz_core import checkpoints, show; print(show('imdb/minilm', 'Not bad at all.')); "
    listed = "print(*(f'{info.task}/{info.name}' for info in checkpoints.list_checkpoints()[0]))"
    explorer, models = run(site, tmp_path, shown + listed).splitlines()
    assert "6 × 12" in explorer and set(models.split()) == set(shipped())
