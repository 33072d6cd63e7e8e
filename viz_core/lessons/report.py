"""What a student hands in of a lesson: the questions with their answers, and figures, as HTML or as a notebook."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.lessons.glossary import plain_terms
from viz_core.lessons.lesson import Card, Lesson, Side
from viz_core.lessons.markup import html, inline
from viz_core.lessons.notebook import drawing_cell, fenced, markdown_cell, notebook, options, right_answer
from viz_core.rendering.export import View, standalone_html
from viz_core.rendering.labels import printable
from viz_core.rendering.markup import safe
from viz_core.rendering.theme import Theme

_CSS = """
main{max-width:800px;margin:auto;line-height:1.5} h1,h2{line-height:1.25;margin:1.6em 0 .4em} h2{font-size:1.25em}
p,ol,ul{margin:.4em 0} .answer{margin:.6em 0;padding:.4em .8em;border-left:4px solid ACCENT;white-space:pre-wrap;
overflow-wrap:anywhere} .unanswered{color:MUTED;border-left-style:dotted} figure{margin:.8em 0;overflow-x:auto}
.note{color:MUTED}
@page{margin:14mm}
@media print{body{margin:0} figure>div{zoom:.8} .modebar{display:none!important}
h2{break-after:avoid} figure,.answer{break-inside:avoid}}
"""
_LARGEST = 1e15  # of a number; larger ones, and NaN, were not typed into the box
_MARKS = {True: "report.right", False: "report.wrong"}


@dataclass(frozen=True)
class Shown:
    """What a card opens, drawn.

    Attributes:
        figure: The attention.
        prediction: What the model predicts, as a sentence; empty if nothing.
    """

    figure: go.Figure
    prediction: str = ""


@dataclass(frozen=True)
class Report:
    """A lesson with a student's answers.

    Attributes:
        lesson: The lesson.
        answers: By name of the card: the number of an option, a number, or a text. Others count as no answer.
        student: The name, as typed; may be empty.
        date: Of the report, `2025-01-31`.
    """

    lesson: Lesson
    answers: Mapping[str, object]
    student: str
    date: str

    def html(self, shown: Mapping[str, Shown], say: Translator, theme: Theme) -> str:
        """A document that opens and prints offline.

        Args:
            shown: By name of the card.
        """
        title = self._title(say)
        css = _CSS.replace("ACCENT", theme.accent).replace("MUTED", theme.muted)
        head = f'<style>{css}</style><main lang="{say.language}"><h1>{safe(title)}</h1>'
        views: list[View] = [head + "".join(f'<p class="note">{safe(line)}</p>' for line in self._lines(say))]
        for card in self.lesson.cards:
            if card.ask or card.name in shown:
                views += self._section(card, shown.get(card.name), say)
        return standalone_html([*views, "</main>"], title, theme)

    def notebook(self, say: Translator, first_model: Callable[[str], str]) -> str:
        """The same as a notebook, whose cells draw what the cards open, each once.

        Args:
            first_model: The model of a task that a page shows if the link names none.
        """
        title, lines = f"# {self._title(say)}", fenced("\n".join(self._lines(say)))
        cells, drawn = [markdown_cell("lesson", title, lines)], []
        for card in self.lesson.cards:
            side, drawing = card.sides[say.language], drawing_cell(card, say, first_model)
            is_drawn = drawing is not None and drawing["source"] not in drawn
            if card.ask:
                cells.append(markdown_cell(f"{card.name}_card", *_question(side), *self._answer_cell(card, side, say)))
            elif is_drawn:
                cells.append(markdown_cell(f"{card.name}_card", f"## {side.title}"))
            if drawing and is_drawn:
                drawn.append(drawing["source"])
                cells.append(drawing)
        return notebook(cells)

    def _title(self, say: Translator) -> str:
        return say("report.title", lesson=self.lesson.about[say.language].title)

    def _lines(self, say: Translator) -> list[str]:
        """Student, date, and how many questions are answered."""
        asked = [card for card in self.lesson.cards if card.ask]
        answered = [card for card in asked if self._answer(card) is not None]
        marks = [mark for card in answered if (mark := self._mark(card)) is not None]
        name = [say("report.student", name=printable(self.student))] if self.student else []
        counts = say("report.counts", answered=len(answered), asked=len(asked))
        right = [say("report.right_counts", right=sum(marks), marked=len(marks))] if marks else []
        return [*name, self.date, " ".join([counts, *right])]

    def _answer(self, card: Card) -> str | float | None:
        """The answer if it is one of the kind that is asked for, else None."""
        answer, ask = self.answers.get(card.name), card.ask
        if ask and ask.text and isinstance(answer, str):
            return answer.strip() or None
        if ask is None or ask.text or isinstance(answer, bool) or not isinstance(answer, int | float):
            return None
        if ask.number is not None:
            return answer if abs(answer) <= _LARGEST else None
        options = range(1, 1 + min(len(side.options) for side in card.sides.values()))
        return answer if answer in options else None

    def _mark(self, card: Card) -> bool | None:
        return card.ask.is_right(self._answer(card)) if card.ask else None

    def _written(self, card: Card, side: Side) -> str:
        """The answer in words, option or number; empty if there is none."""
        answer = self._answer(card)
        if isinstance(answer, str):
            return "\n".join(map(printable, answer.splitlines()))
        if answer is None:
            return ""
        is_option = card.ask is not None and card.ask.choice is not None
        return f"{answer:g}. {plain_terms(side.options[int(answer) - 1])}" if is_option else f"{answer:.10g}"

    def _outcome(self, card: Card, side: Side, say: Translator) -> str:
        """Whether the answer is right; empty if nobody can tell."""
        mark = None if self._answer(card) is None else self._mark(card)
        if mark is None or card.ask is None:
            return ""
        return say(_MARKS[mark], answer=right_answer(card.ask, side))

    def _section(self, card: Card, shown: Shown | None, say: Translator) -> list[View]:
        side = card.sides[say.language]
        body = f"<h2>{inline(side.title)}</h2>"
        if card.ask:
            answer = self._written(card, side)
            written = safe(answer) if card.ask.text else inline(answer)
            kind, text = ("answer", written) if answer else ("answer unanswered", safe(say("report.open")))
            body += html(side.text) + html(options(side)) + f'<div class="{kind}">{text}</div>'
            body += f"<p>{inline(self._outcome(card, side, say))}</p>"
        if shown is None:
            return [f"<section>{body}</section>"]
        sentence = f"<figcaption>{safe(shown.prediction)}</figcaption>"
        return [f"<section>{body}<figure>{sentence}", shown.figure, "</figure></section>"]

    def _answer_cell(self, card: Card, side: Side, say: Translator) -> list[str]:
        answer = self._written(card, side)
        heading = f"**{say('report.answer')}**"
        if not answer:
            return [f"{heading} {say('report.open')}"]
        written = fenced(answer) if card.ask and card.ask.text else answer
        return [heading, written, self._outcome(card, side, say)]


def _question(side: Side) -> list[str]:
    return [f"## {side.title}", plain_terms(side.text), options(side)]
