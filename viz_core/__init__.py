"""Attention Microscope: train small Transformer encoders and see what they attend to."""

import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viz_core.notebook import show

__all__ = ["show"]


def __getattr__(name: str) -> object:
    """`show`, which loads torch, plotly and the analyses, only where it is asked for."""
    if name == "show":
        with warnings.catch_warnings():
            # Of tqdm in a notebook without ipywidgets, whose progress bars are not used here.
            warnings.filterwarnings("ignore", message="IProgress not found")
            from viz_core.notebook import show

            return show
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
