"""docs/notebook.ipynb: its cells run one after another, as in a notebook, and show what the text between them says."""

import ast
import json
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "docs" / "notebook.ipynb"
CELLS = json.loads(FILE.read_text(encoding="utf-8"))["cells"]
CODE = [cell for cell in CELLS if cell["cell_type"] == "code"]


def run_cell(source: str, names: dict) -> object:
    """Runs a cell with the names of those before; returns the value of its last line if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(FILE), "exec"), names)
    return eval(compile(ast.Expression(last.value), str(FILE), "eval"), names) if last else None


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """By the first words of each cell, what it shows; files are written into a folder of the test."""
    names, folder = {}, tmp_path_factory.mktemp("notebook")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        values = [run_cell("".join(cell["source"]), names) for cell in CODE]
    return values, names, folder


def test_the_explorer_is_drawn_where_the_text_says(outputs):
    values, _, folder = outputs
    drawn = [value._repr_html_() for value in values if hasattr(value, "_repr_html_")]
    assert [html.startswith("<iframe srcdoc=") for html in drawn] == [True, True, False], "the third is a table"
    assert "superb" in values[0].document and '<html lang="zh">' in values[1].document
    assert (folder / "attention.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_numbers_are_what_the_text_calls_them(outputs):
    values, names, _ = outputs
    explanation, table = names["explanation"], names["table"]
    assert values[2][2] == explanation.attention.shape
    assert sum(values[2][1].values()) == pytest.approx(1, abs=2e-3)
    assert values[3] == pytest.approx((1, 1), abs=1e-5)
    layers, heads, tokens = explanation.attention.shape[:3]
    assert table.index[-1] == "uniform" and table.loc["uniform", "entropy"] == 1
    assert table.loc["uniform", "sep"] == pytest.approx(2 / tokens), "two of the tokens are [SEP]"
    assert table.drop("uniform")[["previous", "next"]].max().min() > 0.5, "there are such heads, as in BERT"
    assert values[-2].shape == (layers, heads)


def test_outputs_are_not_stored():
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in CODE)
