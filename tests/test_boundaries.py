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

# room: (rooms of ours that it may load, outside packages that it may not)
ROOMS = {
    "records": ({"records"}, {TORCH, PLOTLY, STREAMLIT}),
    "language": ({"language", "records"}, {TORCH, PLOTLY, STREAMLIT}),
    "text": ({"text", "records"}, {TORCH, PLOTLY, STREAMLIT}),
    "datasets": ({"datasets", "records"}, {TORCH, PLOTLY, STREAMLIT}),
    "models": ({"models"}, {PLOTLY, STREAMLIT}),
    "tasks": ({"tasks", "records", "text", "datasets", "models"}, {PLOTLY, STREAMLIT}),
    "checkpoints": ({"checkpoints", "tasks", "records", "text", "datasets", "models"}, {PLOTLY, STREAMLIT}),
    "jobs": ({"jobs", "records"}, {TORCH, PLOTLY, STREAMLIT, "pandas"}),
    "analysis": ({"analysis", "records", "models", "text", "checkpoints", "tasks", "datasets"}, {PLOTLY, STREAMLIT}),
    "training": ({"training", "jobs", "records", "tasks", "checkpoints", "text", "datasets", "models", "analysis"},
                 {PLOTLY, STREAMLIT}),
    "passes": ({"passes", "analysis", "jobs", "records", "tasks", "checkpoints", "text", "datasets", "models"},
               {PLOTLY, STREAMLIT}),
    "rendering": ({"rendering", "records", "language"}, {TORCH, STREAMLIT}),
    "explorer": ({"explorer", "rendering", "records", "language"}, {TORCH, STREAMLIT}),
    "__main__": (None, {STREAMLIT}),
    "commands": (None, {STREAMLIT}),  # what __main__ runs
}
# Loaded with others, not by choice: `checkpoints` stands on `tasks`, which stands on the corpora.
DIRECT_ONLY = {"analysis": {"records", "models", "text", "checkpoints", "analysis"}}


def modules(room: str) -> list[str]:
    """The dotted names of a room's modules: one file, or a folder of them."""
    if (PROJECT / "viz_core" / f"{room}.py").exists():
        return [f"viz_core.{room}"]
    files = sorted((PROJECT / "viz_core" / room).glob("*.py"))
    return [f"viz_core.{room}.{file.stem}" for file in files if file.stem != "__init__"]


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
    named = set()
    for file in (PROJECT / "viz_core" / room).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "viz_core":
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("viz_core."):
                named.add(node.module.split(".")[1])
    assert named <= DIRECT_ONLY[room]


def test_every_room_is_in_the_table():
    folder = PROJECT / "viz_core"
    found = {file.stem for file in folder.glob("*.py")} - {"__init__"}
    found |= {path.parent.name for path in folder.glob("*/*.py")} - {"__pycache__"}
    assert found <= set(ROOMS)


def test_every_room_of_the_house_is_in_the_table():
    found = {path.stem for path in (PROJECT / "viz_core").iterdir()
             if (path.suffix == ".py" or (path / "__init__.py").exists()) and path.stem != "__init__"}
    assert found == set(ROOMS)
