"""Attention Microscope: train small Transformer encoders and see what they attend to."""

import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viz_core.notebook import show

__all__ = ["show"]


def __getattr__(name: str) -> object:
    """Load `show` only where it is asked for: it imports torch, plotly and the analyses."""
    if name == "show":
        with warnings.catch_warnings():
            # tqdm warns in a notebook without ipywidgets, whose progress bars are not used here.
            warnings.filterwarnings("ignore", message="IProgress not found")
            from viz_core.notebook import show

            return show
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
