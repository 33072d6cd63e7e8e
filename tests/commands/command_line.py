"""Runs the command line in a process of its own; example inputs."""

import os
import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
REVIEW = ("--task", "imdb", "--text", "not a good film")
PAIR = ("--task", "afqmc", "--text", "花呗怎么还", "--text-b", "借呗如何还款")


def drawn(file: Path) -> str:
    """The HTML of a figure, in which Plotly writes characters beyond ASCII as escapes."""
    html = file.read_text(encoding="utf-8")
    return re.sub(r"\\u([0-9a-f]{4})", lambda escape: chr(int(escape[1], 16)), html)


def run_module(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Runs `python -m viz_core` with these arguments; warnings are errors."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "viz_core", *arguments],
        cwd=PROJECT,
        text=True,
        encoding="utf-8",
        capture_output=True,
        env={**os.environ, **environment},
    )
