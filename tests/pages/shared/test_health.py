"""What pages say of a model before anything is read into it: the banner, the page of one model, and how to ask for more."""

from __future__ import annotations

import json
import time
from dataclasses import asdict

import pytest

from tests.analysis.health_by_hand import collapsed, heads, learned
from tests.pages.app import link_parameters, open_page, page_text
from tests.pages.fake_runs import OWNER, make_run, at
from tests.tiny import save_checkpoint
from viz_core.analysis.verdicts import skill
from viz_core.checkpoints import FOLDER
from viz_core.evidence import health
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.requests import latest_run
from viz_core.evidence.results import write_result
from viz_core.jobs import runs as jobs
from viz_core.language import Translator
from viz_core.records import Health

pytestmark = pytest.mark.usefixtures("runs_dir")


def keep(folder, found: Health) -> None:
    """Keeps a health made by hand as if the pass had found it."""
    write_result(folder, health.NAME, health.plain(asdict(found)))


def on_sample(folder) -> None:
    (folder / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")


def status(run: jobs.Run, **changes) -> None:
    file = run.path / "status.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"heartbeat": time.time()} | changes))


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
def test_a_model_without_skill_is_announced_before_its_answer_and_why_its_attention_means_nothing(
    checkpoints_dir, language
):
    keep(checkpoints_dir / "afqmc/tiny", collapsed())
    app, say = open_page("matching", lang=language), Translator(language)
    (banner,) = app.error
    judged = skill(collapsed())
    assert say(judged.verdict) in banner.value.replace("\\", "")
    assert say(judged.reasons[1]) in banner.value.replace("\\", ""), "why its smooth attention means nothing"
    assert "3,400" in banner.value and app.title


def test_the_computed_banner_takes_the_place_of_the_static_warning(checkpoints_dir):
    folder = save_checkpoint(checkpoints_dir, "afqmc", "bad", caution="checkpoints.collapsed")
    app = open_page("matching", model="bad")
    assert "bad example" in page_text(app) and not app.error
    keep(folder, collapsed())
    app.run()
    assert "bad example" not in page_text(app) and "every one of 3,400 validation pairs" in app.error[0].value.replace(
        "\\", ""
    )


def test_a_model_with_skill_is_introduced_quietly(checkpoints_dir):
    keep(checkpoints_dir / "imdb/tiny", learned())
    app = open_page("sentiment")
    assert "This model has learned something" in page_text(app) and not app.error


def test_a_model_that_nobody_has_examined_offers_it(checkpoints_dir):
    on_sample(checkpoints_dir / "imdb/tiny")
    app = open_page("sentiment")
    assert "Nobody has examined yet" in page_text(app)
    app.button(key="pass_ask_health").click().run()
    run = latest_run(health.NAME, "imdb", "tiny")
    assert not app.exception and (run.status.state, run.request.owner) == ("queued", OWNER)
    assert app.get("progress")[0].proto.text == "Waiting for its turn: number 1 in the queue."
    status(run, state="running", step=12, total=48, eta=30.0, pid=None)
    app.run()
    assert "25%" in app.get("progress")[0].proto.text or app.warning  # a process that is not there has failed
    assert not app.exception


def test_without_the_corpus_it_says_how_to_get_it():
    app = open_page("sentiment")
    assert "aclImdb_v1.tar.gz" in page_text(app) and "pass_ask_health" not in [button.key for button in app.button]


def test_a_pass_that_waits_can_be_stopped_and_one_that_failed_says_why(checkpoints_dir):
    on_sample(checkpoints_dir / "imdb/tiny")
    app = open_page("sentiment")
    app.button(key="pass_ask_health").click().run()
    run = latest_run(health.NAME, "imdb", "tiny")
    app.button(key=f"pass_stop_{run.id}").click().run()
    assert latest_run(health.NAME, "imdb", "tiny").status.state == "stopped" and app.button(key="pass_ask_health")
    status(run, state="failed", message={"key": "jobs.out_of_memory", "values": {}})
    app.run()
    assert "The last attempt failed: The memory ran out" in page_text(app).replace("\\", "") and app.button(
        key="pass_ask_health"
    )


def test_somebody_elses_pass_has_no_stop_button(checkpoints_dir, monkeypatch):
    on_sample(checkpoints_dir / "imdb/tiny")
    app = open_page("sentiment")
    app.button(key="pass_ask_health").click().run()
    monkeypatch.setattr("pages.shared.ownership.visitor", lambda: "1" * 32)
    app.run()
    assert app.get("progress") and not [one.key for one in app.button if (one.key or "").startswith("pass_stop")]


def test_who_has_too_many_waiting_is_told(checkpoints_dir):
    on_sample(checkpoints_dir / "imdb/tiny")
    for name in "abc":
        make_run("queued", evaluations=0, name=name)
    app = open_page("sentiment")
    app.button(key="pass_ask_health").click().run()
    assert not app.exception and "You have 3 runs waiting" in page_text(app)


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("task", "found"), [("imdb", learned()), ("afqmc", collapsed())])
def test_the_page_of_a_model_draws_all_that_is_kept(checkpoints_dir, task, found, language):
    keep(checkpoints_dir / task / "tiny", found)
    app, say = open_page("models", task=task, lang=language), Translator(language)
    keys = {button.key for button in app.get("download_button")}
    slices = {"html_slices_length", "html_slices_negation" if task == "imdb" else "html_slices_overlap"}
    assert {"html_health_confusion", "html_calibration", "html_head_profile", "html_redundancy"} | slices <= keys
    assert say(
        "health.calibration_good" if task == "imdb" else "health.calibration_one", ece=0.02, confidence=0.68
    ) in page_text(app).replace("\\", "")
    assert [one.value for one in app.metric][:2] == (["90.0%", "50.0%"] if task == "imdb" else ["68.0%", "68.0%"])
    assert link_parameters(app).get("task", "imdb") == task


def test_heads_are_told_in_words(checkpoints_dir):
    profile = heads(2, 4, pair=False)
    keep(checkpoints_dir / "imdb/tiny", learned(heads=profile))
    assert "No head does one simple thing only" in page_text(open_page("models"))
    profile.statistics["previous"][1, 2] = 0.7
    keep(checkpoints_dir / "imdb/tiny", learned(heads=profile))
    assert "Head 2.3 looks at the previous token: 70% of its weight." in page_text(open_page("models")).replace("\\", "")


def test_what_a_real_pass_keeps_is_drawn(checkpoints_dir):
    on_sample(checkpoints_dir / "afqmc/tiny")
    app = open_page("models", task="afqmc")
    assert "appear here once it was examined" in page_text(app)
    compute_evidence(health.NAME, "afqmc", "tiny", lambda done, total: None)
    app.run()
    assert not app.exception and "html_head_profile" in {button.key for button in app.get("download_button")}


@pytest.mark.process
def test_a_run_that_is_kept_as_a_model_is_examined():
    run = make_run()
    app = at()
    app.text_input(key=f"model_{run.id}").set_value("kept")
    app.button(key=f"keep_now_{run.id}").click().run()
    assert latest_run(health.NAME, "imdb", "kept").status.state == "queued" and not app.exception


def test_scene_of_honesty_with_the_model_that_ships(monkeypatch):
    """Opening afqmc/collapsed: it answers the same for everything, and why its smooth deep attention means nothing."""
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(FOLDER))
    app = open_page("matching", model="collapsed")
    banner = app.error[0].value.replace("\\", "")
    assert "answers “different meaning” to every one of 3,449 validation pairs" in banner
    assert "Its smooth attention means nothing" in banner
    assert not open_page("matching", model="small").error


@pytest.mark.parametrize(("found", "times"), [(collapsed(), 1), (learned(), 0)])
def test_beside_another_model_only_one_without_skill_is_warned_of(checkpoints_dir, runs_dir, found, times):
    make_run()
    keep(checkpoints_dir / "imdb/tiny", found)
    said_of = [error.value for error in at().error]
    assert len([one for one in said_of if "do not read its attention" in one]) == times
