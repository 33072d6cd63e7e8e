"""The figures in the model cards, computed again from the real corpora: `make check-real`."""

from __future__ import annotations

import pytest

from viz_core import checkpoints
from viz_core.analysis.evaluation import metrics
from viz_core.checkpoints import FOLDER
from viz_core.tasks import TASKS

pytestmark = pytest.mark.real


@pytest.mark.parametrize(
    "info", checkpoints.list_checkpoints(FOLDER)[0], ids=lambda info: f"{info.task}/{info.name}"
)
@pytest.mark.parametrize("split", ["validation", "test"])
def test_figures_of_the_card_are_those_of_the_weights(info, split):
    checkpoint = checkpoints.load(info.task, info.name, FOLDER)
    task, settings = TASKS[info.task], checkpoint.settings
    examples = task.examples(task.read(split), checkpoint.text)
    found = metrics(checkpoint.logits(examples), examples.labels, settings.temperature, settings.threshold)
    kept = info.metrics.test if split == "test" else info.metrics.validation
    assert found.n == kept.n and found.confusion == kept.confusion
    for name in ("accuracy", "auc", "mcc", "ece"):
        assert getattr(found, name) == pytest.approx(getattr(kept, name), abs=2e-4), name
