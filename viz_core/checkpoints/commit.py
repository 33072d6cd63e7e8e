"""The commit of the code, for what is stored with a model."""

import subprocess

from viz_core.folders import CODE, IS_INSTALLED


def current_commit() -> str:
    """The commit of the code if it runs from a git checkout, else `unknown`."""
    if IS_INSTALLED:  # a repository around it is somebody else's
        return "unknown"
    command = ["git", "rev-parse", "HEAD"]  # whichever git the person uses, hence no path (S607)
    try:
        result = subprocess.run(command, cwd=CODE, capture_output=True, text=True)  # noqa: S607
    except OSError:  # git is not installed
        return "unknown"
    return result.stdout.strip() or "unknown"
