"""The scene about pre-training: the predictions of the shipped models, each a way to what they attend to."""

import pytest

from pages.shared.tasks import BEFORE_AND_AFTER
from tests.pages.app import explorer, open_page
from tests.words import says
from viz_core.checkpoints import FOLDER

TEXT = "Not bad at all."
pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.fixture
def lessons(monkeypatch):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(FOLDER))
    return open_page("lessons")


def test_a_button_says_what_a_model_predicts_and_whether_it_is_right(lessons):
    small, distilled, minilm = (lessons.button(key=f"scene_{name}_{TEXT}") for name in BEFORE_AND_AFTER.models)
    assert says(small.label, "rendering.label_negative") and small.proto.icon == ":material/close:"
    assert says(distilled.label, "rendering.label_positive") and distilled.proto.icon == ":material/check:"
    assert says(minilm.label, "rendering.label_positive") and minilm.proto.icon == ":material/check:"


def test_the_first_model_opens_with_the_input(lessons):
    lessons.button(key=f"scene_small_{TEXT}").click().run()
    view = explorer(lessons)
    assert (view["model"], view["instrument"]["texts"], view["selection"].get("ref_model")) == ("small", [TEXT], None)


def test_another_model_opens_beside_the_first(lessons):
    lessons.button(key=f"scene_minilm_{TEXT}").click().run()
    view = explorer(lessons)
    assert (view["model"], view["instrument"]["texts"]) == ("minilm", [TEXT])
    assert [view["selection"][name] for name in ("ref_model", "ref_head", "ref_mode")] == ["small", "2.2", "side"]


def test_there_is_no_scene_without_models_to_compare(checkpoints_dir):
    assert not [button for button in open_page("lessons").button if button.key.startswith("scene_")]
