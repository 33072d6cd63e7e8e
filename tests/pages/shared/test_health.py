"""The health of a model on the pages: the banner, the page of one model, and the request for the check."""

from __future__ import annotations

import json
import time

import pytest

from tests.analysis.fake_health import collapsed_health, good_health, heads
from tests.pages.app import link_parameters, open_page, page_text
from tests.pages.fake_runs import OWNER, make_run, open_training
from tests.tiny import save_checkpoint
from viz_core.analysis.verdicts import calibration_remark, skill
from viz_core.checkpoints import FOLDER
from viz_core.evidence import health
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.requests import latest_run
from viz_core.evidence.results import write_result
from viz_core.jobs import runs as jobs
from viz_core.language import Translator
from viz_core.records import Health

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


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("page", "saved", "key"),
    [
        ("sentiment", good_health(), "health.calibration_good"),
        ("matching", collapsed_health(), "health.calibration_one"),
        ("sentiment", None, None),
    ],
)
def test_below_a_prediction_stands_what_the_check_says_of_the_calibration(checkpoints_dir, language, page, saved, key):
    if saved:
        save_health(checkpoints_dir / ("imdb" if page == "sentiment" else "afqmc") / "tiny", saved)
    app, say = open_page(page, lang=language), Translator(language)
    remarks = [caption for caption in app.caption if caption.help == say("pages.confidence_note")]
    sentences = [say(calibration_remark(saved))] if saved else []
    assert [caption.value.replace("\\", "") for caption in remarks] == sentences
    assert not saved or calibration_remark(saved).key == key


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
@pytest.mark.parametrize(("task", "saved"), [("imdb", good_health()), ("afqmc", collapsed_health())])
def test_the_page_of_a_model_draws_its_health(checkpoints_dir, task, saved, language):
    save_health(checkpoints_dir / task / "tiny", saved)
    app, say = open_page("models", task=task, lang=language), Translator(language)
    keys = {button.key for button in app.get("download_button")}
    slices = {"html_slices_length", "html_slices_negation" if task == "imdb" else "html_slices_overlap"}
    assert {"html_health_confusion", "html_calibration", "html_head_profile", "html_redundancy"} | slices <= keys
    assert say(
        "health.calibration_good" if task == "imdb" else "health.calibration_one", ece=0.02, confidence=0.68
    ) in page_text(app).replace("\\", "")
    assert [element.value for element in app.metric][:2] == (
        ["90.0%", "50.0%"] if task == "imdb" else ["68.0%", "68.0%"]
    )
    assert link_parameters(app).get("task", "imdb") == task


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
