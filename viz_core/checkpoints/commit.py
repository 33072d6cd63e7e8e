"""The commit of the code, for what is stored with a model."""

from __future__ import annotations

import subprocess
from pathlib import Path


def current_commit() -> str:
    """The commit of the code if it runs from a git checkout, else `unknown`."""
    command = ["git", "rev-parse", "HEAD"]  # whichever git the person uses, hence no path (S607)
    try:
        result = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)  # noqa: S607
    except OSError:  # git is not installed
        return "unknown"
    return result.stdout.strip() or "unknown"
