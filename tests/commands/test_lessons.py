"""`lesson`: the lessons, a teacher's file checked, a lesson as a notebook."""

import json

import pytest

from tests.lessons.test_notebook import CARD
from tests.lessons.test_reading import FRONT, write
from viz_core.variables import LESSONS_DIR


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv(LESSONS_DIR, str(tmp_path))
    return write(tmp_path, FRONT + CARD.format(name="first", settings='open = "sentiment?text=Good."', options=""))


def test_the_lessons_are_listed_and_checked(json_output, file):
    row = {"lesson": "looking", "title": "Looking", "minutes": 15, "cards": 1}
    assert row in json_output("lesson", "list")
    assert json_output("lesson", "check", file) == row


def test_a_lesson_is_written_as_a_notebook(call, file, tmp_path):
    out = tmp_path / "x.ipynb"
    code, _, _ = call("lesson", "notebook", "looking", "--out", out, lang="zh")
    assert code == 0
    assert json.loads(out.read_text("utf-8"))["cells"][0]["source"][0] == "# 看\n"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("check", "missing.md"), "missing.md"),
        (("check",), "FILE"),
        (("notebook",), "NAME"),
        (("notebook", "gone"), "gone"),
    ],
)
def test_what_is_wrong_is_said(error_sentences, file, arguments, named):
    assert named in error_sentences("lesson", *arguments)[0]


def test_code_that_does_not_exist_is_said(error_sentences, file):
    file.write_text(file.read_text("utf-8").replace("open =", 'code = "a.py:b"\nopen ='), "utf-8")
    assert "a.py:b" in error_sentences("lesson", "check", file)[0]
