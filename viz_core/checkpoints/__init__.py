"""Checkpoints: save and load models with their tokenizer, settings and metrics, and write model cards."""

from viz_core.checkpoints.checkpoint import Checkpoint, CheckpointInfo
from viz_core.checkpoints.files import (
    CONFIG,
    FOLDER,
    METRICS,
    TOKENIZER,
    WEIGHTS,
    find,
    find_folder,
    folder,
    folders,
    list_checkpoints,
    load,
    load_folder,
    read_info,
    require_folder,
    save,
    save_metrics,
    save_settings,
    task_checkpoints,
)
from viz_core.checkpoints.further import FurtherModel, fetch_command, further_models
from viz_core.checkpoints.reading import CARD, read_card
from viz_core.checkpoints.settings import CAUTIONS, Settings
