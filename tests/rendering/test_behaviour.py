import dataclasses

import pytest

from tests.words import says
from viz_core.analysis.evaluation.behaviour import score_predictions
from viz_core.language import Translator
from viz_core.records import BehaviouralPrediction, BehaviouralTest
from viz_core.rendering.behaviour import category_scores
from viz_core.rendering.theme import theme

CORRECT = {"synonym": 9, "order": 5, "number": 3, "negation": 6, "overlap": 0, "noise": 10}  # of ten in each category

LABELS = ("different", "same")


def results(correct=CORRECT):
    return score_predictions(
        [
            BehaviouralPrediction(
                BehaviouralTest(category, ("a", "b"), LABELS[number % 2]), LABELS[(number + (number >= count)) % 2], 0.8
            )
            for category, count in correct.items()
            for number in range(10)
        ]
    )


def test_a_dot_per_category_on_its_interval_and_the_total_last(say, light):
    example = results({"order": 5, "noise": 10})
    (dots,) = category_scores(example, say, light).data
    assert list(dots.x) == [0.5, 1.0, 0.75] and list(dots.y) == [0, 1, 2.4]
    lows = [x - minus for x, minus in zip(dots.x, dots.error_x.arrayminus, strict=True)]
    assert lows == pytest.approx([example.scores[0].low, example.scores[1].low, example.overall.low])
    assert dots.error_x.array[1] == 0, "all ten are correct, so the interval ends at 100%"


def test_categories_have_names_and_counts_and_chance_is_marked(say, light):
    figure = category_scores(results({"order": 5, "noise": 10}), say, light)
    assert figure.layout.yaxis.ticktext == (
        *(say(f"behaviour.category_{name}") for name in ("order", "noise")),
        f"<b>{say('behaviour.category_all')}</b>",
    )
    counts = [say("behaviour.correct_of", correct=correct, n=n) for correct, n in ((5, 10), (10, 10), (15, 20))]
    assert [note.text for note in figure.layout.annotations] == counts
    (line,) = figure.layout.shapes
    assert line.x0 == line.x1 == 0.5 and line.line.dash == "dash"
    assert says(figure.layout.title.subtitle.text, "behaviour.chart_note")


def test_names_are_escaped(light):
    class Hostile(Translator):
        def __call__(self, message, /, **values):
            return "<i>&" if message == "behaviour.category_order" else super().__call__(message, **values)

    figure = category_scores(results({"order": 5}), Hostile("en"), light)
    assert figure.layout.yaxis.ticktext[0] == "&lt;i&gt;&amp;" and figure.data[0].customdata[0][0] == "&lt;i&gt;&amp;"


def test_without_categories_there_is_nothing_to_draw(say, light):
    with pytest.raises(ValueError, match="no categories"):
        category_scores(dataclasses.replace(results(), scores=()), say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_six_categories(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(category_scores(results(), say, theme), f"behaviour_{name}")

    def test_on_a_projector(self, picture_of_figure):
        picture_of_figure(
            category_scores(results(), Translator("zh"), theme("dark", projector=True)), "behaviour_projector"
        )
