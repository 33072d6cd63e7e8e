"""Texts written for this project that probe one thing at a time: negation, contrast, numbers, the order of words …

Most stand in twos that differ in little and mean the opposite, as contrast sets do (Gardner et al. 2020, section 2); categories
by what a model should be able to do are those of behavioural testing (Ribeiro et al. 2020, section 2). Half of each category
has either answer, so that a model that always answers the same is right for 50 %.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from viz_core.records import BehaviouralTest

FOLDER = Path(__file__).with_name("behavioural_tests")


@cache
def read_behavioural_tests(file: str) -> tuple[BehaviouralTest, ...]:
    """The behavioural tests in a file of FOLDER, category by category."""
    rows = map(json.loads, (FOLDER / file).read_text(encoding="utf-8").splitlines())
    return tuple(
        BehaviouralTest(row["category"], tuple(row[name] for name in ("text", "text_b") if name in row), row["expected"])
        for row in rows
    )
