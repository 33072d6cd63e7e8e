"""Measures the explorer and BertViz's model view on the same inputs, and joins their tables."""

from argparse import Namespace
from collections.abc import Collection

from benchmarks import bertviz_page, explorer, machine, report
from benchmarks.explorer import Shape
from benchmarks.inputs import explanation
from benchmarks.notebook_page import Drawing, Limits

TOKENS, QUICK_TOKENS = (64, 128, 256, 512), (64, 128)
LARGE, LONG = Shape(512, 12, 12), Shape(1024, 30, 9)


def measure(parts: Collection[str], options: Namespace) -> str:
    """The section of the report, as Markdown. parts: `explorer`, `bertviz` or both. options: of the command line."""
    load = machine.load()
    limits = Limits(options.bertviz_limit, options.bertviz_memory * 1e9)
    drawings = _drawings(options, limits) if "bertviz" in parts else []
    if "explorer" in parts:
        body = report.explorer_tables(_measurements(options), drawings, limits, explorer.file_size())
    else:
        body = report.bertviz_table(drawings, limits)
    return f"{body}\n\n{machine.conditions(load)}"


def _drawings(options: Namespace, limits: Limits) -> list[Drawing]:
    """Measures BertViz's pages; a size that it cannot draw is not tried again."""
    repeats, drawings = 1 if options.quick else options.bertviz_repeats, []
    for count in QUICK_TOKENS if options.quick else TOKENS:
        for number in range(repeats):
            print(f"BertViz, {count} tokens: page {number + 1} of {repeats}", flush=True)
            drawings.append(bertviz_page.measure_explanation(explanation(count, *report.DEFAULT_HEADS, number), limits))
            if drawings[-1].draw_seconds is None:
                break
    return drawings


def _measurements(options: Namespace) -> list[explorer.Measurement]:
    repeats = 2 if options.quick else options.repeats
    sizes = [(Shape(tokens, *report.DEFAULT_HEADS), repeats) for tokens in (QUICK_TOKENS if options.quick else TOKENS)]
    return explorer.measure(sizes if options.quick else [*sizes, (LARGE, 2), (LONG, 2)])
