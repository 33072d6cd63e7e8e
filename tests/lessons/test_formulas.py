"""Formulas become MathML that says the same."""

import re
from xml.etree import ElementTree

import pytest

from tests.lessons.test_shipped_lessons import LESSONS
from viz_core.language import LANGUAGES
from viz_core.lessons.formulas import FORMULA, mathml


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("0.99", "<mn>0.99</mn>"),
        (r"q \cdot k", "<mi>q</mi><mo>·</mo><mi>k</mi>"),
        ("a < -b", "<mi>a</mi><mo>&lt;</mo><mo>−</mo><mi>b</mi>"),
        ("x^2_i", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        ("e^{s_1}", "<msup><mi>e</mi><mrow><msub><mi>s</mi><mn>1</mn></msub></mrow></msup>"),
        (
            r"\frac{QK^\top}{\sqrt{d}}",
            "<mfrac><mrow><mi>Q</mi><msup><mi>K</mi><mo>⊤</mo></msup></mrow>"
            "<mrow><msqrt><mrow><mi>d</mi></mrow></msqrt></mrow></mfrac>",
        ),
        (r"\text{softmax}\left(s\right)", "<mtext>softmax</mtext><mo>(</mo><mi>s</mi><mo>)</mo>"),
        (r"\unknown", "<mtext>unknown</mtext>"),
        ("x_", "<msub><mi>x</mi><mrow></mrow></msub>"),
    ],
)
def test_a_formula(latex, expected):
    assert mathml(latex) == f"<math>{expected}</math>"
    ElementTree.fromstring(mathml(latex))  # in order


def test_every_name_in_a_formula_of_a_lesson_is_known():
    for lesson in LESSONS:
        for side in (card.sides[language] for card in lesson.cards for language in LANGUAGES):
            for latex in FORMULA.findall("\n".join([side.text, side.reveal, side.notes, *side.options])):
                written = re.findall(r"\\text\{([^}]*)\}|\\mathrm\{([^}]*)\}", latex)
                shown = [part.text for part in ElementTree.fromstring(mathml(latex)).iter("mtext")]
                assert shown == ["".join(each) for each in written], latex
