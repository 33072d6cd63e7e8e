"""The evaluation page as Streamlit runs it, on two untrained checkpoints and the shipped sample."""

import io
import json
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import corpus_rows
from pages.shared.selection import NO_REFERENCE, reference
from tests.pages.app import FRAME, explorer, link_parameters, open_page, page_text
from tests.words import english, says
from viz_core.batch_prediction import job
from viz_core.evidence.ledger import record_reading
from viz_core.jobs.main import carry_out
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Figures, Message, PredictedRows, Reading
from viz_core.tasks import get_task

pytestmark = pytest.mark.usefixtures("checkpoints_dir")
FIGURES = {
    "n": 48,
    "accuracy": 0.75,
    "majority_accuracy": 0.5,
    "auc": 0.8,
    "mcc": 0.5,
    "f1": [0.7, 0.8],
    "ece": 0.1,
    "threshold": 0.4,
    "confusion": [[20, 4], [8, 16]],
}


@pytest.fixture(autouse=True)
def no_worker(tmp_path, monkeypatch):
    """A runs folder without a worker, and a constant visitor."""
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
    monkeypatch.setattr("pages.shared.ownership.visitor", lambda: "anna")


def write_metrics(root, task: str, **values) -> None:
    (root / task / "tiny" / "metrics.json").write_text(json.dumps({"task": task, "data": "sample", **values}))


def table_html(app) -> str:
    """The HTML of the table of rows."""
    (proto,) = (
        element.proto for element in app.get("bidi_component") if element.proto.component_name == "prediction_table"
    )
    return json.loads(proto.json)["html"] if proto.json else ""


def test_validation_and_test_figures_are_side_by_side(checkpoints_dir):
    write_metrics(checkpoints_dir, "imdb", split="test", validation=FIGURES, **(FIGURES | {"accuracy": 0.5}))
    app = open_page("evaluation")
    rows = app.table[0].value.astype(str)
    metric, validation, test = (english(f"evaluation.column_{name}") for name in ("figure", "validation", "test"))
    assert rows.columns.tolist()[:3] == [metric, validation, test]
    accuracy = rows[rows[metric].str.contains(english("evaluation.metric_accuracy"))].iloc[0]
    assert "61.2%" in accuracy[validation] and "75.0%" in accuracy[validation] and "50.0%" in accuracy[test]
    assert rows[rows[metric].str.contains(english("evaluation.metric_auc"))].iloc[0][test] == "0.800"
    assert len(app.get("plotly_chart")) == 2


def test_the_page_says_how_often_the_test_was_read(checkpoints_dir):
    write_metrics(checkpoints_dir, "imdb", split="test", validation=FIGURES, **FIGURES)
    figures = Figures.from_dict(FIGURES)
    assert not says(page_text(open_page("evaluation")), "evaluation.readings")
    for number in range(2):
        date = "2026-11-20T19:35:15+00:00"
        record_reading(Reading(date, "0" * 40, "imdb", "tiny", "sample", "all", str(number) * 64, figures))
        assert english("evaluation.readings", count=number + 1) in page_text(open_page("evaluation"))
    (checkpoints_dir / "ledger.jsonl").write_text("{}\n", encoding="utf-8")
    app = open_page("evaluation")
    assert says(page_text(app), "evidence.ledger_damaged", line=1) and len(app.table) == 1


def test_without_test_figures_the_page_says_how_to_measure_them(checkpoints_dir):
    write_metrics(checkpoints_dir, "imdb", validation=FIGURES)
    app = open_page("evaluation")
    column = english("evaluation.column_test")
    assert says(page_text(app), "evaluation.no_test") and (app.table[0].value.astype(str)[column] == "–").all()


@pytest.mark.parametrize(
    ("task", "language"),
    [
        ("imdb", "en"),
        ("afqmc", "zh"),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in (("imdb", "zh"), ("afqmc", "en"))),
    ],
)
def test_fifty_rows_are_sampled_with_the_seed_in_the_link(checkpoints_dir, task, language):
    write_metrics(checkpoints_dir, task)
    app = open_page("evaluation", task=task, part="samples", lang=language)
    first, count = table_html(app), min(50, len(get_task(task).read("validation", "sample")))
    assert first.count("<tr data-row") == count
    assert {"seed": link_parameters(app).get("seed")} == {"seed": None}
    app.number_input(key="seed").set_value(7).run()
    assert link_parameters(app)["seed"] == "7" and table_html(app) != first
    assert table_html(open_page("evaluation", task=task, part="samples", seed="7", lang=language)) == table_html(app)
    before = app.session_state["seed"]
    app.button(key="draw").click().run()
    assert app.session_state["seed"] != before and link_parameters(app)["seed"] == str(app.session_state["seed"])


@pytest.mark.parametrize(
    "seed", ["9" * 5000, *(pytest.param(seed, marks=pytest.mark.slow) for seed in ("x", "-1", "²", ""))]
)
def test_a_mistyped_seed_is_ignored(checkpoints_dir, seed):
    write_metrics(checkpoints_dir, "imdb")
    assert table_html(open_page("evaluation", part="samples", seed=seed))


def test_without_the_corpus_the_page_says_so_and_shows_the_sample():
    app = open_page("evaluation", part="samples")  # `imdb/tiny` does not say that it was trained on the sample
    assert (
        says(page_text(app), "evaluation.no_corpus")
        and app.button(key="download_corpus")
        and table_html(app).count("<tr data-row") == 48
    )


def test_the_error_browser_shows_errors_and_applies_filters(checkpoints_dir):
    write_metrics(checkpoints_dir, "afqmc")
    app = open_page("evaluation", task="afqmc", part="errors")
    assert english("rendering.rows_wrong") in table_html(app) and "✓" not in table_html(app)
    app.segmented_control(key="outcome").set_value("right").run()
    assert "✗" not in table_html(app) and link_parameters(app)["outcome"] == "right"
    assert says(page_text(app), "evaluation.errors_matching", count=24, n=48, wrong=24)
    app.segmented_control(key="truth").set_value("same").run()
    assert f'<td class="label">{english("rendering.label_different")}' not in table_html(app).split("</thead>")[1]
    app.slider(key="sure").set_value((99, 100)).run()
    assert link_parameters(app)["sure"] == "99-100" and says(page_text(app), "evaluation.errors_matching", count=0)
    restored = open_page("evaluation", task="afqmc", part="errors", truth="same", outcome="right", sure="10-55")
    assert restored.slider(key="sure").value == (10, 55)


def length_page():
    import streamlit as st

    from pages.evaluation.errors import _range

    _range("length", *st.session_state.get("ends", (2, 40)), "%d")


@pytest.mark.parametrize(("touched", "expected"), [(None, (10, 60)), ((5, 30), (10, 30))])
def test_a_filter_that_nobody_touched_follows_the_model(touched, expected):
    app = AppTest.from_function(length_page)
    app.session_state["lang"] = "en"
    app.run()
    if touched:
        app.slider(key="length").set_value(touched).run()
    app.session_state["ends"] = (10, 60)
    assert app.run().slider(key="length").value == expected and not app.exception


def test_of_a_model_without_errors_the_error_browser_says_so(checkpoints_dir, monkeypatch):
    write_metrics(checkpoints_dir, "afqmc")
    predict = corpus_rows.predict_rows

    def predict_right(*values: object) -> PredictedRows:
        found = predict(*values)
        return replace(found, predictions=found.labels)

    monkeypatch.setattr(corpus_rows, "predict_rows", predict_right)
    app = open_page("evaluation", task="afqmc", part="errors")
    assert not app.exception and says(page_text(app), "evaluation.no_errors", n=48)
    app.segmented_control(key="outcome").set_value("right").run()
    assert says(page_text(app), "evaluation.errors_matching", count=48, wrong=0)


@pytest.mark.parametrize(
    "sure", ["a-b", "90-10", *(pytest.param(sure, marks=pytest.mark.slow) for sure in ("90", "200-300", "-", "1-2-3"))]
)
def test_mistyped_bounds_are_ignored(checkpoints_dir, sure):
    write_metrics(checkpoints_dir, "afqmc")
    low, high = open_page("evaluation", task="afqmc", part="errors", sure=sure).slider(key="sure").value
    assert 0 <= low <= high <= 100


def test_with_the_corpus_predictions_for_the_whole_split_are_offered(checkpoints_dir, monkeypatch, tmp_path):
    monkeypatch.setattr(type(get_task("afqmc").corpus), "find", lambda corpus: tmp_path)
    monkeypatch.setattr(
        type(get_task("afqmc").corpus), "read", lambda corpus, split: get_task("afqmc").read(split, "sample")
    )
    app = open_page("evaluation", task="afqmc", part="errors")
    assert app.button(key="pass_ask_predictions")
    assert [part.key for part in app.get("bidi_component")] == FRAME


def test_two_inputs_are_compared_and_in_the_link():
    app = open_page("evaluation", task="afqmc", part="compare")
    assert not app.get("plotly_chart") and len(app.metric) >= 2
    app.text_area(key="now_b").set_value("借呗怎么还款").run()
    assert not app.exception and link_parameters(app)["now_b"] == "借呗怎么还款"
    falls, rises = sorted(app.metric, key=lambda metric: "−" not in metric.delta)  # two classes: opposite changes
    assert falls.delta.startswith("−") and falls.delta == rises.delta.replace("+", "−")
    arrows = falls.proto.MetricDirection
    assert (falls.proto.direction, rises.proto.direction) == (arrows.DOWN, arrows.UP)
    app.selectbox(key="moved").set_value("2.1").run()
    assert link_parameters(app)["moved"] == "2.1"
    app.text_area(key="now_b").set_value(" ").run()
    assert not app.exception and says(page_text(app), "text.blank", where=Message("text.sentence", {"number": "B"}))


def test_the_attention_of_two_inputs_is_compared_on_the_page_of_the_task():
    app = open_page("evaluation", part="compare", was_text="a good film", now_text="not a good film", moved="2.1")
    app.button(key="compare").click().run()
    selected = explorer(app)["selection"]
    assert selected["head"] == "2.1" and explorer(app)["instrument"]["texts"] == ["not a good film"]
    assert {name: selected[name] for name in NO_REFERENCE} == reference("tiny", ["a good film"])


def test_long_reviews_are_compared_and_stay_out_of_the_link():
    app = open_page("evaluation", part="compare")
    app.text_area(key="now_text").set_value("good film " * 300).run()
    assert (
        not app.exception
        and "now_text" not in link_parameters(app)
        and says(page_text(app), "instrument.text_not_in_link")
    )


def upload(content: str | bytes, task: str = "afqmc"):
    app = open_page("evaluation", task=task, part="file")
    content = content if isinstance(content, bytes) else content.encode()
    app.file_uploader(key="upload_0").set_value(("mine.csv", content, "text/csv")).run()
    app.button(key="ask_rows").click().run()
    assert not app.exception
    return app


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_upload_box_speaks_the_language_of_the_page(language):
    app, word = open_page("evaluation", part="file", lang=language), Translator(language)("evaluation.file_choose")
    assert any(f'--upload-choose: "{word}"' in element.proto.body for element in app.get("html"))


def test_a_file_is_queued_predicted_and_shown():
    app = upload("sentence1,sentence2,label\n花呗怎么还款,花呗如何还钱,1\n花呗, ,0\n花呗,借呗,0\n")
    (run,) = job.list_runs("anna", "afqmc")
    assert says(page_text(app), "evidence.waiting") and not app.get("download_button")
    carry_out(run.path)
    app.run()
    assert not app.exception and says(page_text(app), "analysis.csv_empty", row=3, column="sentence2")
    assert says(page_text(app), "jobs.state_finished") and table_html(app).count("<tr data-row") == 2
    assert [element.label for element in app.get("download_button")] == [
        english("evaluation.file_download", count=2) + r" *mine\.csv*"
    ]
    assert {element.label: element.value for element in app.metric}[english("evaluation.metric_labelled")] == "2"
    app.button(key=f"delete_rows_{run.id}").click().run()
    assert not app.exception and job.list_runs("anna", "afqmc") == []


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"text\ngood\n", "columns"),
        (b"PK\x03\x04x", "workbook"),
        (b"", "columns"),
        (b"\x89PNG\r\n\x1a\n\x00\xff\x00", "encoding"),
    ],
)
def test_an_invalid_file_gets_a_sentence_and_no_run(content, key):
    app = upload(content)
    assert says(app.error[0].value, f"analysis.csv_{key}") and job.list_runs("anna", "afqmc") == []


def test_visitors_do_not_see_the_files_of_others(monkeypatch):
    job.submit(io.BytesIO(b"text\ngood\n"), "secret.csv", "imdb", "tiny", "berta")
    assert "secret" not in page_text(open_page("evaluation", part="file"))
