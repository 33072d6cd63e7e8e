"""`make bench`: measures everything and writes docs/performance.md; --only and --quick print instead."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks import machine, tables

# A part is imported when it is measured, so that it needs none of the packages of the others. Those of the first two
# kinds are modules with `report(quick)`, which returns Markdown.
WITHOUT_BROWSER = ("load", "latency", "extraction", "evidence", "training")
ON_THE_PAGES = ("keys",)
IN_CHROMIUM = ("explorer", "bertviz")
PARTS = ON_THE_PAGES + WITHOUT_BROWSER + IN_CHROMIUM
FILE = Path(__file__).parents[1] / "docs" / "performance.md"


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    parts = [options.only] if options.only else PARTS
    modules = [part for part in ON_THE_PAGES + WITHOUT_BROWSER if part in parts]
    sections = [import_module(f"benchmarks.{part}").report(options.quick) for part in modules]
    if in_chromium := [part for part in IN_CHROMIUM if part in parts]:
        sections.insert(0, import_module("benchmarks.explorer_report").measure(in_chromium, options))
    sections.insert(0, machine.describe(with_browser=not set(parts) <= set(WITHOUT_BROWSER)))
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


if __name__ == "__main__":
    main()
