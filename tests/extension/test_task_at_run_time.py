"""A task that appears while the process runs, with the words of its record: trained, measured, described, used."""

import json
import sys
from dataclasses import replace

import pytest

from tests.extension.conftest import SKIES, weather_task
from viz_core import __main__, checkpoints
from viz_core.commands.parser import build_parser
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.requests import has_data, request_first_evidence
from viz_core.jobs import runs
from viz_core.language import Translator
from viz_core.records import Failure
from viz_core.tasks import CLASSIFICATION, all_tasks, get_task, register, unregister
from viz_core.training.settings import TrainingSettings
from viz_core.training.train import train

pytestmark = pytest.mark.process  # it trains

WORDS = {
    "en": {"name": "Skies", "title": "Which sky?", "label_snow": "snowfall"},
    "zh": {"name": "天空", "title": "什么天气？", "label_snow": "下雪", "label_rain": "下雨"},
}
TEXT = "today there were mittens at home"


@pytest.fixture
def skies(tmp_path, monkeypatch, root):
    """Not in any file of the project: it comes after everything has been imported, and goes again."""
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "checkpoints"))
    task = weather_task(tmp_path, words=WORDS)
    task = replace(task, name="skies", corpus=replace(task.corpus, name="skies"))
    with pytest.raises(Failure, match="tasks.unknown"):
        TrainingSettings("skies", data="sample")
    register(task)
    yield task
    unregister("skies")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_is_called_what_its_record_says(skies, language):
    say, words = Translator(language), WORDS[language]
    assert (say("skies.name"), say("skies.title")) == (words["name"], words["title"])
    assert say("rendering.label_snow") == words["label_snow"]
    assert say("rendering.label_sun") == "sun", "what has no words has its name"
    assert say("skies.page") == say("tasks.page", task="skies")
    assert say("rendering.label_rain") == "下雨", "in the other language rather than not at all"


def test_it_is_trained_measured_described_and_used(skies, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "checkpoints/skies/small"
    train(TrainingSettings("skies", data="sample", device="cpu").training(), folder)
    checkpoint = checkpoints.load("skies", "small")
    assert checkpoint.task is skies and [info.name for info in checkpoints.task_checkpoints("skies")] == ["small"]
    card = (folder / checkpoints.CARD).read_text(encoding="utf-8")
    assert all(f"`{sky}`" in card for sky in SKIES) and "sample corpus of this project" in card
    assert has_data("skies", checkpoint.metrics)
    assert compute_evidence("health", "skies", "small", lambda done, total: None)["n"] > 0
    request_first_evidence(folder, "anna")
    assert [run.request.settings["task"] for run in runs.list_runs()] == ["skies"]
    for words in (
        ["predict", "--task", "skies", "--text", TEXT],
        ["evaluate", "--task", "skies", "--model", "small", "--data", "sample", "--split", "test", "--record"],
        ["probe", "--task", "skies", "--model", "small"],
        ["explain", "--task", "skies", "--text", TEXT, "--out", str(tmp_path / "x.npz")],
    ):
        monkeypatch.setattr(sys, "argv", ["viz_core", *words, "--json", "--lang", "en"])
        assert __main__.main() == 0, (words, capsys.readouterr().err)
        assert json.loads(capsys.readouterr().out)["model"] == "small"


def test_it_goes_again(skies):
    assert "skies" in all_tasks(CLASSIFICATION)
    assert build_parser().parse_args(["evaluate", "--task", "skies", "--model", "small"]).task == "skies"
    unregister("skies")
    try:
        with pytest.raises(Failure, match="tasks.unknown"):
            get_task("skies")
        with pytest.raises(SystemExit):
            build_parser().parse_args(["evaluate", "--task", "skies", "--model", "small"])
        with pytest.raises(KeyError):
            Translator("en")("skies.name")
    finally:
        register(skies)
