"""The parts of `make bench` run and print their tables; speed is not tested.

Not tested: BertViz, which only `make bench` installs, and training, which takes minutes.
"""

import subprocess
import sys
from collections.abc import Sequence

import pytest
import torch.nn.functional as F

from benchmarks import extraction
from tests.browser import PROJECT

pytestmark = pytest.mark.process

# `make bench` installs these, not the app. A part of a benchmark that needs none of them runs where they are missing.
EXTRA = ("bertviz", "IPython", "playwright")
WITHOUT_EXTRA = """
import runpy, sys
sys.modules.update(dict.fromkeys({extra!r}))  # importing them raises ModuleNotFoundError
runpy.run_module("benchmarks", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(
    ("part", "rows"),
    [
        pytest.param(
            "latency",
            [
                "`imdb/small`, 2 × 4 × 64, 512 tokens",
                "`afqmc/small`, 4 × 4 × 128, 64 tokens",
                "`thucnews/small`, 2 × 4 × 128, 64 tokens",
                "`thucnews/small-words`, 2 × 4 × 128, 64 tokens",
            ],
            marks=pytest.mark.slow,
        ),
        pytest.param("translation", ["for comparison: a request"], marks=pytest.mark.slow),
        pytest.param(
            "language_model", ["ours, everything", "a key at the end", "one HTML file"], marks=pytest.mark.slow
        ),
        pytest.param("extraction", ["1 thread, 64", "1 thread, 512", "ours, all attention"], marks=pytest.mark.slow),
        pytest.param("load", ["3 thinking, sentiment", "3 typing, sentiment"], marks=pytest.mark.slow),
        pytest.param("evidence", ["leave-one-out", "every head masked in turn"], marks=pytest.mark.slow),
        pytest.param("patching", ["`imdb/small`, 32 tokens: estimate", "map of `heads`"], marks=pytest.mark.slow),
    ],
)
def test_part_prints_its_table_without_browser_and_bertviz(part, rows):
    assert_printed(part, rows, ["-c", WITHOUT_EXTRA.format(extra=EXTRA)])


def test_fused_pass_to_compare_with_has_no_mask(monkeypatch):
    masks, original = [], F.scaled_dot_product_attention
    monkeypatch.setattr(
        F,
        "scaled_dot_product_attention",
        lambda *args, attn_mask=None, **options: masks.append(attn_mask) or original(*args, **options),
    )
    extraction._variants(8)["fused"]()
    assert masks == [None] * extraction.CONFIG.layers


@pytest.mark.slow
@pytest.mark.usefixtures("chromium")
def test_explorer_is_measured_in_its_page():
    assert_printed("explorer", ["4 × 8 heads, 64 tokens: click to drawn", "6 × 8 heads, 64 tokens"])


@pytest.mark.slow
@pytest.mark.usefixtures("chromium")
def test_keys_are_timed_on_the_pages():
    assert_printed("keys", ["`imdb/small`, 64 tokens: key to everything drawn", "renderer memory after 20"])


@pytest.mark.slow
@pytest.mark.usefixtures("chromium")
def test_the_way_into_a_weight_is_timed_on_the_pages():
    assert_printed(
        "inside", [f"`afqmc/small`, a pair of 63 tokens: {name}" for name in ("click to drawn", "script of a step")]
    )


@pytest.mark.slow
@pytest.mark.usefixtures("chromium")
def test_the_atlas_and_the_page_of_a_head_are_timed():
    assert_printed("heads", [f"`imdb/random`, 12 × 12 heads: click to {name}" for name in ("atlas", "the page of")])


def assert_printed(part: str, rows: list[str], program: Sequence[str] = ("-m", "benchmarks")) -> None:
    """Runs a part and checks that each of these rows is printed with a number, and under what load."""
    run = subprocess.run(
        [sys.executable, *program, "--quick", "--only", part], cwd=PROJECT, capture_output=True, encoding="utf-8"
    )
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert any(line.startswith("Measured on ") for line in lines) and any(line.startswith("## ") for line in lines)
    assert "Load average in the minute before" in run.stdout
    for row in rows:
        values = next((line for line in lines if line.startswith(f"| {row}")), "").split("|")[2:]
        assert any(any(character.isdigit() for character in value) for value in values), f"no numbers for {row}"
