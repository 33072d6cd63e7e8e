"""Which package may import which (docs/architecture.md), checked by importing each in a fresh interpreter."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
TORCH, PLOTLY, STREAMLIT = "torch", "plotly", "streamlit"

# Packages with their own dependencies.
TASKS = {"tasks", "recipes", "language", "records", "text", "datasets", "bounded_json", "files", "folders"}
ANALYSIS = {"analysis", "statistics", "models", "checkpoints", "weights_header", "names", *TASKS}

# package or module: (ours that it may load, third-party packages that it may not load)
PACKAGES = {
    "records": ({"records"}, {TORCH, PLOTLY, STREAMLIT}),
    "language": ({"language", "records"}, {TORCH, PLOTLY, STREAMLIT}),
    "bounded_json": ({"bounded_json"}, {TORCH, PLOTLY, STREAMLIT, "pandas", "numpy"}),
    "text": ({"text", "records", "bounded_json"}, {TORCH, PLOTLY, STREAMLIT}),
    "datasets": ({"datasets", "records", "bounded_json", "folders"}, {TORCH, PLOTLY, STREAMLIT}),
    "weights_header": ({"weights_header", "records", "bounded_json"}, {TORCH, PLOTLY, STREAMLIT, "pandas"}),
    "models": ({"models"}, {PLOTLY, STREAMLIT}),
    "recipes": ({"recipes"}, {TORCH, PLOTLY, STREAMLIT}),
    "tasks": (TASKS, {TORCH, PLOTLY, STREAMLIT}),
    "checkpoints": ({"checkpoints", "weights_header", "models", "names", *TASKS}, {PLOTLY, STREAMLIT}),
    "adapters": ({"adapters", "checkpoints", "weights_header", "models", "names", *TASKS}, {PLOTLY, STREAMLIT}),
    "variables": (set(), {TORCH, PLOTLY, STREAMLIT, "pandas", "numpy"}),
    "servers": ({"servers"}, {TORCH, PLOTLY, STREAMLIT, "pandas", "numpy"}),
    "secret_key": ({"secret_key"}, {TORCH, PLOTLY, STREAMLIT, "pandas", "numpy"}),
    "files": ({"files"}, {TORCH, PLOTLY, STREAMLIT, "pandas", "numpy"}),
    "names": ({"names", "records"}, {TORCH, PLOTLY, STREAMLIT}),
    "folders": ({"folders"}, {TORCH, PLOTLY, STREAMLIT, "pandas", "numpy"}),
    "log": ({"log"}, {TORCH, PLOTLY, STREAMLIT, "pandas"}),
    "jobs": (
        {"jobs", "records", "language", "log", "files", "folders", "names", "bounded_json"},
        {TORCH, PLOTLY, STREAMLIT, "pandas"},
    ),
    "statistics": ({"statistics"}, {TORCH, PLOTLY, STREAMLIT}),
    "tables": ({"tables", "records"}, {TORCH, PLOTLY, STREAMLIT}),
    "analysis": (ANALYSIS, {PLOTLY, STREAMLIT}),
    "training": (
        {"training", "evidence", "names", "adapters", "log", "language", "jobs", "tables", *ANALYSIS},
        {PLOTLY, STREAMLIT, "transformers"},
    ),
    "evidence": ({"evidence", "names", "log", "language", "jobs", *ANALYSIS}, {PLOTLY, STREAMLIT}),
    "batch_prediction": (
        {"batch_prediction", "names", "log", "language", "tables", "evidence", "jobs", *ANALYSIS},
        {PLOTLY, STREAMLIT},
    ),
    "rendering": ({"rendering", "records", "language"}, {TORCH, STREAMLIT}),
    "lessons": ({"lessons", "rendering", *TASKS}, {TORCH, STREAMLIT}),
    "explorer": ({"explorer", "rendering", "records", "language"}, {TORCH, STREAMLIT}),
    "__main__": (None, {STREAMLIT}),
    "notebook": (None, {STREAMLIT}),
    "notebook_heads": (None, {STREAMLIT}),
    "notebook_patching": (None, {STREAMLIT}),
    "commands": (None, {STREAMLIT}),  # the commands of __main__
}
# Direct imports only: `checkpoints` itself loads `tasks`, which loads the corpora.
DIRECT_ONLY = {"analysis": {"records", "models", "text", "checkpoints", "statistics", "analysis"}}


def modules(package: str) -> list[str]:
    """The module_name names of a module, or of a package and all its modules."""
    return [f"viz_core.{package}", *(module_name(file) for file in source_files(package) if file.stem != "__init__")]


def source_files(package: str) -> list[Path]:
    """The modules of a package and of the packages in it."""
    files = sorted((PROJECT / "viz_core" / package).rglob("*.py"))
    return [file for file in files if "node_modules" not in file.parts]


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(PROJECT).with_suffix("").parts)


def load_modules(names: list[str]) -> set[str]:
    """The contents of sys.modules after importing the modules in a fresh interpreter."""
    code = (
        f"import importlib, json, sys; [importlib.import_module(n) for n in {names!r}]; "
        "print(json.dumps(list(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout))


@pytest.mark.process
@pytest.mark.slow  # a process each
@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_loads_only_allowed_modules(package):
    allowed, forbidden = PACKAGES[package]
    names = load_modules(modules(package))
    assert {name.partition(".")[0] for name in names} & forbidden == set()
    packages = {name.split(".")[1] for name in names if name.startswith("viz_core.")}
    assert allowed is None or packages <= {*allowed, "variables"}  # names, which everyone may read


@pytest.mark.parametrize("package", DIRECT_ONLY)
def test_direct_imports_of_a_package_are_allowed(package):
    names = {name for file in source_files(package) for name in imports_of(file)}
    assert {name.split(".")[1] for name in names if name.startswith("viz_core.")} <= DIRECT_ONLY[package]


# package or module in pages: the others that it may import
PAGES = {
    "frame": {"kinds", "home", "lessons", "shared", "generation", "inside", "models", "head"}
    | {"evaluation", "training", "own_data"},
    "kinds": {"shared", "routes", "explore", "inside", "models", "evaluation", "translation"},
    "home": {"shared", "explore"},
    "lessons": {"shared"},
    "shared": set(),
    "routes": {"shared"},
    "explore": {"shared", "routes"},
    "inside": {"shared", "routes"},
    "models": {"shared"},
    "head": {"shared"},
    "evaluation": {"shared"},
    "training": {"shared"},
    "own_data": {"shared"},
    "translation": {"shared", "routes"},
    "generation": {"shared", "routes"},
}


def imports_of(file: Path) -> set[str]:
    """The module_name names of all modules that a file imports, also inside functions."""
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


def page_imports(package: str) -> set[str]:
    folder = PROJECT / "pages"
    files = [folder / f"{package}.py"] if (folder / f"{package}.py").exists() else (folder / package).rglob("*.py")
    return {name for file in files for name in imports_of(file)}


@pytest.mark.parametrize("package", PAGES)
def test_imports_of_pages_are_allowed(package):
    names = page_imports(package)
    packages = {name.split(".")[1] for name in names if name.startswith("pages.")}
    assert packages <= {package, *PAGES[package]}
    assert not any(name.split(".")[0] == "torch" for name in names)
    training = {name for name in names if name.startswith("viz_core.training")}
    assert training <= ({"viz_core.training.door"} if package in ("training", "own_data", "shared") else set())


def test_every_package_of_pages_is_in_the_table():
    paths = [path for path in (PROJECT / "pages").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    assert {path.stem for path in paths} - {"__init__"} == set(PAGES)


@pytest.mark.process
def test_references_are_resolved_and_folders_judged_without_torch_and_transformers():
    names = load_modules(["viz_core.adapters.references", "viz_core.adapters.folder", "viz_core.adapters.opening"])
    assert "transformers" not in names
    assert TORCH not in load_modules(["viz_core.adapters.references", "viz_core.adapters.folder"])


def test_imported_modules_are_told_apart_from_imported_names():
    assert imports_of(PROJECT / "pages/home/cards.py") >= {
        "pages.shared.navigation",
        "pages.shared.visitor",
        "streamlit",
    }


def test_every_package_is_in_the_table():
    names = {
        path.stem
        for path in (PROJECT / "viz_core").iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and path.stem != "__init__"
    }
    assert names == set(PACKAGES)
