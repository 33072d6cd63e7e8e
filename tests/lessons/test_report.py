"""The report of a lesson: the answers as they were given, what is right, and nothing that a student typed is markup."""

import json
from html.parser import HTMLParser

import plotly.graph_objects as go
import pytest

from tests.lessons.test_notebook import CARD
from tests.lessons.test_reading import FRONT, write
from tests.words import english, says
from viz_core.lessons.markup import html
from viz_core.lessons.reading import read_lesson
from viz_core.lessons.report import Report, Shown
from viz_core.rendering.theme import theme

CARDS = {
    "read": ("", ""),
    "shown": ('open = "sentiment?model=m&text=Good."', ""),
    "again": ('open = "sentiment?model=m&text=Good."', ""),
    "choice": ("ask = { choice = 2 }", "\n1. this\n2. that"),
    "opinion": ("ask = { choice = 0 }", "\n1. yes\n2. no"),
    "number": ("ask = { number = 0.3, within = 0.1 }", ""),
    "text": ("ask = { text = true }", ""),
}
HOSTILE = (
    "<script>alert(1)</script> **bold** $\\sqrt{2}$\n```\n"
    "<img src=x onerror=alert(1)>\n````\n[a](javascript:b)\u202e\ud800"
)


@pytest.fixture
def lesson(tmp_path):
    cards = "".join(
        CARD.format(name=name, settings=settings, options=options) for name, (settings, options) in CARDS.items()
    )
    return read_lesson(write(tmp_path, FRONT + cards))


class _Tags(HTMLParser):
    """The tags of a document, and the texts of its answers."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags, self.answers, self._is_answer = [], [], False
        self.feed(document)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._is_answer = (dict(attrs).get("class") or "").startswith("answer")
        self.answers += [""] * self._is_answer

    def handle_endtag(self, tag):
        self._is_answer = False

    def handle_data(self, data):
        if self._is_answer:
            self.answers[-1] += data


def document(lesson, answers, shown=None, student=""):
    return Report(lesson, answers, student, "2025-01-31").html(shown or {}, english, theme("light"))


def markdown(lesson, answers, student="") -> list[str]:
    made = Report(lesson, answers, student, "2025-01-31").notebook(english, lambda task: "m")
    made.encode()
    return ["".join(cell["source"]) for cell in json.loads(made)["cells"] if cell["cell_type"] == "markdown"]


def test_each_question_has_the_answer_and_whether_it_is_right(lesson):
    given = {"choice": 1, "opinion": 2, "number": 0.35, "text": "Because."}
    made = document(lesson, given, student="Ada")
    assert _Tags(made).answers == ["1. this", "2. no", "0.35", "Because."]
    assert says(made, "report.wrong", answer="that")
    assert says(made, "report.right_counts", right=1, marked=2)
    assert says(made, "report.counts", answered=4, asked=4)
    assert says(made, "report.student", name="Ada")
    assert "2025-01-31" in made


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"choice": 3, "opinion": True, "number": 10**400, "text": "  "},
        {"choice": "1", "number": float("nan"), "text": 1},
    ],
)
def test_what_is_no_answer_is_open(lesson, wrong):
    open_ = english("report.open")
    assert _Tags(document(lesson, wrong)).answers == [open_] * 4
    assert sum(open_ in cell for cell in markdown(lesson, wrong)) == 4


def test_what_a_student_typed_is_text_in_the_document(lesson):
    harmless = document(lesson, {"text": "a"}, student="b")
    made = document(lesson, {"text": HOSTILE}, student=HOSTILE)
    made.encode()
    assert _Tags(made).tags == _Tags(harmless).tags
    assert _Tags(made).answers[-1].startswith("<script>alert(1)</script> **bold** $\\sqrt{2}$\n```\n<img")


def test_what_a_student_typed_is_text_in_the_notebook(lesson):
    cells = markdown(lesson, {"text": HOSTILE}, student=HOSTILE)
    (answer,) = [cell for cell in cells if "bold" in cell and cell.startswith("##")]
    lines = answer.splitlines()
    start = lines.index("`````text")  # longer than any fence that was typed, so that all of it is code
    assert lines[start + 1].startswith("<script>")
    assert lines[-1] == "`````"
    assert lines.index("`````") == len(lines) - 1
    assert "`````text" in cells[0]


def test_figures_share_one_script(lesson):
    shown = {name: Shown(go.Figure(go.Heatmap(z=[[0.1]])), "Positive, 97%") for name in ("shown", "again")}
    one, two = (document(lesson, {}, dict([*shown.items()][:count])) for count in (1, 2))
    assert len(two) - len(one) < 20_000
    assert _Tags(two).tags.count("figure") == 2
    assert "Positive, 97%" in two


def test_the_notebook_draws_the_same_once(lesson):
    made = json.loads(Report(lesson, {}, "", "2025-01-31").notebook(english, lambda task: "m"))
    code = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
    assert code == ["from viz_core import show", 'show("imdb/m", "Good.", language="en")']


def test_markdown_of_a_lesson():
    lines = (
        "<p>A <strong>b <em>c</em> d</strong> <code>&lt;d*e*&gt;</code></p>",
        "<ul>",
        "<li>x</li>",
        "<li>y</li>",
        "</ul>",
    )
    assert html("A **b *c* d** `<d*e*>`\n\n- x\n- y").splitlines() == [*lines]
    assert "<msub><mi>y</mi><mn>1</mn></msub>" in html("$y_1*z*$") and "<em>" not in html("$y_1*z*$")
    assert html("<b>[term](glossary:head)").strip() == "<p>&lt;b&gt;term</p>"
