"""The metrics in the model cards, recomputed on the real corpora: `make check-real`."""

import pytest

from viz_core import checkpoints
from viz_core.analysis.evaluation.metrics import metrics
from viz_core.analysis.translation.translating import measure_translations
from viz_core.checkpoints import FOLDER
from viz_core.records import TranslationFigures
from viz_core.tasks import CLASSIFICATION, TRANSLATION, all_tasks, get_task

pytestmark = pytest.mark.real
CLASSIFIERS = checkpoints.list_checkpoints(FOLDER, all_tasks(CLASSIFICATION))[0]
TRANSLATIONS = checkpoints.list_checkpoints(FOLDER, all_tasks(TRANSLATION))[0]


@pytest.mark.parametrize("info", CLASSIFIERS, ids=lambda info: f"{info.task}/{info.name}")
@pytest.mark.parametrize("split", ["validation", "test"])
def test_metrics_in_the_card_are_those_of_the_weights(info, split):
    checkpoint = checkpoints.load(info.task, info.name, FOLDER)
    task, settings = get_task(info.task), checkpoint.settings
    examples = task.examples(task.read(split), checkpoint.text_encoder)
    computed = metrics(checkpoint.logits(examples), examples.labels, settings.temperature, settings.threshold)
    saved = info.metrics.test if split == "test" else info.metrics.validation
    assert computed.n == saved.n and computed.confusion == saved.confusion
    for name in ("accuracy", "auc", "mcc", "ece"):
        assert getattr(computed, name) == pytest.approx(getattr(saved, name), abs=2e-4), name


@pytest.mark.parametrize("info", TRANSLATIONS, ids=lambda info: f"{info.task}/{info.name}")
@pytest.mark.parametrize("split", ["validation", "test"])
def test_scores_in_the_card_are_those_of_the_weights(info, split):
    checkpoint = checkpoints.load(info.task, info.name, FOLDER)
    read = checkpoint.task.read
    computed = measure_translations(checkpoint.model, checkpoint.text_encoder, read(split), read("train"))
    entries = info.metrics.entries
    assert computed.is_close(TranslationFigures.from_dict(entries if split == "test" else entries["validation"]))
