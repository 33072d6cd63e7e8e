"""Where the sources are, and the address that the tests serve them from."""

from pathlib import Path

from viz_core import explorer

EXPLORER = Path(explorer.__file__).parent
SOURCE = EXPLORER / "source"
HOST = "http://explorer.test/"  # does not exist: requests are served from SOURCE or aborted
