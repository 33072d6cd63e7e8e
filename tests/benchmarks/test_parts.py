"""The parts of `make bench` still run and print their tables; how fast anything is proves nothing here.

Left out: BertViz, which is installed by `make bench` alone, and training, which takes minutes.
"""

from __future__ import annotations

import pytest
import torch

from benchmarks.__main__ import main


@pytest.fixture(autouse=True)
def as_many_threads_as_before():
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize(("part", "rows"), [
    ("latency", ["`imdb/small`, 2 × 4 × 64, 512 tokens", "`afqmc/small`, 4 × 4 × 128, 64 tokens"]),
    pytest.param("extraction", ["64", "512", "ours, all attention"], marks=pytest.mark.slow),
    pytest.param("evidence", ["leave one out", "every head masked in turn", "the whole section"], marks=pytest.mark.slow),
])
def test_a_part_prints_its_table(capsys, part, rows):
    assert_printed(part, rows, capsys)


@pytest.mark.slow
@pytest.mark.process
def test_the_explorer_is_measured_in_its_page(chromium, capsys):
    assert_printed("explorer", ["64 tokens, 4 × 8 heads: click to drawn", "6 × 8 heads, 64 tokens"], capsys)


def assert_printed(part: str, rows: list[str], capsys) -> None:
    main(["--quick", "--only", part])
    printed = capsys.readouterr().out.splitlines()
    assert any(line.startswith("Measured on ") for line in printed) and any(line.startswith("## ") for line in printed)
    for row in rows:
        values = next((line for line in printed if line.startswith(f"| {row}")), "").split("|")[2:]
        assert any(any(character.isdigit() for character in value) for value in values), f"no numbers for {row}"
