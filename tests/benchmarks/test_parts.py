"""The parts of `make bench` run and print their tables; speed is not tested.

Not tested: BertViz, which only `make bench` installs, and training, which takes minutes.
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
        pytest.param("evidence", ["leave-one-out", "every head masked in turn"], marks=pytest.mark.slow),
    ],
)
def test_part_prints_its_table(part, rows):
    assert_printed(part, rows)


@pytest.mark.slow
@pytest.mark.usefixtures("chromium")
def test_explorer_is_measured_in_its_page():
    assert_printed("explorer", ["4 × 8 heads, 64 tokens: click to drawn", "6 × 8 heads, 64 tokens"])


def assert_printed(part: str, rows: list[str]) -> None:
    """Runs a part and checks that each of these rows is printed with a number."""
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--only", part],
        cwd=PROJECT,
        capture_output=True,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert any(line.startswith("Measured on ") for line in lines) and any(line.startswith("## ") for line in lines)
    for row in rows:
        values = next((line for line in lines if line.startswith(f"| {row}")), "").split("|")[2:]
        assert any(any(character.isdigit() for character in value) for value in values), f"no numbers for {row}"
