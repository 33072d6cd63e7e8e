"""Where files are in a checkout, and where they are once the project is installed."""

import importlib.util
import shutil
from pathlib import Path

import pytest

from tests.tiny import save_checkpoint
from viz_core import checkpoints, folders
from viz_core.checkpoints import files
from viz_core.evidence import comparison
from viz_core.evidence.ledger import NAME, read_ledger, record_reading
from viz_core.records import Failure, Figures, Reading
from viz_core.training import saved_models

CHECKOUT = Path(__file__).parents[1]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folders CODE, SHIPPED and PROJECT if the code were in a folder of packages; home is a folder of the test."""
    monkeypatch.delenv("VIZ_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")

    def load(installed: bool):
        file = tmp_path / "site" / "viz_core" / "folders.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folders.__file__, file)
        if installed:
            (tmp_path / "site" / "attention_microscope").mkdir(exist_ok=True)
        spec = importlib.util.spec_from_file_location("folders_elsewhere", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.CODE, module.SHIPPED, module.PROJECT

    return load


def test_in_a_checkout_everything_is_in_it(place, tmp_path):
    assert place(installed=False) == (tmp_path / "site",) * 3
    assert {folders.SHIPPED, folders.CODE} == {CHECKOUT}, "the tests run in one"


def test_installed_nothing_is_written_beside_the_code(place, tmp_path, monkeypatch):
    site, home = tmp_path / "site", tmp_path / "home" / "attention-microscope"
    assert place(installed=True) == (site, site / "attention_microscope", home)
    monkeypatch.setenv("VIZ_HOME", str(tmp_path / "class"))
    assert place(installed=True) == (site, site / "attention_microscope", tmp_path / "class")


@pytest.fixture
def two_folders(tmp_path, monkeypatch):
    """Folders of what ships, with the models `small` and `wide`, and of what is written, which does not exist yet."""
    shipped, project = tmp_path / "shipped" / "checkpoints", tmp_path / "home"
    for name in ("small", "wide"):
        save_checkpoint(shipped, "imdb", name)
    monkeypatch.delenv("VIZ_CHECKPOINTS_DIR", raising=False)
    monkeypatch.setattr(files, "FOLDER", shipped)
    monkeypatch.setattr(files, "PROJECT", project)
    return shipped, project / "checkpoints"


def test_models_that_ship_and_saved_ones_are_offered_together(two_folders):
    shipped, own = two_folders
    save_checkpoint(own, "imdb", "mine")
    infos, failures = checkpoints.list_checkpoints(tasks=["imdb"])
    assert failures == [] and [info.name for info in infos] == ["mine", "small", "wide"]
    assert checkpoints.find_folder("imdb", "small") == shipped / "imdb" / "small"
    assert checkpoints.find_folder("imdb", "mine") == own / "imdb" / "mine"
    assert checkpoints.load("imdb", "wide").name == "wide"


def test_a_saved_model_comes_before_the_one_of_its_name_that_ships(two_folders):
    _, own = two_folders
    save_checkpoint(own, "imdb", "small")
    assert [info.path.parents[1] for info in checkpoints.list_checkpoints(tasks=["imdb"])[0]].count(own) == 1
    assert checkpoints.find("imdb", "small").path == own / "imdb" / "small"


def test_a_new_model_is_saved_in_the_folder_of_the_person_under_a_free_name(two_folders):
    _, own = two_folders
    assert saved_models.free_name("imdb", "small") == "small-2"
    assert saved_models.model_folder("imdb", "new") == own / "imdb" / "new"
    with pytest.raises(Failure, match="name_taken"):
        saved_models.model_folder("imdb", "small")
    assert saved_models.model_folder("imdb", "small", overwrite=True) == own / "imdb" / "small"


def test_a_folder_named_by_the_variable_is_the_only_one(two_folders, tmp_path, monkeypatch):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "others"))
    assert checkpoints.list_checkpoints() == ([], [])
    assert checkpoints.find_folder("imdb", "small") is None


def test_readings_of_the_test_are_entered_in_the_folder_of_the_person(two_folders):
    shipped, own = two_folders
    reading = Reading(
        date="2026-01-01T00:00:00+00:00",
        commit="unknown",
        task="imdb",
        model="small",
        data="full",
        rows="all",
        weights_sha256="0",
        figures=Figures(n=2, accuracy=0.5),
    )
    assert record_reading(reading)
    (own / NAME).rename(shipped / NAME)
    assert read_ledger() == (reading,), "that of a model that ships counts, too"
    assert not record_reading(reading) and not (own / NAME).exists()


def test_latencies_that_ship_are_known_until_they_are_measured_again(two_folders):
    shipped, own = two_folders
    (shipped / comparison.NAME).write_text('{"imdb/small": {"latency": 1}, "imdb/wide": {"latency": 2}}')
    own.mkdir(parents=True)
    (own / comparison.NAME).write_text('{"imdb/small": {"latency": 3}}')
    assert comparison._read() == {"imdb/small": {"latency": 3}, "imdb/wide": {"latency": 2}}
