"""Calling the command line as a process of its own, and what its tests ask it for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
REVIEW = ("--task", "imdb", "--text", "not a good film")
PAIR = ("--task", "afqmc", "--text", "花呗怎么还", "--text-b", "借呗如何还款")


def module(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "viz_core", *arguments],
        cwd=PROJECT,
        text=True,
        encoding="utf-8",
        capture_output=True,
        env={**os.environ, **environment},
    )
