import numpy as np
import pytest

from tests.words import says
from viz_core.language import Translator
from viz_core.rendering.confusion import confusion_matrix
from viz_core.rendering.theme import theme
from viz_core.tasks.thucnews import THUCNEWS

SENTIMENT, PAIRS = ("negative", "positive"), ("different", "same")
SECTIONS = THUCNEWS.labels
TEN = (
    np.diag([81, 92, 75, 90, 78, 93, 83, 92, 79, 78]) + np.diag([3, 0, 8, 1, 9, 4, 5, 0, 12], 1) + np.diag([6] * 9, -1)
)
TEN[0, 2] += 10
TEN[0, 4] += 6
GOOD, COLLAPSED = np.array([[10980, 1520], [1570, 10930]]), np.array([[2978, 0], [1338, 0]])


def test_cells_hold_counts_and_shares_of_their_row(say, light):
    figure = confusion_matrix(np.array([[3, 1], [0, 1200]]), SENTIMENT, "validation", say, light)
    cells, numbers = figure.data
    assert cells.type == "heatmap" and cells.z.tolist() == [[0.75, 0.25], [0, 1]] and (cells.zmin, cells.zmax) == (0, 1)
    assert list(numbers.text) == [
        "<b>3</b><br>75.0%",
        "<b>1</b><br>25.0%",
        "<b>0</b><br>0.0%",
        "<b>1,200</b><br>100.0%",
    ]
    assert list(zip(numbers.y, numbers.x, strict=True)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert tuple(figure.layout.yaxis.range) == (1.5, -0.5), "the first label stands on top"


def test_rows_are_true_labels_and_columns_predicted_ones(say, light):
    axes = confusion_matrix([[3, 1], [0, 1]], SENTIMENT, "validation", say, light).layout
    labels = [say(f"rendering.label_{label}") for label in SENTIMENT]
    assert (axes.xaxis.title.text, axes.xaxis.ticktext) == (say("rendering.confusion_predicted"), tuple(labels))
    totals = [say("rendering.confusion_rows", count=count) for count in (4, 1)]
    assert axes.yaxis.title.text == say("rendering.confusion_true")
    assert axes.yaxis.ticktext == tuple(f"{label}<br>{total}" for label, total in zip(labels, totals, strict=True))


def test_the_subtitle_tells_that_all_predictions_are_the_same(say, light):
    sentence = say("rendering.confusion_one_label", label=say("rendering.label_different"))
    collapsed = confusion_matrix(COLLAPSED, PAIRS, "validation", say, light)
    assert collapsed.layout.title.subtitle.text == f"<b>{sentence}</b>"
    good = confusion_matrix(GOOD, SENTIMENT, "validation", say, light)
    assert says(good.layout.title.subtitle.text, "rendering.confusion_note")


def test_the_title_names_the_split(say, light):
    for split in ("validation", "test"):
        figure = confusion_matrix(GOOD, SENTIMENT, split, say, light)
        assert figure.layout.title.text == say(f"rendering.confusion_{split}")


def test_nothing_measured_and_a_label_without_examples(say, light):
    nothing = confusion_matrix(np.zeros((2, 2), int), PAIRS, "validation", say, light)
    assert nothing.layout.title.subtitle.text == say("rendering.confusion_empty")
    assert confusion_matrix([[0, 0], [1, 2]], PAIRS, "validation", say, light).data[1].text[0] == "<b>0</b><br>–"


def test_more_than_two_labels(say, light):
    figure = confusion_matrix(np.eye(3, dtype=int), (*PAIRS, "negative"), "validation", say, light)
    assert figure.data[0].z.shape == (3, 3) and len(figure.data[1].text) == 9


def test_cells_of_many_labels_hold_their_count_alone(say, light):
    figure = confusion_matrix(TEN, SECTIONS, "validation", say, light)
    assert figure.data[1].text[0] == "81" and figure.data[1].text[1] == "3" and figure.data[1].text[9] == ""
    assert figure.data[0].z[0, 0] == 0.81 and says(figure.layout.title.subtitle.text, "rendering.confusion_note_many")
    assert figure.layout.width < 700, "half a page"


@pytest.mark.parametrize(("letters", "is_turned"), [(2, False), (13, True)])
def test_names_wider_than_their_column_are_turned(light, letters, is_turned):
    class Names(Translator):
        def __call__(self, message, /, **values):
            is_label = isinstance(message, str) and message.startswith("rendering.label_")
            return "m" * letters if is_label else super().__call__(message, **values)

    figure = confusion_matrix(TEN, SECTIONS, "validation", Names("en"), light)
    assert (figure.layout.xaxis.tickangle < 0) == is_turned


def test_long_names_of_few_labels_are_wrapped(say, light):
    axes = confusion_matrix(GOOD, PAIRS, "validation", say, light).layout
    words = say("rendering.label_different").split()
    assert axes.xaxis.ticktext[0] == "<br>".join(words) and len(words) == 2
    assert axes.yaxis.ticktext[0].startswith("<br>".join(words))
    alone = confusion_matrix(GOOD, SENTIMENT, "validation", say, light).layout
    assert axes.margin.t > alone.margin.t and axes.margin.l < alone.margin.l + 2 * light.text


def test_names_are_escaped(light):
    class Hostile(Translator):
        def __call__(self, message, /, **values):
            return "<i>%{z}&" if message == "rendering.label_same" else super().__call__(message, **values)

    figure = confusion_matrix(GOOD, PAIRS, "validation", Hostile("en"), light)
    assert figure.layout.xaxis.ticktext[1] == "&lt;i&gt;%{z}&amp;" and "&lt;" not in figure.data[0].hovertemplate


@pytest.mark.parametrize(
    "counts, labels, message",
    [
        (np.ones((2, 3)), PAIRS, r"2 labels, against counts of shape \(2, 3\)"),
        (np.ones((2, 2)), ("same",), "1 labels"),
        (np.ones((0, 0)), (), "0 labels"),
        ([[1, -1], [0, 0]], PAIRS, "must be 0 or more"),
        ([[1, np.nan], [0, 0]], PAIRS, "must be 0 or more"),
    ],
)
def test_inconsistent_records_are_rejected(say, light, counts, labels, message):
    with pytest.raises(ValueError, match=message):
        confusion_matrix(counts, labels, "validation", say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_a_good_model(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(confusion_matrix(GOOD, SENTIMENT, "validation", say, theme), f"confusion_{name}")

    def test_of_a_collapsed_model(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(confusion_matrix(COLLAPSED, PAIRS, "validation", say, theme), f"confusion_collapsed_{name}")

    def test_of_ten_classes(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(confusion_matrix(TEN, SECTIONS, "validation", say, theme), f"confusion_ten_{name}")

    def test_on_a_projector(self, picture_of_figure):
        picture_of_figure(
            confusion_matrix(GOOD, SENTIMENT, "test", Translator("zh"), theme("dark", projector=True)),
            "confusion_projector",
        )
