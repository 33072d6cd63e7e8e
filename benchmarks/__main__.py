"""`make bench`: measures everything and writes docs/performance.md, part by part; --only measures a single part."""

import argparse
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks import machine, tables

# A part is imported when it is measured, so that it needs none of the packages of the others. Each is a module with
# `report(quick)`, which returns Markdown, but for the last two, which are measured on the same inputs.
WITHOUT_BROWSER = ("load", "latency", "translation", "language_model", "extraction", "evidence", "patching", "training")
IN_CHROMIUM = ("explorer", "bertviz")
PARTS = ("explorer", "encoders", "keys", "inside", "heads", *WITHOUT_BROWSER)
FILE = Path(__file__).parents[1] / "docs" / "performance.md"


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    for part in [options.only] if options.only else PARTS:
        section = f"{measure(part, options)}\n\n{machine.describe(with_browser=part not in WITHOUT_BROWSER)}"
        if options.print or options.quick or part not in PARTS:
            print(section, flush=True)
        else:
            tables.write(FILE, f"measured, {part}", section)
            print(f"{part}: written to {FILE}", flush=True)


def measure(part: str, options: argparse.Namespace) -> str:
    """The section of a part, as Markdown. BertViz stands beside the explorer, but for a quick check of the explorer."""
    if part not in IN_CHROMIUM:
        return import_module(f"benchmarks.{part}").report(options.quick)
    together = part == "explorer" and not (options.only and options.quick)
    return import_module("benchmarks.explorer_report").measure(IN_CHROMIUM if together else [part], options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", choices=(*PARTS, "bertviz"), help="measure only this part (bertviz alone is printed)")
    parser.add_argument("--print", action="store_true", help="print the tables, and leave docs/performance.md as it is")
    parser.add_argument("--quick", action="store_true", help="short inputs, few repeats, printed: does it run at all?")
    parser.add_argument("--repeats", type=int, default=7, help="inputs per size; the first warms up (%(default)s)")
    parser.add_argument("--bertviz-repeats", type=int, default=3, help="pages per size (%(default)s)")
    parser.add_argument("--bertviz-limit", type=float, default=60, help="seconds to draw a page in (%(default)s)")
    parser.add_argument("--bertviz-memory", type=float, default=12, help="GB the renderer may take (%(default)s)")
    return parser


if __name__ == "__main__":
    main()
