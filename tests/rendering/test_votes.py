import numpy as np
import pytest

from viz_core.records import Question, Votes
from viz_core.rendering.ballot import ballot, code_page, notice
from viz_core.rendering.votes import votes_figure

OPTIONS = ("not", "good", "No single word: it is the order of the words & <b>nothing</b> else that matters here")
WORDS = Votes(Question("Which word decides?", OPTIONS, "en"), (0,) * 18 + (1,) * 2 + (2,) * 10)


def numbers(*given: float) -> Votes:
    return Votes(Question("How much?", (), "en"), tuple(sorted(given)))


GUESSES = numbers(*[0.9] * 4, *[0.5] * 9, *[0.3] * 5, *np.linspace(0, 1, 14).tolist(), 1e6)


def test_a_bar_per_option_is_as_long_as_its_share(say, light):
    figure = votes_figure(WORDS, say, light)
    (bars,) = figure.data
    assert list(bars.x) == pytest.approx([18 / 30, 2 / 30, 10 / 30])
    assert list(bars.text) == ["18 · 60%", "2 · 7%", "10 · 33%"]
    assert figure.layout.yaxis.ticktext[0] == "not" and "<b>" not in figure.layout.yaxis.ticktext[2]
    assert figure.layout.title.text == say("votes.count", count=30)


def test_a_dot_per_number_is_stacked_at_its_value(say, light):
    (dots,) = votes_figure(numbers(0.2, 0.2, 1.0, 0.5, 0.2), say, light).data
    assert list(dots.x) == pytest.approx([0.2, 0.2, 0.2, 0.5, 1.0]) and list(dots.y) == [1, 2, 3, 1, 1]


def test_numbers_that_nearly_agree_share_a_column(say, light):
    (dots,) = votes_figure(numbers(0, 0.5, 0.502, 1), say, light).data
    assert list(dots.x) == pytest.approx([0, 0.501, 0.501, 1]) and list(dots.y) == [1, 1, 2, 1]


def test_a_number_far_from_the_others_is_said_and_not_drawn(say, light):
    """The middle 90% of 33 numbers lie in 0..1; one is a million."""
    figure = votes_figure(GUESSES, say, light)
    assert len(figure.data[0].x) == len(GUESSES.given) - 1 and max(figure.data[0].x) <= 1
    subtitle = figure.layout.title.subtitle.text
    assert say("votes.outside", count=1) in subtitle and say("votes.median", median="0.5") in subtitle


@pytest.mark.parametrize("given", [(0.34,), (0.0,), (5.0,) * 500, (-1e19, 1e19), (1.0, 1.0 + 1e-15)])
def test_any_votes_can_be_drawn(say, light, given):
    figure = votes_figure(numbers(*given), say, light)
    assert len(figure.data[0].x) == len(given) and np.isfinite(figure.layout.xaxis.range).all()
    assert figure.layout.height < 500


def test_without_votes_there_is_nothing_to_draw(say, light):
    with pytest.raises(ValueError, match="no votes"):
        votes_figure(numbers(), say, light)


def test_what_a_teacher_or_a_phone_has_typed_is_text(say):
    hostile = '"><script>alert(1)</script>'
    question, number = Question(hostile, (hostile,), "en"), Question(hostile, (), "en")
    for page in (
        ballot(question, 0, say, refusal=hostile),
        ballot(question, 0, say, is_open=False),
        ballot(number, 0.5, say),
        code_page(say, hostile, hostile, hostile),
        notice(say, hostile),
    ):
        assert "<script" not in page and page.count("<h1>") == 1


@pytest.mark.browser
class TestPictures:
    def test_of_options(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(votes_figure(WORDS, say, theme), f"votes_{name}")

    def test_of_numbers(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(votes_figure(GUESSES, say, theme), f"votes_numbers_{name}")
