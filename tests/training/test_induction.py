"""An induction head forms with two layers and not with one, and finds what it copies by what it is, not where."""

from pathlib import Path

import numpy as np
import pytest

from pages.shared.tasks import PAGES
from viz_core import checkpoints
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.generation import continue_text, given_tokens, read_text
from viz_core.analysis.heads.statistics import given_statistics
from viz_core.checkpoints import Checkpoint
from viz_core.tasks import get_task
from viz_core.training.settings import TrainingSettings
from viz_core.training.train import train

TASK = "syllables"


def trained(root: Path, layers: int) -> Checkpoint:
    """The preset, with another number of layers."""
    settings = TrainingSettings(
        TASK, "small", f"small-{layers}", "sample", "cpu", {"layers": layers}, recipe={"evaluations": 1}
    )
    train(settings.training(), root / TASK / settings.name, lambda figures: None)
    return checkpoints.load(TASK, settings.name, root)


def scores(checkpoint: Checkpoint) -> np.ndarray:
    """The induction score of each head, `(L, H)`, as a mean over held-out texts."""
    texts = get_task(TASK).read("validation", "sample")["text"][:20]
    read = [read_text(checkpoint, given_tokens(checkpoint, text)) for text in texts]
    return np.mean([given_statistics(generation).induction for generation in read], axis=0)


def test_the_shipped_model_goes_on_with_the_whole_sequence_of_each_example():
    checkpoint = checkpoints.load(TASK, "small", checkpoints.FOLDER)
    for _, (text,) in PAGES[TASK].examples:
        words = text.split()
        before = words.index(words[-1])  # where the last syllable stood
        *_, generation = continue_text(checkpoint, text, Decoding(), 40)
        assert generation.written.split()[:15] == words[before + 1 : before + 16]
    assert scores(checkpoint)[1].max() >= 0.5 > 0.2 > scores(checkpoint)[0].max()


@pytest.mark.slow
@pytest.mark.process
def test_two_layers_copy_sequences_longer_than_any_in_training_and_one_layer_does_not(tmp_path):
    one, two = (trained(tmp_path, layers) for layers in (1, 2))
    losses = [model.metrics.entries["validation"]["repeated_loss"] for model in (one, two)]
    assert losses[0] > np.log(22), "it cannot tell which of the 22 to 26 syllables of a sequence comes next"
    assert losses[1] < losses[0] / 2
    assert scores(two)[1].max() >= 0.5 > 0.2 > scores(one).max()
