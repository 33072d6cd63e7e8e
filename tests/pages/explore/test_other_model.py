"""One input through two models of any kind, on untrained checkpoints."""

import pytest

from pages.explore import other_model
from pages.shared.wording import escape_markdown
from tests.pages.app import open_page, page_text
from tests.tiny import save_bag, save_checkpoint
from viz_core.language import Translator

pytestmark = pytest.mark.usefixtures("checkpoints_dir")
TEXT = "a good film"


def charts(app) -> set[str]:
    return {button.key.removeprefix("html_") for button in app.get("download_button") if button.key.startswith("html_")}


def test_without_another_model_the_section_says_so():
    app = open_page("sentiment", evidence="models", text=TEXT)
    assert Translator("en")("evidence.models_none") in [info.value for info in app.info]


@pytest.mark.parametrize("first", ["tiny", "certain"])
def test_any_two_models_are_drawn_side_by_side(checkpoints_dir, first):
    """An encoder beside a model without attention, and the other way round."""
    save_bag(checkpoints_dir, "certain", 20.0)
    app = open_page("sentiment", evidence="models", model=first, text=TEXT)
    assert app.selectbox(key="other").value == ({"tiny", "certain"} - {first}).pop()
    assert {"probabilities_0", "probabilities_1", "leave_one_out_0", "leave_one_out_1"} <= charts(app)


@pytest.mark.parametrize(("bias", "key"), [(20.0, "same"), (-20.0, "different")])
def test_the_page_says_whether_both_predict_the_same(checkpoints_dir, bias, key):
    save_bag(checkpoints_dir, "first", 20.0)
    save_bag(checkpoints_dir, "second", bias)
    app, say = open_page("sentiment", evidence="models", model="first", other="second", text=TEXT), Translator("en")
    assert escape_markdown(say(f"evidence.models_{key}", label=say("rendering.label_positive"))) in page_text(app)


def test_both_sides_are_about_the_prediction_of_the_first_model(checkpoints_dir, monkeypatch):
    save_bag(checkpoints_dir, "first", 20.0)
    save_bag(checkpoints_dir, "second", -20.0)
    targets, draw = [], other_model.attribution_bars
    monkeypatch.setattr(
        other_model,
        "attribution_bars",
        lambda results, *rest: (targets.append(results[0].target), draw(results, *rest))[1],
    )
    open_page("sentiment", evidence="models", model="first", other="second", text=TEXT)
    assert targets == ["positive", "positive"]


def test_a_model_of_another_task_in_the_link_is_ignored(checkpoints_dir):
    save_checkpoint(checkpoints_dir, "imdb", "tiny-2")
    app = open_page("sentiment", evidence="models", other="afqmc/tiny", text=TEXT)
    assert app.selectbox(key="other").value == "tiny-2"
