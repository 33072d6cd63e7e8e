"""A tiny language model of film reviews, untrained: a checkpoint in memory, and its folder."""

from pathlib import Path

from tests.models.tiny import decoder
from viz_core import checkpoints
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.records import Metrics
from viz_core.tasks import get_task
from viz_core.text.building import SPECIAL, build_byte_pair_tokenizer

TASK = "imdb-text"
BYTES = len(SPECIAL) + 256  # a vocabulary of so many tokens has no pairs: each byte is a token


def language_checkpoint(seed: int = 0, max_tokens: int = 32, name: str = "tiny") -> Checkpoint:
    """Of 3 layers with 2 heads, with a vocabulary of bytes."""
    task = get_task(TASK)
    encoder = task.text_encoder(build_byte_pair_tokenizer(["film"], max_tokens, BYTES))
    model = decoder(seed, vocabulary=encoder.vocabulary, max_tokens=max_tokens, layers=3)
    return Checkpoint(name, task, Settings(TASK, model.config, kind="decoder"), model, encoder, Metrics({}))


def save_language_model(root: Path, seed: int = 0, name: str = "tiny", **metrics) -> Path:
    """Saves it as `<root>/imdb-text/<name>` and returns that folder. metrics: further entries of its metrics."""
    checkpoint, folder = language_checkpoint(seed), root / TASK / name
    stored = {"task": TASK, "data": "sample", **metrics}
    checkpoints.save(folder, checkpoint.settings, checkpoint.model, checkpoint.text_encoder, stored)
    return folder
