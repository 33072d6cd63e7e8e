"""A lesson is what its file says; what is wrong with a file is said with the card."""

from pathlib import Path

import pytest

from viz_core.lessons.finding import read_lessons
from viz_core.lessons.reading import read_lesson
from viz_core.records import Failure

FRONT = '+++\nminutes = 15\n[en]\ntitle = "Looking"\nsummary = "At it."\n[zh]\ntitle = "看"\nsummary = "看它。"\n+++\n'
CARD = """
## first-look

```toml
minutes = 2
open = "sentiment?text=The film is not good.&head=2.2"
point = ["text", "heads"]
ask = { choice = 2 }
```

### Which word?

The model says **negative**. Why?

1. film
2. not

Think first.

***

It is “not”. Two facts:

1. one

> Wait.
> Then ask.

### 哪个词？

为什么？

1. film
2. not

> 先等。
"""
DONE = 'done = { is = { head = ["2.2", "1.1"] }, set = ["masked"], changed = ["text"], predicts = "positive" }'
DOING = CARD.replace("ask = { choice = 2 }", DONE)


def write(folder: Path, text: str) -> Path:
    file = folder / "1-looking.md"
    file.write_text(text, "utf-8")
    return file


def test_a_lesson_is_what_its_file_says(tmp_path):
    lesson = read_lesson(write(tmp_path, FRONT + CARD))
    assert (lesson.name, lesson.minutes, lesson.about["zh"].title) == ("looking", 15, "看")
    (card,) = lesson.cards
    assert card.state("en") == ("sentiment", {"text": "The film is not good.", "head": "2.2"})
    assert card.state("zh") == card.state("en")
    assert card.point == ("text", "heads")
    side = card.sides["en"]
    assert side.title == "Which word?"
    assert side.text.split("\n\n") == ["The model says **negative**. Why?", "Think first."]
    assert side.options == ("film", "not")
    assert side.reveal.startswith("It is “not”.")
    assert side.reveal.endswith("1. one")  # only the list of the question is its options
    assert side.notes == "Wait.\nThen ask."
    assert card.sides["zh"].reveal == ""


def test_a_card_is_done_when_all_of_it_holds(tmp_path):
    (card,) = read_lesson(write(tmp_path, FRONT + DOING)).cards
    _, opened = card.state("en")
    done = {**opened, "head": "1.1", "masked": "2.2", "text": "The film is good."}
    assert card.done.holds("sentiment", done, opened)
    for undone in ({"head": "3.1"}, {"masked": ""}, {"text": opened["text"]}):
        assert not card.done.holds("sentiment", {**done, **undone}, opened)
    assert not card.done.holds("matching", done, opened)  # another page than that of the card
    assert not card.done.holds("sentiment", {"head": "1.1", "masked": "2.2"}, opened)  # not drawn yet


def test_answers(tmp_path):
    def read(ask):
        return read_lesson(write(tmp_path, FRONT + CARD.replace("{ choice = 2 }", ask))).cards[0].ask

    choice, opinion, number = read("{ choice = 2 }"), read("{ choice = 0 }"), read("{ number = 0.3, within = 0.1 }")
    assert [choice.is_right(answer) for answer in (1, 2)] == [False, True]
    assert opinion.is_right(1) is None
    assert [number.is_right(answer) for answer in (0.2, 0.4, 0.41, None)] == [True, True, False, False]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (FRONT, "no card"),
        (CARD, "+++"),
        (FRONT + CARD.replace("### 哪个词？", "#### 哪个词？"), "first-look"),
        (FRONT + CARD.replace("choice = 2", "choice = 3"), "choice 3 of 2"),
        (FRONT + CARD.replace("minutes = 2", "minute = 2"), "minute"),
        (FRONT + DOING.replace("set = ", "sets = "), "sets"),
        (FRONT + CARD.replace("ask =", f"{DONE}\nask ="), "both"),
        (FRONT + CARD.replace("first-look", "First look"), "First look"),
        (FRONT + CARD + CARD, "first-look"),
        (FRONT.replace("[zh]", "[fr]") + CARD, "zh"),
        (FRONT.replace("minutes = 15", "minutes = "), "line 1"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, wrong, named):
    with pytest.raises(Failure) as failure:
        read_lesson(write(tmp_path, wrong))
    values = failure.value.message.values
    assert values["file"] == "1-looking.md"
    assert named in values["reason"]


@pytest.mark.parametrize(
    "wrong",
    [
        FRONT.replace("minutes = 15", 'minutes = "ten"') + CARD,
        FRONT.replace('title = "看"', "title = 5") + CARD,
        FRONT.replace("[zh]", "[other]").replace("minutes = 15", 'zh = "x"') + CARD,
        FRONT + CARD.replace('point = ["text", "heads"]', "point = 5"),
        FRONT + CARD.replace("ask = { choice = 2 }", "ask = { choice = 2 }\ncode = 5"),
        FRONT + CARD.replace("{ choice = 2 }", "{ choice = -1 }"),
        FRONT + CARD.replace("ask = { choice = 2 }", 'ask = ["choice"]'),
        FRONT + CARD.replace("ask = { choice = 2 }", "ask = {}"),
    ],
)
def test_values_of_the_wrong_kind_are_said_and_break_no_page(tmp_path, monkeypatch, wrong):
    write(tmp_path, wrong)
    (tmp_path / ".#1-looking.md").symlink_to(tmp_path / "gone.md")  # as an editor makes
    monkeypatch.setenv("VIZ_LESSONS_DIR", str(tmp_path))
    shipped, failures = read_lessons()
    assert shipped and [failure.message.values["file"] for failure in failures] == ["1-looking.md"]
