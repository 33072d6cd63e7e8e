from dataclasses import replace

import numpy as np
import pytest

from tests.rendering import examples
from viz_core.language import has_sentence
from viz_core.records import Message
from viz_core.rendering.probabilities import percent, probability_bars, verdict


def test_a_bar_per_class_with_its_percentage(say, light):
    figure = probability_bars(examples.explanation(examples.REVIEW, last=0.83), say, light)
    track, bars = figure.data
    assert list(bars.y) == [say(f"rendering.label_{label}") for label in ("negative", "positive")]
    assert list(bars.x) == pytest.approx([0.17, 0.83])
    assert bars.marker.color == light.classes and list(track.x) == [1, 1]
    assert [note.text for note in figure.layout.annotations] == ["17.0%", "83.0%"]
    assert figure.layout.yaxis.ticktext == (
        say("rendering.label_negative"),
        f"<b>{say('rendering.label_positive')}</b>",
    ), "the predicted label is bold"
    assert not figure.layout.shapes, "no line at 50%"


def test_more_than_two_classes_have_hues_of_their_own_with_an_edge(say, light):
    two = examples.explanation(examples.REVIEW)
    three = replace(
        two, labels=("negative", "positive", "different"), probabilities=np.array([0.2, 0.5, 0.3]), threshold=None
    )
    marker = probability_bars(three, say, light).data[1].marker
    assert list(marker.color) == list(light.categories[:3])
    assert marker.line.color == light.muted and marker.line.width == 1


def test_the_threshold_is_marked_on_the_last_class(say, light):
    figure = probability_bars(examples.explanation(*examples.PAIR, last=0.41, threshold=0.35), say, light)
    line = figure.layout.shapes[0]
    assert line.x0 == line.x1 == 0.35 and line.y0 > 0.5
    assert figure.layout.annotations[-1].text == say("rendering.threshold_mark", percent="35.0%")
    assert figure.layout.yaxis.ticktext[1] == f"<b>{say('rendering.label_same')}</b>", (
        "41% exceeds the threshold of 35%"
    )


@pytest.mark.parametrize(
    "last, threshold, grade",
    [
        (0.55, 0.5, "barely"),
        (0.45, 0.5, "barely"),
        (0.7, 0.5, "fairly"),
        (0.3, 0.5, "fairly"),
        (0.95, 0.5, "very"),
        (0.02, 0.5, "very"),
        (0.41, 0.35, "barely"),
        (0.5, 0.5, "barely"),
        (0.3, 0.3, "barely"),
        (1.0, 1.0, "very"),
        (0.455, 0.25, "leans"),
        (0.508, 0.375, "leans"),
        (0.61, 0.375, "fairly"),
        (0.59, 0.25, "leans"),
        (0.545, 0.75, "leans"),
        (0.3, 0.25, "barely"),
        (0.7, 0.75, "barely"),
    ],
)
def test_the_verdict_is_graded_from_the_threshold(last, threshold, grade):
    explanation = examples.explanation(examples.REVIEW, last=last, threshold=threshold)
    message = verdict(explanation)
    assert message.key == f"rendering.verdict_{grade}"
    assert message.values["label"].key.endswith("positive" if last >= threshold else "negative")


@pytest.mark.parametrize(
    ("last", "threshold", "label", "share", "grade"),
    [
        (0.97, 0.5, "same", "97.0%", "very"),
        (0.15, 0.5, "different", "85.0%", "fairly"),
        (0.41, 0.35, "same", "41.0%", "barely"),
        (0.455, 0.25, "same", "45.5%", "leans"),
    ],
)
def test_the_verdict_names_the_label_and_its_probability(last, threshold, label, share, grade):
    message = verdict(examples.explanation(*examples.PAIR, last=last, threshold=threshold))
    values = {"label": Message(f"rendering.label_{label}"), "percent": share}
    assert message == Message(f"rendering.verdict_{grade}", values) and has_sentence(message)


def test_no_model_is_a_hundred_percent_sure():
    assert [percent(p) for p in (0.0001, 0.5, 0.99996, 0.999)] == ["<0.1%", "50.0%", ">99.9%", "99.9%"]


def test_lengths_are_checked(say, light):
    explanation = examples.explanation(examples.REVIEW)
    object.__setattr__(explanation, "probabilities", np.ones(3) / 3)
    with pytest.raises(ValueError, match="2 labels.*3"):
        probability_bars(explanation, say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_a_review(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(probability_bars(examples.explanation(examples.REVIEW), say, theme), f"probabilities_{name}")

    def test_of_a_threshold(self, look, picture_of_figure):
        theme, say, name = look
        explanation = examples.explanation(*examples.PAIR, last=0.41, threshold=0.35)
        picture_of_figure(probability_bars(explanation, say, theme), f"probabilities_threshold_{name}")
