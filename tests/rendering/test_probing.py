import dataclasses

import pytest

from viz_core.analysis.behaviour import score_predictions
from viz_core.language import Translator
from viz_core.records import BehaviouralTest, BehaviouralPrediction
from viz_core.rendering.probing import probe_scores
from viz_core.rendering.theme import theme

RIGHT = {"synonym": 9, "order": 5, "number": 3, "negation": 6, "overlap": 0, "noise": 10}  # of ten each


def probing(right=RIGHT):
    return score_predictions(
        [
            BehaviouralPrediction(BehaviouralTest(category, ("a", "b"), "same"), "same" if number < count else "different", 0.8)
            for category, count in right.items()
            for number in range(10)
        ]
    )


def test_a_dot_a_category_on_its_interval_and_all_together_last(say, light):
    found = probing({"order": 5, "noise": 10})
    (dots,) = probe_scores(found, say, light).data
    assert list(dots.x) == [0.5, 1.0, 0.75] and list(dots.y) == [0, 1, 2.4]
    lows = [x - minus for x, minus in zip(dots.x, dots.error_x.arrayminus, strict=True)]
    assert lows == pytest.approx([found.scores[0].low, found.scores[1].low, found.overall.low])
    assert dots.error_x.array[1] == 0, "all of ten are right: it reaches to 100 %"


def test_categories_are_named_counts_written_and_chance_is_marked(say, light):
    figure = probe_scores(probing({"order": 5, "noise": 10}), say, light)
    assert figure.layout.yaxis.ticktext == ("Order of words", "Typos, politeness", "<b>All together</b>")
    assert [one.text for one in figure.layout.annotations] == ["5 of 10", "10 of 10", "15 of 20"]
    (line,) = figure.layout.shapes
    assert line.x0 == line.x1 == 0.5 and line.line.dash == "dash"
    assert "dashed: always the same answer" in figure.layout.title.subtitle.text.replace("<br>", " ")


def test_names_are_shown_not_read(light):
    class Hostile(Translator):
        def __call__(self, message, /, **values):
            return "<i>&" if message == "behaviour.category_order" else super().__call__(message, **values)

    figure = probe_scores(probing({"order": 5}), Hostile("en"), light)
    assert figure.layout.yaxis.ticktext[0] == "&lt;i&gt;&amp;" and figure.data[0].customdata[0][0] == "&lt;i&gt;&amp;"


def test_without_categories_there_is_nothing_to_draw(say, light):
    with pytest.raises(ValueError, match="no categories"):
        probe_scores(dataclasses.replace(probing(), scores=()), say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_six_categories(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(probe_scores(probing(), say, theme), f"probing_{name}")

    def test_on_a_projector(self, picture_of_figure):
        picture_of_figure(probe_scores(probing(), Translator("zh"), theme("dark", projector=True)), "probing_projector")
