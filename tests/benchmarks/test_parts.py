"""The parts of `make bench` still run and print their tables; how fast anything is proves nothing here.

Left out: BertViz, which is installed by `make bench` alone, and training, which takes minutes.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.browser import PROJECT

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("part", "rows"),
    [
        ("latency", ["`imdb/small`, 2 × 4 × 64, 512 tokens", "`afqmc/small`, 4 × 4 × 128, 64 tokens"]),
        pytest.param("extraction", ["64", "512", "ours, all attention"], marks=pytest.mark.slow),
        pytest.param("evidence", ["leave one out", "every head masked in turn"], marks=pytest.mark.slow),
    ],
)
def test_a_part_prints_its_table(part, rows):
    assert_printed(part, rows)


@pytest.mark.slow
@pytest.mark.usefixtures("chromium")
def test_the_explorer_is_measured_in_its_page():
    assert_printed("explorer", ["4 × 8 heads, 64 tokens: click to drawn", "6 × 8 heads, 64 tokens"])


def assert_printed(part: str, rows: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--only", part],
        cwd=PROJECT,
        capture_output=True,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stderr
    printed = run.stdout.splitlines()
    assert any(line.startswith("Measured on ") for line in printed) and any(line.startswith("## ") for line in printed)
    for row in rows:
        values = next((line for line in printed if line.startswith(f"| {row}")), "").split("|")[2:]
        assert any(any(character.isdigit() for character in value) for value in values), f"no numbers for {row}"
