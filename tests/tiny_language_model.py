"""A tiny language model of ours, untrained: a checkpoint in memory, and its folder."""

from pathlib import Path

from tests.models.tiny import decoder
from viz_core import checkpoints
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.records import Metrics
from viz_core.tasks import get_task
from viz_core.text.building import SPECIAL, build_byte_pair_tokenizer

TASK = "imdb-text"
TEXTS = ("The film is not good.", "I liked the film, and the film liked me.")


BYTES = len(SPECIAL) + 256  # a vocabulary of so many tokens has no pairs: each byte is a token


def language_checkpoint(max_tokens: int = 32, seed: int = 0, vocabulary: int = 300, **sizes) -> Checkpoint:
    task = get_task(TASK)
    encoder = task.text_encoder(build_byte_pair_tokenizer(TEXTS, max_tokens, vocabulary))
    model = decoder(seed, vocabulary=encoder.vocabulary, max_tokens=max_tokens, width=16, **sizes)
    return Checkpoint("tiny", task, Settings(TASK, model.config, kind="decoder"), model, encoder, Metrics({}))


def save_language_model(
    root: Path, max_tokens: int = 32, seed: int = 0, name: str = "tiny", positions: str = "rotary", **metrics
) -> Path:
    """Saves it as `<root>/imdb-text/<name>` and returns that folder. metrics: further entries of its metrics."""
    checkpoint, folder = language_checkpoint(max_tokens, seed, positions=positions), root / TASK / name
    stored = {"task": TASK, **metrics}
    checkpoints.save(folder, checkpoint.settings, checkpoint.model, checkpoint.text_encoder, stored)
    return folder
