"""Attention Microscope: train small Transformer encoders and see what they attend to."""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viz_core.notebook import show
    from viz_core.notebook_heads import show_heads
    from viz_core.notebook_patching import show_patching

__all__ = ["show", "show_heads", "show_patching"]
_MODULES = {"show": "notebook", "show_heads": "notebook_heads", "show_patching": "notebook_patching"}


def __getattr__(name: str) -> object:
    """Load what notebooks use only where it is asked for: it imports torch, plotly and the analyses."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with warnings.catch_warnings():
        # tqdm warns in a notebook without ipywidgets, whose progress bars are not used here.
        warnings.filterwarnings("ignore", message="IProgress not found")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
