"""A model that translates on the models page: its figures, the word alignment of its heads, its card."""

import json

import pytest

from pages.shared.opening import translation_state
from pages.shared.wording import escape_markdown
from tests.analysis.fake_alignment import alignment
from tests.evidence.test_alignment import TASK
from tests.pages.app import open_page, page_text
from tests.pages.translation.test_page import FIRST
from tests.tiny_translation import save_translation
from tests.words import english, says
from viz_core.checkpoints import CARD
from viz_core.evidence.results import six_digits, write_result
from viz_core.language import Translator

pytestmark = pytest.mark.usefixtures("runs_dir")

GREEDY = {"split": "validation", "n": 1432, "bleu": 29.54, "chrf": 46.87, "incomplete": 3}
TEACHER_FORCING = {"token_accuracy": 0.672, "validation_loss": 1.666}
MEASURED = {
    **{"beam": 4, "beam_bleu": 31.25, "beam_chrf": 48.0, "beam_incomplete": 1},
    **{"retrieval_bleu": 9.5, "retrieval_chrf": 25.0},
}
METHOD, BLEU, CHRF = english("translation_figures.method"), "BLEU", "chrF"


def boxes(app) -> str:
    return " ".join(box.value for kind in (app.success, app.info, app.warning, app.error) for box in kind)


def test_without_a_comparison_the_command_that_makes_it_is_named(checkpoints_dir):
    save_translation(checkpoints_dir, validation={**GREEDY, **TEACHER_FORCING})
    app = open_page("models", task=TASK)
    assert "evaluate --task tatoeba --model tiny --record" in app.info[0].value
    table, _ = app.dataframe  # below it that of all models
    assert table.value.to_dict("list") == {
        METHOD: [english("translation_figures.greedy")],
        BLEU: [29.54],
        CHRF: [46.87],
    } | {english("translation_figures.incomplete"): [3]}
    text = page_text(app)
    assert says(text, "translation_figures.next_token", accuracy=0.672, loss=1.666)
    assert says(text, "translation_figures.validation", n=1432)
    assert Translator("en")("alignment.missing") in text


@pytest.mark.parametrize("retrieval, key", [(9.5, "learned"), (29.6, "not_learned")])
def test_the_verdict_compares_with_the_retrieval_baseline(checkpoints_dir, retrieval, key):
    save_translation(checkpoints_dir, validation={**GREEDY, **MEASURED, "retrieval_bleu": retrieval})
    app = open_page("models", task=TASK)
    assert says(boxes(app), f"translation_figures.{key}") and bool(app.error) == (key == "not_learned")


def test_figures_of_both_splits_stand_side_by_side(checkpoints_dir):
    test = {**GREEDY, **MEASURED, "split": "test", "n": 1424, "bleu": 28.0}
    save_translation(checkpoints_dir, validation={**GREEDY, **MEASURED, **TEACHER_FORCING}, **test)
    validation, test, models = (table.value for table in open_page("models", task=TASK).dataframe)
    methods = [english(f"translation_figures.{name}", width=4) for name in ("greedy", "beam", "retrieval")]
    assert list(validation[METHOD]) == methods
    assert list(validation[BLEU]) == [29.54, 31.25, 9.5] and list(test[BLEU]) == [28.0, 31.25, 9.5]
    (row,) = models[models[english("pages.column_model")] == "tatoeba / tiny"].to_dict("records")
    bleu, chrf, accuracy = (row[english(f"pages.column_{name}")] for name in ("bleu", "chrf", "accuracy"))
    assert (bleu, chrf) == (28.0, 46.87) and not accuracy


@pytest.mark.parametrize("language", ["en", "zh"])
def test_saved_alignment_is_a_verdict_a_chart_and_a_way_to_its_head(checkpoints_dir, language):
    folder = save_translation(checkpoints_dir, validation={**GREEDY, **MEASURED})
    write_result(folder, "alignment", six_digits(alignment()))
    (folder / CARD).write_text("# tatoeba / tiny\n\nA small one.\n", encoding="utf-8")
    app = open_page("models", task=TASK, lang=language)
    (chart,) = app.get("plotly_chart")
    assert len(json.loads(chart.proto.spec)["data"]) == 3
    assert "41\\.0%" in boxes(app) and "2\\.1" in boxes(app)
    assert "### tatoeba / tiny" in page_text(app) and "A small one." in page_text(app)
    label = escape_markdown(Translator(language)("alignment.open", head="2.1"))
    assert label in [button.label for button in app.button]


def test_the_best_head_is_selected_on_the_page_of_translations(checkpoints_dir):
    folder = save_translation(checkpoints_dir, validation={**GREEDY, **MEASURED})
    write_result(folder, "alignment", six_digits(alignment()))
    app = open_page("models", task=TASK)
    app.session_state[translation_state(TASK)] = FIRST | {"text": "他昨天没有来。", "kind": "self", "head": "1.1"}
    label = escape_markdown(Translator("en")("alignment.open", head="2.1"))
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception and app.title[0].value == Translator("en")("translation.title")
    state = app.session_state[translation_state(TASK)]
    assert (state["text"], state["kind"], state["head"]) == ("他昨天没有来。", "cross", "2.1")


def test_classifiers_are_shown_as_before(checkpoints_dir):
    save_translation(checkpoints_dir)
    text = page_text(open_page("models", task="imdb"))
    say = Translator("en")
    assert say("health.note") in text and say("translation_figures.note") not in text
