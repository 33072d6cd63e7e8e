"""The health of a model on the pages: the banner, the page of one model, and the request for the check."""

import json
import time
from dataclasses import replace

import pytest

from pages.shared.health import attention_warning, prediction_calibration, prediction_verdict
from pages.shared.tasks import PAGES
from tests.analysis.fake_health import collapsed_health, good_health, heads
from tests.pages.app import link_parameters, open_page, page_text
from tests.pages.fake_runs import OWNER, make_run, open_training
from tests.tiny import save_checkpoint
from tests.words import english, says
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.analysis.verdicts.model import calibration_remark, skill
from viz_core.checkpoints import FOLDER, CheckpointInfo
from viz_core.evidence import health
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.requests import latest_run
from viz_core.evidence.results import write_result
from viz_core.jobs import runs as jobs
from viz_core.language import Translator
from viz_core.records import Figures, Health, Message
from viz_core.rendering.probabilities import verdict

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
    assert says(page_text(app), "checkpoints.collapsed") and not app.error
    save_health(folder, collapsed_health())
    app.run()
    assert not says(page_text(app), "checkpoints.collapsed")
    assert says(app.error[0].value, "health.collapsed", what=Message("health.pairs", {"count": 3400}))


def test_a_model_with_skill_has_a_quiet_banner(checkpoints_dir):
    save_health(checkpoints_dir / "imdb/tiny", good_health())
    app = open_page("sentiment")
    assert says(page_text(app), "health.learned") and not app.error


MEASURED = Figures(n=100, accuracy=0.86, mcc=0.7, ece=0.03)
RANDOM = replace(good_health(), figures=replace(good_health().figures, auc=0.51), auc_interval=(0.48, 0.54))
REVERSED = replace(good_health(), figures=replace(good_health().figures, auc=0.28), auc_interval=(0.24, 0.32))
FEW = replace(good_health(), auc_interval=(0.4, 1.0))


def info_of(folder, saved: Health | None) -> CheckpointInfo:
    """A model with this health, if any."""
    if saved:
        save_health(folder, saved)
    return checkpoints.read_info(folder)


@pytest.mark.parametrize(
    ("task", "saved", "key"),
    [
        ("imdb", good_health(cross_fitted=MEASURED), "health.calibration_good"),
        ("imdb", replace(RANDOM, cross_fitted=MEASURED), None),
        ("imdb", replace(REVERSED, cross_fitted=MEASURED), None),
        ("imdb", replace(FEW, cross_fitted=MEASURED), None),
        ("afqmc", collapsed_health(cross_fitted=MEASURED), None),
        ("imdb", good_health(), None),
        ("imdb", None, None),
    ],
    ids=["good", "random", "reversed", "few", "collapsed", "earlier version", "unchecked"],
)
def test_of_the_calibration_is_said_what_was_measured_or_nothing(checkpoints_dir, task, saved, key):
    remark = prediction_calibration(info_of(checkpoints_dir / task / "tiny", saved))
    assert (remark and remark.key) == key


@pytest.mark.parametrize(
    ("task", "saved", "doubt"),
    [
        ("imdb", RANDOM, "near_chance"),
        ("imdb", REVERSED, "reversed"),
        ("imdb", FEW, "too_few"),
        ("afqmc", collapsed_health(), "collapsed"),
    ],
    ids=["random", "reversed", "few", "collapsed"],
)
def test_a_doubt_about_the_model_is_in_the_verdict_on_a_prediction_and_above_the_heat_maps(
    checkpoints_dir, task, saved, doubt
):
    info = info_of(checkpoints_dir / task / "tiny", saved)
    explanation = explain(checkpoints.load(task, "tiny", checkpoints_dir), *PAGES[task].first_texts)
    message = prediction_verdict(explanation, info)
    assert message.values["doubt"].key == f"health.prediction_{doubt}"
    assert attention_warning(info) == skill(saved).attention
    assert skill(saved).attention is not None


@pytest.mark.parametrize("saved", [good_health(), None], ids=["good", "unchecked"])
def test_without_a_doubt_the_verdict_is_graded_and_nothing_stands_above_the_heat_maps(checkpoints_dir, saved):
    info = info_of(checkpoints_dir / "imdb/tiny", saved)
    explanation = explain(checkpoints.load("imdb", "tiny", checkpoints_dir), "A good film.")
    assert prediction_verdict(explanation, info) == verdict(explanation)
    assert attention_warning(info) is None


def test_an_unchecked_model_that_fails_on_purpose_is_announced_above_its_heat_maps(checkpoints_dir):
    folder = save_checkpoint(checkpoints_dir, "afqmc", "bad", caution="checkpoints.collapsed")
    assert attention_warning(checkpoints.read_info(folder)) == Message("checkpoints.collapsed")


def test_a_model_between_good_and_none_has_an_amber_banner(checkpoints_dir):
    like = good_health(accuracy_interval=(0.49, 0.55))
    save_health(checkpoints_dir / "imdb/tiny", like)
    app, say = open_page("sentiment"), Translator("en")
    assert say(skill(like).verdict) in app.warning[0].value.replace("\\", "") and not app.error


def test_an_unchecked_model_offers_the_check(checkpoints_dir):
    mark_as_sample(checkpoints_dir / "imdb/tiny")
    app = open_page("sentiment")
    assert says(page_text(app), "health.missing")
    app.button(key="pass_ask_health").click().run()
    run = latest_run(health.NAME, "imdb", "tiny")
    assert not app.exception and (run.status.state, run.request.owner) == ("queued", OWNER)
    assert app.get("progress")[0].proto.text == english("evidence.waiting", position=1)
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
    assert says(page_text(app), "evidence.failed", reason=Message("jobs.out_of_memory")) and app.button(
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
    assert not app.exception and says(page_text(app), "jobs.too_many", count=3)


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("task", "saved"),
    [("imdb", good_health(cross_fitted=MEASURED)), ("afqmc", collapsed_health(cross_fitted=MEASURED))],
)
def test_the_page_of_a_model_draws_its_health(checkpoints_dir, task, saved, language):
    save_health(checkpoints_dir / task / "tiny", saved)
    app, say = open_page("models", task=task, lang=language), Translator(language)
    app.session_state["health_predictions"] = app.session_state["head_table"] = True  # the expanders are opened
    app.run()
    keys = {button.key for button in app.get("download_button")}
    slices = {"html_slices_length", "html_slices_negation" if task == "imdb" else "html_slices_overlap"}
    assert {"html_health_confusion", "html_calibration", "html_head_profile", "html_redundancy"} | slices <= keys
    remark = calibration_remark(saved)
    assert remark.key == ("health.calibration_good" if task == "imdb" else "health.calibration_one")
    assert say(remark) in page_text(app).replace("\\", "")
    assert _calibration_error(app).value == "3.0%"
    assert _calibration_error(app).help == say("health.cross_fitted_temperature", uncorrected=saved.figures.ece)
    assert [element.value for element in app.metric][:2] == (
        ["90.0%", "50.0%"] if task == "imdb" else ["68.0%", "68.0%"]
    )
    assert link_parameters(app).get("task", "imdb") == task


def test_figures_of_a_model_whose_temperature_was_not_fitted_need_no_second_version(checkpoints_dir):
    good = good_health()
    save_health(checkpoints_dir / "imdb/tiny", replace(good, cross_fitted=good.figures))
    assert not _calibration_error(open_page("models")).help
    save_health(checkpoints_dir / "imdb/tiny", replace(good, cross_fitted=replace(good.figures, ece=0.034)))
    error = _calibration_error(open_page("models"))
    assert error.value == "3.4%" and says(error.help, "health.cross_fitted_temperature", uncorrected=good.figures.ece)
    tuned = replace(good.figures, threshold=0.4)
    save_health(checkpoints_dir / "imdb/tiny", replace(good, figures=tuned, cross_fitted=replace(tuned, mcc=0.78)))
    assert says(_calibration_error(open_page("models")).help, "health.cross_fitted", mcc=0.78)


def _calibration_error(app):
    """The last of the metrics."""
    return app.metric[-1]


def _open_heads():
    """The page with the table of heads."""
    app = open_page("models")
    app.session_state["head_table"] = True
    return app.run()


def test_heads_are_described_in_words_when_their_table_is_open(checkpoints_dir):
    profile = heads(2, 4, pair=False)
    save_health(checkpoints_dir / "imdb/tiny", good_health(heads=profile))
    assert not says(page_text(open_page("models")), "health.heads_nothing")
    assert says(page_text(_open_heads()), "health.heads_nothing")
    profile.statistics["previous"][1, 2] = 0.7
    save_health(checkpoints_dir / "imdb/tiny", good_health(heads=profile))
    assert says(page_text(_open_heads()), "health.head_previous", head="2.3", value=0.7)


def test_heads_are_ranked_by_a_statistic(checkpoints_dir):
    profile = heads(2, 4, pair=False)
    profile.statistics["previous"][1, 2] = 0.7
    save_health(checkpoints_dir / "imdb/tiny", good_health(heads=profile))
    app = _open_heads()
    choice = next(box for box in app.selectbox if box.label == english("health.rank_by"))
    assert choice.options[:2] == [english("health.not_ranked"), english("health.statistic_entropy")]
    choice.select("previous").run()
    table = next(chart for chart in app.get("plotly_chart") if "head_profile" in chart.proto.id)
    assert not app.exception and json.loads(table.proto.spec)["layout"]["yaxis"]["ticktext"][0] == "2.3"
    assert link_parameters(app) == {"rank_by": "previous"}
    box = next(
        box for box in open_page("models", rank_by="previous").selectbox if box.label == english("health.rank_by")
    )
    assert box.value == "previous", "a link opens the table"
    assert not open_page("models", rank_by="<b>").exception


def test_the_result_of_a_real_job_is_drawn(checkpoints_dir):
    mark_as_sample(checkpoints_dir / "afqmc/tiny")
    app = open_page("models", task="afqmc")
    assert says(page_text(app), "health.unexamined")
    compute_evidence(health.NAME, "afqmc", "tiny", lambda done, total: None)
    app.session_state["head_table"] = True
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
    values = {"label": Message("rendering.label_different"), "what": Message("health.pairs", {"count": 3412})}
    assert says(app.error[0].value, "health.collapsed", **values) and says(app.error[0].value, "health.smooth")
    assert not open_page("matching", model="small").error
