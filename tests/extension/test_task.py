"""A third task, with three classes: briefly trained, then used by all analyses, evidence, commands and pages."""

import io
import json
import sys

import numpy as np
import pytest

from tests.pages.app import open_page
from viz_core import __main__, checkpoints
from viz_core.analysis.attribution.agreement import agreement
from viz_core.analysis.attribution.faithfulness import faithfulness
from viz_core.analysis.attribution.methods import attributions
from viz_core.analysis.control import head_control
from viz_core.analysis.difference import compare
from viz_core.analysis.explain import explain
from viz_core.analysis.verdicts.heads import head_verdicts
from viz_core.analysis.verdicts.model import calibration_remark, skill
from viz_core.analysis.whatif import Changes, head_effects, predict_with_changes
from viz_core.batch_prediction import job as batch
from viz_core.batch_prediction.job import read_figures
from viz_core.batch_prediction.results import columns, first_rows
from viz_core.commands.kinds import command_kind
from viz_core.evidence import health, importance, predictions
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.kinds import evidence_kind
from viz_core.jobs.main import carry_out
from viz_core.language import Translator
from viz_core.records import Message
from viz_core.rendering.attributions import attribution_bars
from viz_core.rendering.confusion import confusion_matrix
from viz_core.rendering.probabilities import probability_bars, verdict
from viz_core.rendering.theme import theme
from viz_core.tasks import CLASSIFICATION
from viz_core.training.settings import TrainingSettings
from viz_core.training.train import train

pytestmark = pytest.mark.process  # it trains

TEXT, OTHER = "today there were mittens at home", "today there were parasols at home"


@pytest.fixture
def model(weather, tmp_path):
    """The checkpoint `weather/small`, trained on its sample."""
    settings = TrainingSettings("weather", data="sample", device="cpu")
    figures = train(settings.training(), tmp_path / "checkpoints/weather/small")
    assert figures["threshold"] is None and len(figures["confusion"]) == 3 and figures["auc"] > 0.6
    return checkpoints.load("weather", "small")


def test_every_analysis_of_an_input(model):
    explanation, say, look = explain(model, TEXT), Translator("en"), theme("light")
    assert explanation.probabilities.shape == (3,) and explanation.predicted == explanation.probabilities.argmax()
    results = attributions(model, explanation)
    measures = faithfulness(model, explanation, results)
    assert len(results) == 5 and len(measures) == 2 and agreement(results).count == 6
    assert predict_with_changes(model, explanation.encoding, [Changes(masked=frozenset([(0, 0)]))]).shape == (1, 3)
    assert head_effects(model, explanation.encoding).shape == (2, 2)
    assert head_control(model, explanation.encoding, Changes(masked=frozenset([(0, 0)]))).heads == 1
    assert compare(explanation, explain(model, OTHER)).shift.shape == (3,)
    for draw in (
        lambda: probability_bars(explanation, say, look),
        lambda: say(verdict(explanation)),
        lambda: attribution_bars(results, explanation.labels, say, look),
        lambda: confusion_matrix(model.metrics.validation.confusion, explanation.labels, "validation", say, look),
    ):
        assert draw()


def test_the_attributions_of_a_class_that_was_not_predicted(model):
    explanation, say = explain(model, TEXT), Translator("en")
    predicted = explanation.labels[explanation.predicted]
    other = (explanation.predicted + 1) % 3
    results = attributions(model, explanation, other)
    assert {result.target for result in results} == {explanation.labels[other]}
    assert not np.array_equal(results[0].values, attributions(model, explanation)[0].values)
    figure = attribution_bars(results, explanation.labels, say, theme("light"), predicted)
    label = say(f"rendering.label_{explanation.labels[other]}")
    assert figure.layout.title.text == say("attribution.title_other", label=label)
    # What stays without the tokens that support the other class is the probability of that class.
    scores = faithfulness(model, explanation, results)[0].values
    without = [explanation.probabilities[other] - score for score in scores]
    assert all(-1e-6 <= probability <= 1 + 1e-6 for probability in without)


def test_every_kind_of_evidence(model):
    folder = checkpoints.folder() / "weather/small"
    for name in evidence_kind("weather").compute:
        assert compute_evidence(name, "weather", "small", lambda done, total: None)["n"] > 0
    saved = {
        name: json.loads((folder / "evidence" / f"{name}.json").read_text(encoding="utf-8"))
        for name in evidence_kind("weather").compute
    }
    record = health.read(saved["health"])
    assert len(record.predicted_shares) == 3 and [part.kind for part in record.slices] == ["length"] * len(
        record.slices
    )
    say = Translator("en")
    for message in (
        skill(record).verdict,
        *skill(record).reasons,
        calibration_remark(record) or Message("health.unexamined"),
        *(head.message for head in head_verdicts(record.heads)),
    ):
        assert say(message)
    assert importance.read(saved["importance"]).heads.taylor.shape == (2, 2)
    rows = saved["predictions"]["rows"]
    assert predictions.read(saved["predictions"], rows, model.settings).confidence.min() >= 1 / 3


def test_prediction_for_a_file(model, root, weather):
    file = io.BytesIO(b"text,label\ntoday there were icicles,snow\nall week there were clouds,rain\nmittens,\n")
    run = batch.submit(file, "mine.csv", "weather", "small", "anna")
    carry_out(run.path)
    rows = first_rows(run.path, weather, 10)
    assert len(rows) == 3 and rows.labels.tolist() == [2, 0, -1] and read_figures(run.path)["n"] == 2
    assert columns(weather)[-4:] == ["probability_rain", "probability_sun", "probability_snow", "right"]
    np.testing.assert_allclose(
        rows.confidence[0], explain(model, "today there were icicles").probabilities.max(), atol=1e-5
    )


COMMANDS = [
    ["models"],
    ["predict", "--task", "weather", "--text", TEXT],
    ["probe", "--task", "weather", "--model", "small", "--record"],
    ["evaluate", "--task", "weather", "--model", "small", "--data", "sample", "--split", "test", "--record"],
    ["data", "batch", "--task", "weather", "--data", "sample"],
    ["data", "status", "--task", "weather"],
    ["train", "--task", "weather", "--data", "sample", "--estimate", "--device", "cpu"],
    ["evidence", "health", "--task", "weather", "--model", "small"],
    ["explain", "--task", "weather", "--text", TEXT, "--out", "FOLDER/x.npz"],
    *(
        ["figure", "--task", "weather", "--text", TEXT, "--view", view, "--out", "FOLDER/x.html"]
        for view in command_kind(CLASSIFICATION).views
    ),
]


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
def test_every_command(model, tmp_path, monkeypatch, capsys, language):
    for words in COMMANDS:
        words = [word.replace("FOLDER", str(tmp_path)) for word in words]
        monkeypatch.setattr(sys, "argv", ["viz_core", *words, "--json", "--lang", language])
        assert __main__.main() == 0, (words, capsys.readouterr().err)
        assert json.loads(capsys.readouterr().out)
    assert checkpoints.load("weather", "small").metrics.test.n > 0
    assert (checkpoints.folder() / "weather/small" / checkpoints.CARD).read_text(encoding="utf-8").count(
        "| test |"
    ) == 1


@pytest.mark.parametrize("language", ["zh", pytest.param("en", marks=pytest.mark.slow)])
def test_every_page(model, root, monkeypatch, language):
    import streamlit as st

    from pages.training.estimates import Measurement

    st.cache_resource.clear()
    st.cache_data.clear()
    monkeypatch.setattr("pages.training.estimates._measure", lambda arguments: Measurement(75.0))
    for name in evidence_kind("weather").compute:
        compute_evidence(name, "weather", "small", lambda done, total: None)
    say = Translator(language)
    assert open_page("weather", lang=language).title[0].value == say("weather.title")
    for kind in ("methods", "whatif"):
        open_page("weather", lang=language, evidence=kind, text=TEXT)
    page = open_page("weather", lang=language, evidence="methods", text=TEXT, target="snow")
    assert not page.exception and page.selectbox(key="target").value == "snow"
    models = open_page("models", lang=language, task="weather")
    assert any("weather / small" in str(frame.value) for frame in models.dataframe)
    for part in ("figures", "samples", "errors", "compare", "file", "probes"):
        open_page("evaluation", lang=language, task="weather", part=part)
    app = open_page("training", lang=language, task="weather")
    app.button(key="start").click().run()
    assert not app.exception and not app.error
