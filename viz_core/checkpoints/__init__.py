"""Checkpoints: a folder <-> a model with its tokenizer, settings and figures, and the card that is written from them."""

from viz_core.checkpoints.checkpoint import Checkpoint, CheckpointInfo
from viz_core.checkpoints.files import (
    CARD,
    CONFIG,
    FOLDER,
    METRICS,
    TOKENIZER,
    WEIGHTS,
    folder,
    list_checkpoints,
    load,
    load_folder,
    read_info,
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
    "CheckpointInfo",
    "Settings",
    "folder",
    "list_checkpoints",
    "load",
    "load_folder",
    "read_info",
    "save",
    "save_metrics",
    "save_settings",
    "usable",
]
