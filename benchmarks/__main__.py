"""`make bench`: measures everything and writes docs/performance.md; --only and --quick print instead."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import bertviz_page, evidence, explorer, extraction, latency, machine, report, tables, training
from benchmarks.bertviz_page import Drawing, Limits
from benchmarks.explorer import Shape
from benchmarks.inputs import explanation

PARTS = ("latency", "extraction", "explorer", "bertviz", "evidence", "training")
IN_CHROMIUM = {"explorer", "bertviz"}
FILE = Path(__file__).parents[1] / "docs" / "performance.md"
TOKENS, QUICK_TOKENS = (64, 128, 256, 512), (64, 128)
LARGE = Shape(512, 12, 12)


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    parts = [options.only] if options.only else PARTS
    tokens = QUICK_TOKENS if options.quick else TOKENS
    limits = Limits(options.bertviz_limit, options.bertviz_memory * 1e9)
    load, drawings, sections = machine.load(), [], []
    if "latency" in parts:
        sections.append(latency.report(options.quick))
    if "extraction" in parts:
        sections.append(extraction.report(options.quick))
    if "evidence" in parts:
        sections.append(evidence.report(options.quick))
    if "training" in parts:
        sections.append(training.report(options.quick))
    if "bertviz" in parts:
        drawings = _drawings(tokens, 1 if options.quick else options.bertviz_repeats, limits)
    if "explorer" in parts:
        sections.insert(0, _explorer(tokens, options, drawings, limits))
    elif drawings:
        sections.insert(0, report.bertviz_table(drawings, limits))
    sections.insert(0, machine.describe(load, bool(IN_CHROMIUM & set(parts))))
    if options.only or options.quick:
        print(*sections, sep="\n\n")
    else:
        tables.write(FILE, sections)
        print(f"written: {FILE}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="measure only this part, and print it")
    parser.add_argument("--quick", action="store_true", help="short inputs, few repeats, printed: does it run at all?")
    parser.add_argument("--repeats", type=int, default=7, help="inputs per size; the first warms up (%(default)s)")
    parser.add_argument("--bertviz-repeats", type=int, default=3, help="pages per size (%(default)s)")
    parser.add_argument("--bertviz-limit", type=float, default=60, help="seconds to draw a page in (%(default)s)")
    parser.add_argument("--bertviz-memory", type=float, default=12, help="GB the renderer may take (%(default)s)")
    return parser


def _drawings(tokens: Sequence[int], repeats: int, limits: Limits) -> list[Drawing]:
    """Measures BertViz's pages; a size that it cannot draw is not tried again."""
    drawings = []
    for count in tokens:
        for number in range(repeats):
            print(f"BertViz, {count} tokens: page {number + 1} of {repeats}", flush=True)
            drawings.append(bertviz_page.measure(explanation(count, *report.DEFAULT_HEADS, number), limits))
            if drawings[-1].draw_seconds is None:
                break
    return drawings


def _explorer(tokens: Sequence[int], options: argparse.Namespace, drawings: Sequence[Drawing], limits: Limits) -> str:
    repeats = 2 if options.quick else options.repeats
    sizes = [(Shape(count, *report.DEFAULT_HEADS), repeats) for count in tokens] + (
        [] if options.quick else [(LARGE, 2)]
    )
    measurements = explorer.measure(sizes)
    return report.explorer_tables(measurements, drawings, limits, explorer.file_size())


if __name__ == "__main__":
    main()
