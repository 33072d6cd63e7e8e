"""DESIGN's table of who may import whom: every module of a room, in a fresh interpreter, and what it brought along."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
TORCH, PLOTLY, STREAMLIT = "torch", "plotly", "streamlit"

# Rooms with what comes along with them.
TASKS = {"tasks", "recipes", "records", "text", "datasets"}
ANALYSIS = {"analysis", "statistics", "models", "checkpoints", *TASKS}

# room: (rooms of ours that it may load, outside packages that it may not)
ROOMS = {
    "records": ({"records"}, {TORCH, PLOTLY, STREAMLIT}),
    "language": ({"language", "records"}, {TORCH, PLOTLY, STREAMLIT}),
    "text": ({"text", "records"}, {TORCH, PLOTLY, STREAMLIT}),
    "datasets": ({"datasets", "records"}, {TORCH, PLOTLY, STREAMLIT}),
    "models": ({"models"}, {PLOTLY, STREAMLIT}),
    "recipes": ({"recipes"}, {TORCH, PLOTLY, STREAMLIT}),
    "tasks": (TASKS, {TORCH, PLOTLY, STREAMLIT}),
    "checkpoints": ({"checkpoints", "models", *TASKS}, {PLOTLY, STREAMLIT}),
    "jobs": ({"jobs", "records"}, {TORCH, PLOTLY, STREAMLIT, "pandas"}),
    "statistics": ({"statistics"}, {TORCH, PLOTLY, STREAMLIT}),
    "tables": ({"tables", "records"}, {TORCH, PLOTLY, STREAMLIT}),
    "analysis": (ANALYSIS, {PLOTLY, STREAMLIT}),
    "training": ({"training", "jobs", "tables", *ANALYSIS}, {PLOTLY, STREAMLIT}),
    "evidence": ({"evidence", "jobs", *ANALYSIS}, {PLOTLY, STREAMLIT}),
    "batch_prediction": ({"batch_prediction", "tables", "evidence", "jobs", *ANALYSIS}, {PLOTLY, STREAMLIT}),
    "rendering": ({"rendering", "records", "language"}, {TORCH, STREAMLIT}),
    "explorer": ({"explorer", "rendering", "records", "language"}, {TORCH, STREAMLIT}),
    "__main__": (None, {STREAMLIT}),
    "commands": (None, {STREAMLIT}),  # what __main__ runs
}
# Loaded with others, not by choice: `checkpoints` stands on `tasks`, which stands on the corpora.
DIRECT_ONLY = {"analysis": {"records", "models", "text", "checkpoints", "statistics", "analysis"}}


def modules(room: str) -> list[str]:
    """The dotted names of a room's modules: one file, or a package with what stands in it."""
    files = sorted((PROJECT / "viz_core" / room).glob("*.py"))
    return [f"viz_core.{room}", *(f"viz_core.{room}.{file.stem}" for file in files if file.stem != "__init__")]


def loaded(names: list[str]) -> set[str]:
    """What sys.modules holds after importing the modules in a fresh interpreter."""
    code = f"import importlib, json, sys; [importlib.import_module(n) for n in {names!r}]; print(json.dumps(list(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout))


@pytest.mark.process
@pytest.mark.parametrize("room", ROOMS)
def test_room_loads_only_what_it_may(room):
    rooms, forbidden = ROOMS[room]
    found = loaded(modules(room))
    assert {name.partition(".")[0] for name in found} & forbidden == set()
    neighbours = {name.split(".")[1] for name in found if name.startswith("viz_core.")}
    assert rooms is None or neighbours <= rooms


@pytest.mark.parametrize("room", DIRECT_ONLY)
def test_room_names_only_its_neighbours_in_its_imports(room):
    named = {name for file in (PROJECT / "viz_core" / room).glob("*.py") for name in imported(file)}
    assert {name.split(".")[1] for name in named if name.startswith("viz_core.")} <= DIRECT_ONLY[room]


# room of the pages: the others that it may import
PAGES = {
    "frame": {"home", "shared", "explore", "models", "evaluation", "training"},
    "home": {"shared"},
    "shared": set(),
    "routes": {"shared"},
    "explore": {"shared", "routes"},
    "models": {"shared"},
    "evaluation": {"shared"},
    "training": {"shared"},
}


def imported(file: Path) -> set[str]:
    """The dotted names of the modules that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {name for name in inside if is_module(name)}
            names |= modules | ({node.module} if modules != inside else set())
    return names


def is_module(name: str) -> bool:
    path = PROJECT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


def page_imports(room: str) -> set[str]:
    folder = PROJECT / "pages"
    files = [folder / f"{room}.py"] if (folder / f"{room}.py").exists() else (folder / room).glob("*.py")
    return {name for file in files for name in imported(file)}


@pytest.mark.parametrize("room", PAGES)
def test_room_of_the_pages_imports_only_what_it_may(room):
    names = page_imports(room)
    rooms = {name.split(".")[1] for name in names if name.startswith("pages.")}
    assert rooms <= {room, *PAGES[room]}
    assert not any(name.split(".")[0] == "torch" for name in names)
    training = {name for name in names if name.startswith("viz_core.training")}
    assert training <= ({"viz_core.training.door"} if room == "training" else set())


def test_every_room_of_the_pages_is_in_the_table():
    paths = [path for path in (PROJECT / "pages").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    assert {path.stem for path in paths} - {"__init__"} == set(PAGES)


@pytest.mark.process
def test_the_door_to_training_opens_without_torch():
    assert TORCH not in loaded(["viz_core.training.door"])


def test_imports_are_told_apart_from_names():
    assert imported(PROJECT / "pages/home.py") >= {"pages.shared.navigation", "pages.shared.tasks", "streamlit"}


def test_every_room_of_the_house_is_in_the_table():
    found = {
        path.stem
        for path in (PROJECT / "viz_core").iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and path.stem != "__init__"
    }
    assert found == set(ROOMS)
