"""The figures in the model cards, computed again from the real corpora: `make check-real`."""

from __future__ import annotations

import pytest

from viz_core import checkpoints
from viz_core.analysis.evaluation import metrics
from viz_core.checkpoints import FOLDER
from viz_core.tasks import TASKS

pytestmark = pytest.mark.real


@pytest.mark.parametrize(
    "listing", checkpoints.listings(FOLDER)[0], ids=lambda listing: f"{listing.task}/{listing.name}"
)
@pytest.mark.parametrize("split", ["validation", "test"])
def test_figures_of_the_card_are_those_of_the_weights(listing, split):
    checkpoint = checkpoints.load(listing.task, listing.name, FOLDER)
    task, settings = TASKS[listing.task], checkpoint.settings
    examples = task.examples(task.read(split), checkpoint.text)
    found = metrics(checkpoint.logits(examples), examples.labels, settings.temperature, settings.threshold)
    kept = listing.metrics.test if split == "test" else listing.metrics.validation
    assert found.n == kept.n and found.confusion == kept.confusion
    for name in ("accuracy", "auc", "mcc", "ece"):
        assert getattr(found, name) == pytest.approx(getattr(kept, name), abs=2e-4), name
