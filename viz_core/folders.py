"""Where the files of the project are, in a checkout and installed. Nothing else decides that.

In a checkout all of them are in it. `pip install` puts the code, and what ships with it, where nobody should write;
what is written (runs, saved models, corpora) is then in `attention-microscope` in the person's home, or in `VIZ_HOME`.
"""

import os
import subprocess
from pathlib import Path

from viz_core.variables import HOME

CODE = Path(__file__).parents[1]  # what must be on Python's path to import viz_core
_INSTALLED = CODE / "attention_microscope"  # made by the wheel (pyproject.toml)
IS_INSTALLED = _INSTALLED.is_dir()

SHIPPED = _INSTALLED if IS_INSTALLED else CODE  # app.py, pages, checkpoints, requirements.txt; only read if installed
DOCUMENTS = SHIPPED / "site"  # the documents as a site, if `make docs` has built it
# runs/, checkpoints/ and data/ are written here.
PROJECT = Path(os.environ.get(HOME) or (Path.home() / "attention-microscope" if IS_INSTALLED else CODE))


def current_commit() -> str:
    """The commit of the code, for what is stored with a model, if it runs from a git checkout, else `unknown`."""
    if IS_INSTALLED:  # a repository around it is somebody else's
        return "unknown"
    command = ["git", "rev-parse", "HEAD"]  # whichever git the person uses, hence no path (S607)
    try:
        result = subprocess.run(command, cwd=CODE, capture_output=True, text=True)  # noqa: S607
    except OSError:  # git is not installed
        return "unknown"
    return result.stdout.strip() or "unknown"
