"""Behavioural tests, written for this project: each text tests one capability, such as negation.

Categories are capabilities (Ribeiro et al. 2020, section 2). Most tests come in twos that differ in
little and have opposite labels (contrast sets, Gardner et al. 2020, section 2). Categories are
balanced: the majority-class baseline reaches 50%.
"""

import json
from functools import cache
from pathlib import Path

from viz_core.records import BehaviouralTest

FOLDER = Path(__file__).with_name("behavioural_tests")


@cache
def read_behavioural_tests(file: str) -> tuple[BehaviouralTest, ...]:
    """Read the behavioural tests in a file of FOLDER, category by category."""
    rows = map(json.loads, (FOLDER / file).read_text(encoding="utf-8").splitlines())
    return tuple(
        BehaviouralTest(
            row["category"], tuple(row[name] for name in ("text", "text_b") if name in row), row["expected"]
        )
        for row in rows
    )
