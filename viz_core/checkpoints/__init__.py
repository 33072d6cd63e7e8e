"""Checkpoints: a folder <-> a model with its tokenizer, settings and figures, and the card that is written from them."""

from viz_core.checkpoints.checkpoint import Checkpoint, Listing
from viz_core.checkpoints.files import (
    CARD,
    CONFIG,
    FOLDER,
    METRICS,
    TOKENIZER,
    WEIGHTS,
    folder,
    listings,
    load,
    load_folder,
    read_listing,
    save,
    save_metrics,
    save_settings,
    usable,
)
from viz_core.checkpoints.settings import CAUTIONS, Settings

__all__ = [
    "CARD",
    "CAUTIONS",
    "CONFIG",
    "FOLDER",
    "METRICS",
    "TOKENIZER",
    "WEIGHTS",
    "Checkpoint",
    "Listing",
    "Settings",
    "folder",
    "listings",
    "load",
    "load_folder",
    "read_listing",
    "save",
    "save_metrics",
    "save_settings",
    "usable",
]
