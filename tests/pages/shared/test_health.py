"""The health of a model on the pages: the banner, the page of one model, and the request for the check."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest

from tests.analysis.fake_health import collapsed_health, good_health, heads
from tests.pages.app import link_parameters, open_page, page_text
from tests.pages.fake_runs import OWNER, make_run, open_training
from tests.tiny import save_checkpoint
from viz_core.analysis.calibration_verdict import calibration_remark
from viz_core.analysis.verdicts import skill
from viz_core.checkpoints import FOLDER
from viz_core.evidence import health
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.requests import latest_run
from viz_core.evidence.results import write_result
from viz_core.jobs import runs as jobs
from viz_core.language import Translator
from viz_core.records import Figures, Health

pytestmark = pytest.mark.usefixtures("runs_dir")


def save_health(folder, saved: Health) -> None:
    """Saves a health as if the job had computed it."""
    write_result(folder, health.NAME, health.to_result(saved))


def mark_as_sample(folder) -> None:
    (folder / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")


def write_status(run: jobs.Run, **changes) -> None:
    file = run.path / "status.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"heartbeat": time.time()} | changes))


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
def test_a_model_without_skill_is_announced_and_its_attention_explained(checkpoints_dir, language):
    save_health(checkpoints_dir / "afqmc/tiny", collapsed_health())
    app, say = open_page("matching", lang=language), Translator(language)
    (banner,) = app.error
    assessment = skill(collapsed_health())
    assert say(assessment.verdict) in banner.value.replace("\\", "")
    assert say(assessment.reasons[1]) in banner.value.replace("\\", ""), "why its smooth attention means nothing"
    assert "3,400" in banner.value and app.title


def test_the_computed_banner_replaces_the_static_warning(checkpoints_dir):
    folder = save_checkpoint(checkpoints_dir, "afqmc", "bad", caution="checkpoints.collapsed")
    app = open_page("matching", model="bad")
    assert "on purpose" in page_text(app) and not app.error
    save_health(folder, collapsed_health())
    app.run()
    assert "on purpose" not in page_text(app) and "all 3,400 validation pairs" in app.error[0].value.replace("\\", "")


def test_a_model_with_skill_has_a_quiet_banner(checkpoints_dir):
    save_health(checkpoints_dir / "imdb/tiny", good_health())
    app = open_page("sentiment")
    assert "This model has learned the task" in page_text(app) and not app.error


MEASURED = Figures(n=100, accuracy=0.86, mcc=0.7, ece=0.03)
RANDOM = replace(good_health(), figures=replace(good_health().figures, auc=0.51), auc_interval=(0.48, 0.54))
REVERSED = replace(good_health(), figures=replace(good_health().figures, auc=0.28), auc_interval=(0.24, 0.32))
FEW = replace(good_health(), auc_interval=(0.4, 1.0))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("page", "saved"),
    [
        ("sentiment", good_health(cross_fitted=MEASURED)),
        ("sentiment", good_health()),  # of an earlier version
        ("matching", collapsed_health(cross_fitted=MEASURED)),
        ("sentiment", replace(RANDOM, cross_fitted=MEASURED)),
        ("sentiment", None),
    ],
    ids=["good", "earlier version", "collapsed", "random", "unchecked"],
)
def test_below_a_prediction_stands_what_was_measured_of_the_calibration_or_nothing(
    checkpoints_dir, language, page, saved
):
    if saved:
        save_health(checkpoints_dir / ("imdb" if page == "sentiment" else "afqmc") / "tiny", saved)
    app, say = open_page(page, lang=language), Translator(language)
    remarks = [caption.value for caption in app.caption if caption.help == say("health.cross_fitted_help")]
    measured = saved and saved.cross_fitted and saved.figures.auc > 0.9
    assert [remark.replace("\\", "") for remark in remarks] == ([say(calibration_remark(saved))] if measured else [])


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("saved", [RANDOM, REVERSED, FEW, good_health()], ids=["random", "reversed", "few", "good"])
def test_a_doubt_about_the_model_is_in_the_verdict_on_a_prediction_and_above_the_heat_maps(
    checkpoints_dir, language, saved
):
    save_health(checkpoints_dir / "imdb/tiny", saved)
    app, say, assessment = open_page("sentiment", lang=language), Translator(language), skill(saved)
    (heading,) = [element.value for element in app.markdown if element.value.startswith("#### ")]
    warnings = [warning.value.replace("\\", "") for warning in app.warning]
    if assessment.prediction:
        assert say(assessment.prediction) in heading
        assert say(assessment.attention) in warnings
    else:
        grades = ["a close call", "confident"] if language == "en" else ["把握"]
        assert any(grade in heading for grade in grades)
        doubts = {say(skill(doubtful).attention) for doubtful in (RANDOM, REVERSED, FEW)}
        assert not doubts & set(warnings)


def test_the_verdict_on_a_collapsed_model_says_so_everywhere(checkpoints_dir):
    save_health(checkpoints_dir / "afqmc/tiny", collapsed_health())
    app = open_page("matching")
    (heading,) = [element.value for element in app.markdown if element.value.startswith("#### ")]
    assert heading.endswith("(as for every validation input)")
    (warning,) = [warning.value.replace("\\", "") for warning in app.warning]
    assert warning.startswith("This model predicts “different meaning” whatever the input")


def test_a_model_between_good_and_none_has_an_amber_banner(checkpoints_dir):
    like = good_health(accuracy_interval=(0.49, 0.55))
    save_health(checkpoints_dir / "imdb/tiny", like)
    app, say = open_page("sentiment"), Translator("en")
    assert say(skill(like).verdict) in app.warning[0].value.replace("\\", "") and not app.error


def test_an_unchecked_model_offers_the_check(checkpoints_dir):
    mark_as_sample(checkpoints_dir / "imdb/tiny")
    app = open_page("sentiment")
    assert "has not been checked yet" in page_text(app)
    app.button(key="pass_ask_health").click().run()
    run = latest_run(health.NAME, "imdb", "tiny")
    assert not app.exception and (run.status.state, run.request.owner) == ("queued", OWNER)
    assert app.get("progress")[0].proto.text == "Waiting: number 1 in the queue."
    write_status(run, state="running", step=12, total=48, eta=30.0, pid=None)
    app.run()
    assert "25%" in app.get("progress")[0].proto.text or app.warning  # a missing process counts as failed
    assert not app.exception


def test_without_the_corpus_it_says_how_to_get_it():
    app = open_page("sentiment")
    assert "aclImdb_v1.tar.gz" in page_text(app) and "pass_ask_health" not in [button.key for button in app.button]


def test_a_queued_job_can_be_stopped_and_a_failed_job_says_why(checkpoints_dir):
    mark_as_sample(checkpoints_dir / "imdb/tiny")
    app = open_page("sentiment")
    app.button(key="pass_ask_health").click().run()
    run = latest_run(health.NAME, "imdb", "tiny")
    app.button(key=f"pass_stop_{run.id}").click().run()
    assert latest_run(health.NAME, "imdb", "tiny").status.state == "stopped" and app.button(key="pass_ask_health")
    write_status(run, state="failed", message={"key": "jobs.out_of_memory", "values": {}})
    app.run()
    assert "The last attempt failed: Memory ran out" in page_text(app).replace("\\", "") and app.button(
        key="pass_ask_health"
    )


def test_a_job_of_another_visitor_has_no_stop_button(checkpoints_dir, monkeypatch):
    mark_as_sample(checkpoints_dir / "imdb/tiny")
    app = open_page("sentiment")
    app.button(key="pass_ask_health").click().run()
    monkeypatch.setattr("pages.shared.ownership.visitor", lambda: "1" * 32)
    app.run()
    assert app.get("progress") and not [
        element.key for element in app.button if (element.key or "").startswith("pass_stop")
    ]


def test_a_visitor_with_too_many_queued_runs_gets_a_sentence(checkpoints_dir):
    mark_as_sample(checkpoints_dir / "imdb/tiny")
    for name in "abc":
        make_run("queued", evaluations=0, name=name)
    app = open_page("sentiment")
    app.button(key="pass_ask_health").click().run()
    assert not app.exception and "You already have 3 runs waiting" in page_text(app)


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("task", "saved"),
    [("imdb", good_health(cross_fitted=MEASURED)), ("afqmc", collapsed_health(cross_fitted=MEASURED))],
)
def test_the_page_of_a_model_draws_its_health(checkpoints_dir, task, saved, language):
    save_health(checkpoints_dir / task / "tiny", saved)
    app, say = open_page("models", task=task, lang=language), Translator(language)
    keys = {button.key for button in app.get("download_button")}
    slices = {"html_slices_length", "html_slices_negation" if task == "imdb" else "html_slices_overlap"}
    assert {"html_health_confusion", "html_calibration", "html_head_profile", "html_redundancy"} | slices <= keys
    remark = calibration_remark(saved)
    assert remark.key == ("health.calibration_good" if task == "imdb" else "health.calibration_one")
    assert say(remark) in page_text(app).replace("\\", "")
    fitted = say("health.cross_fitted", n=100, accuracy=0.86, mcc=0.7, ece=0.03)
    assert fitted in page_text(app).replace("\\", "")
    assert [element.value for element in app.metric][:2] == (
        ["90.0%", "50.0%"] if task == "imdb" else ["68.0%", "68.0%"]
    )
    assert link_parameters(app).get("task", "imdb") == task


def test_figures_of_a_model_whose_temperature_was_not_fitted_need_no_second_version(checkpoints_dir):
    good = good_health()
    save_health(checkpoints_dir / "imdb/tiny", replace(good, cross_fitted=good.figures))
    assert "Cross-fitted, that is" not in page_text(open_page("models"))
    save_health(checkpoints_dir / "imdb/tiny", replace(good, cross_fitted=replace(good.figures, mcc=0.78)))
    assert "MCC 0.780" in page_text(open_page("models")).replace("\\", "")


def test_heads_are_described_in_words(checkpoints_dir):
    profile = heads(2, 4, pair=False)
    save_health(checkpoints_dir / "imdb/tiny", good_health(heads=profile))
    assert "No head does one simple thing" in page_text(open_page("models"))
    profile.statistics["previous"][1, 2] = 0.7
    save_health(checkpoints_dir / "imdb/tiny", good_health(heads=profile))
    assert "Head 2.3 attends to the previous token: 70% of its weight." in page_text(open_page("models")).replace(
        "\\", ""
    )


def test_the_result_of_a_real_job_is_drawn(checkpoints_dir):
    mark_as_sample(checkpoints_dir / "afqmc/tiny")
    app = open_page("models", task="afqmc")
    assert "appear here after the check" in page_text(app)
    compute_evidence(health.NAME, "afqmc", "tiny", lambda done, total: None)
    app.run()
    assert not app.exception and "html_head_profile" in {button.key for button in app.get("download_button")}


@pytest.mark.process
def test_a_run_saved_as_a_model_is_checked():
    run = make_run()
    app = open_training()
    app.text_input(key=f"model_{run.id}").set_value("kept")
    app.button(key=f"save_now_{run.id}").click().run()
    assert latest_run(health.NAME, "imdb", "kept").status.state == "queued" and not app.exception


def test_the_shipped_collapsed_model_is_announced(monkeypatch):
    """The banner of afqmc/collapsed: it always predicts the same, and its smooth attention carries no information."""
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(FOLDER))
    app = open_page("matching", model="collapsed")
    banner = app.error[0].value.replace("\\", "")
    assert "predicts “different meaning” for all 3,449 validation pairs" in banner
    assert "Its smooth attention carries no information" in banner
    assert not open_page("matching", model="small").error


@pytest.mark.parametrize(("saved", "count"), [(collapsed_health(), 1), (good_health(), 0)])
def test_side_by_side_only_a_model_without_skill_has_a_warning(checkpoints_dir, runs_dir, saved, count):
    make_run()
    save_health(checkpoints_dir / "imdb/tiny", saved)
    errors = [error.value for error in open_training().error]
    assert len([error for error in errors if "o not interpret its attention" in error]) == count
