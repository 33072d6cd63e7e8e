"""Trainings on sequences that occur twice: the form without a choice of data, and the scores of heads over time."""

import base64
import json

import numpy as np
import pytest

from tests.models.tiny import decoder
from tests.pages.fake_runs import make_run, open_training
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.jobs import runs as jobs
from viz_core.tasks import LANGUAGE_MODEL, get_task
from viz_core.text.building import build_word_tokenizer
from viz_core.text.tokenizer import TextEncoder
from viz_core.training.kinds import training_kind
from viz_core.training.settings import TrainingSettings
from viz_core.training.snapshots import write_snapshot

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]
TASK = "syllables"


def make_language_run(text: str) -> jobs.Run:
    """A finished training of two evaluations, with a snapshot of a pinned text at each."""
    run = make_run(name="copies", task=TASK, evaluations=0, pinned=[[text]])
    rows = [
        {"phase": "train", "evaluation": number, "epoch": number, "step": number, "loss": 4.0, "validation_loss": 4.0}
        | {"perplexity": 50.0, "repeated_loss": 4.0 / number, "lr": 1e-3, "tokens_per_second": 1000}
        for number in (1, 2)
    ]
    (run.path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    encoder = TextEncoder(build_word_tokenizer([text], 64, min_count=1))
    for evaluation in (0, 1, 2):
        model = decoder(evaluation, vocabulary=encoder.vocabulary, max_tokens=64)
        checkpoint = Checkpoint(
            "tiny", get_task(TASK), Settings(TASK, model.config, kind="decoder"), model, encoder, None
        )
        write_snapshot(run.path, evaluation, 0, training_kind(LANGUAGE_MODEL).explain(checkpoint, (text,)))
    return jobs.read(run.id)


def charts(app) -> dict[str, list[dict]]:
    """The lines of each chart about copying."""
    found = {chart.proto.id: json.loads(chart.proto.spec)["data"] for chart in app.get("plotly_chart")}
    names = ("curve_repeated_loss", "scores_previous", "scores_induction")
    return {name: lines for name in names for key, lines in found.items() if name in key}


def numbers(array: list | dict) -> list[float]:
    """The numbers of an array as Plotly packs it."""
    if isinstance(array, list):
        return array
    return np.frombuffer(base64.b64decode(array["bdata"]), array["dtype"]).tolist()


def test_the_form_has_no_choice_of_data_and_compares_one_layer_with_two():
    app = open_training(task=TASK)
    assert not app.exception and f"train_data_{TASK}" not in {widget.key for widget in app.get("button_group")}
    assert not app.button(key="start").disabled
    app.button(key="depths").click().run()
    listed = [TrainingSettings.from_request(run.request) for run in reversed(jobs.list_runs())]
    assert [(run.data, run.training().config.layers) for run in listed] == [("sample", 1), ("sample", 2)]
    for (text,) in listed[0].pinned:
        words = text.split()
        assert any(words.count(word) > 1 for word in words), "the pinned inputs repeat something"


def test_scores_of_all_heads_are_drawn_over_the_evaluations():
    make_language_run("ba be bi ba be")
    app = open_training()
    found = charts(app)
    assert not app.exception and numbers(found["curve_repeated_loss"][0]["y"]) == [4, 2]
    for name in ("scores_previous", "scores_induction"):
        assert [line["name"] for line in found[name]] == ["1.1", "1.2", "2.1", "2.2"]
        assert all(numbers(line["x"]) == [0, 1, 2] for line in found[name])


def test_where_no_pinned_text_repeats_anything_there_are_no_scores():
    make_language_run("ba be bi")
    app = open_training()
    assert not app.exception and list(charts(app)) == ["curve_repeated_loss"], "under More"
