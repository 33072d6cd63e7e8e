"""A lesson as a notebook: a Markdown cell per card, and a cell that draws what it opens."""

import ast
import json
import re

import pytest

from tests.lessons.test_reading import FRONT, write
from tests.words import chinese, english, says
from viz_core.language import LANGUAGES, Translator
from viz_core.lessons import read_lessons
from viz_core.lessons.notebook import fenced, lesson_notebook
from viz_core.lessons.reading import read_lesson

CARD = """
## {name}

```toml
{settings}
```

### Look

A [query](glossary:query) sums to $1$.
{options}

***

It is **so**.

### 看

[查询](glossary:query)的和是 $1$。
{options}

***

是的。
"""


def cells(folder, settings: str, options: str = "", say: Translator = english) -> list[dict]:
    lesson = read_lesson(write(folder, FRONT + CARD.format(name="first", settings=settings, options=options)))
    document = json.loads(lesson_notebook(lesson, say, lambda task: f"first-of-{task}"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in document["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", name) for name in ids)  # as the format demands
    return document["cells"]


def sources(cells: list[dict], kind: str) -> list[str]:
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


@pytest.mark.parametrize(
    ("link", "call"),
    [
        ("sentiment?model=wide&text=Good.&head=2.1", 'show("imdb/wide", "Good.", layer=2, head=1, language="en")'),
        ("sentiment?text=Good.&head=*.3 1.1", 'show("imdb/first-of-imdb", "Good.", head=3, language="en")'),
        ("matching?model=m&a=花&b='呗'", """show("afqmc/m", "花", "'呗'", language="en")"""),
        ("language-model?model=imdb-text/small&text=A", 'show("imdb-text/small", "A", language="en")'),
        (
            "matching?model=m&a=花&b=呗&evidence=patching&source_a=借&source_b=呗&site=heads&patch=out",
            'show_patching("afqmc/m", ("花", "呗"), ("借", "呗"), site="heads", language="en")',
        ),
        (
            "sentiment?model=m&text=a&evidence=patching&source_text=b&site=paths&sender=1.3",
            'show_patching("imdb/m", "b", "a", sender="1.3", language="en")',
        ),
        ("models?task=imdb&model=m&atlas_x=next", 'show_heads("imdb/m", x="next", language="en")'),
    ],
)
def test_a_card_that_opens_texts_is_drawn_by_a_call(tmp_path, link, call):
    name = call.partition("(")[0]
    assert sources(cells(tmp_path, f'open = "{link}"'), "code") == [f"from viz_core import {name}", call]


@pytest.mark.parametrize("link", ["training", "sentiment?model=small", "sentiment?text=Good.&evidence=whatif"])
def test_what_only_the_app_can_show_has_its_address(tmp_path, link):
    text = "\n".join(sources(cells(tmp_path, f'open = "{link}"', say=chinese), "markdown"))
    page = link.partition("?")[0]
    assert says(text, "notebook.lesson_in_app", "zh", page=page)
    assert f"http://localhost:8501/{page}?lang=zh" in text


def test_a_question_has_its_options_and_a_folded_answer(tmp_path):
    _, card, answer = sources(cells(tmp_path, "ask = { choice = 2 }", "\n1. this\n2. that"), "markdown")
    assert card == "## Look\n\nA query sums to $1$.\n\n1. this\n2. that"
    assert answer.startswith("<details>")
    assert answer.index("**that**") < answer.index("It is **so**.")


def test_what_is_only_read_is_not_folded(tmp_path):
    *_, outcome = sources(cells(tmp_path, 'code = "models/attention.py:Attention.forward"'), "markdown")
    assert outcome.startswith("It is **so**.\n\n<details>")
    assert "def forward" in outcome


def test_a_fence_is_longer_than_those_within():
    assert fenced("a\n```\nb").splitlines() == ["````text", "a", "```", "b", "````"]


@pytest.mark.slow  # computes what every lesson shows
@pytest.mark.parametrize("lesson", read_lessons()[0], ids=lambda lesson: lesson.name)
def test_the_cells_of_a_lesson_run(lesson):
    say = Translator([*LANGUAGES][len(lesson.name) % 2])  # one language each
    document = json.loads(lesson_notebook(lesson, say, _first_model))
    names: dict = {}
    for source in dict.fromkeys(sources(document["cells"], "code")):  # several cards show the same
        line = ast.parse(source).body[0]
        if isinstance(line, ast.Expr):
            assert eval(source, names)._repr_html_().startswith("<iframe srcdoc="), source
        else:
            exec(source, names)


def _first_model(task: str) -> str:
    from viz_core import checkpoints

    return checkpoints.task_checkpoints(task)[0].name
