"""The catalogues say everything that the code says, in both languages, with the same values."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest

from viz_core.language import LANGUAGES, Translator, catalogue, closest
from viz_core.records import Failure, Message

PROJECT = Path(__file__).parents[1]
SOURCES = [
    file
    for place in ("viz_core", "pages", "app.py")
    for file in ([PROJECT / place] if place.endswith(".py") else sorted((PROJECT / place).rglob("*.py")))
    if file.exists()
]
SPEAKERS = {"Message", "Failure", "say", "translate", "translator"}


def spoken(file: Path) -> list[tuple[str, set[str] | None, int]]:
    """Key, names of the values (None where they cannot be read off) and line of everything a source file says.

    A key made at run time, such as f"rendering.label_{label}", is given as the text before its first variable part.
    """
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in SPEAKERS:
            continue
        for key in _literals(node.args[0]):
            found.append((key, _values(node, name), node.lineno))
    return found


def _literals(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return _literals(node.body) + _literals(node.orelse)
    if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
        return [node.values[0].value + "*"]
    return []


def _values(call: ast.Call, name: str) -> set[str] | None:
    if name == "Message":
        if len(call.args) == 1:
            return set()
        given = call.args[1]
        if isinstance(given, ast.Dict) and all(isinstance(key, ast.Constant) for key in given.keys):
            return {key.value for key in given.keys}
        return None
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    return {keyword.arg for keyword in call.keywords}


def fields(entry: str | dict[str, str]) -> set[str]:
    """Names of the values that a catalogue entry asks for."""
    templates = entry.values() if isinstance(entry, dict) else [entry]
    names = {name for template in templates for _, name, _, _ in string.Formatter().parse(template) if name}
    return names | ({"count"} if isinstance(entry, dict) else set())


SAID = [
    (key, values, f"{file.relative_to(PROJECT).as_posix()}:{line}: {key}")
    for file in SOURCES
    for key, values, line in spoken(file)
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_said_is_in_the_catalogue(language):
    entries = catalogue(language)
    for key, values, place in SAID:
        if key.endswith("*"):
            assert any(entry.startswith(key[:-1]) for entry in entries), place
            continue
        assert key in entries, place
        assert values is None or fields(entries[key]) <= values, place


def test_keys_that_travel_as_text_are_in_the_catalogues():
    from viz_core.tasks import TASKS

    for preset in (preset for task in TASKS.values() for preset in task.presets.values()):
        assert not preset.caution or all(preset.caution in catalogue(language) for language in LANGUAGES)


def test_both_languages_have_the_same_keys():
    assert set(catalogue("en")) == set(catalogue("zh"))


def test_both_languages_ask_for_the_same_values():
    for key, entry in catalogue("en").items():
        assert fields(entry) - {"count"} == fields(catalogue("zh")[key]) - {"count"}, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_entry_is_empty_and_plurals_are_complete(language):
    for key, entry in catalogue(language).items():
        forms = entry if isinstance(entry, dict) else {"one": entry, "other": entry}
        assert set(forms) == {"one", "other"}, key
        assert all(form.strip() for form in forms.values()), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_and_its_percent_sign_stay_on_one_line(language):
    assert not any(" %" in str(entry) for entry in catalogue(language).values())
    assert "95\N{NO-BREAK SPACE}%" in Translator(language)("evaluation.meaning_accuracy")


def test_unknown_key_is_an_error_that_names_it():
    with pytest.raises(KeyError, match="text.nothing"):
        Translator("en")("text.nothing")


def test_unknown_language_is_an_error_that_names_ours():
    with pytest.raises(ValueError, match="'fr' is not one of en, zh"):
        Translator("fr")


def test_count_chooses_singular_or_plural():
    say = Translator("en")
    assert say("text.unknown", count=1, tokens=["x"], more="").startswith("1 token is not")
    assert say("text.unknown", count=2, tokens=["x", "y"], more="").startswith("2 tokens are not")


def test_messages_within_messages_and_lists_are_spoken_too():
    message = Message("text.blank", {"where": Message("text.sentence", {"number": 2})})
    assert Translator("en")(message) == "Sentence 2 is empty: type something to look at."
    assert Translator("zh")(message) == "第 2 句是空的：请先输入内容。"
    known = Failure("tasks.unknown", name="x", known=["imdb", "afqmc"]).message
    assert "imdb, afqmc" in Translator("en")(known)
    assert "imdb、afqmc" in Translator("zh")(known)


def test_braces_in_what_a_person_typed_are_left_alone():
    assert "{name}" in Translator("en")("tasks.unknown", name="{name}", known=[])


@pytest.mark.parametrize(
    "wanted, language",
    [
        ("zh", "zh"),
        ("zh-CN", "zh"),
        ("zh-TW", "zh"),
        ("ZH_cn.UTF-8", "zh"),
        ("en-GB", "en"),
        ("fr", "en"),
        ("", "en"),
        (None, "en"),
        ("C.UTF-8", "en"),
    ],
)
def test_closest_language_of_a_browser(wanted, language):
    assert closest(wanted) == language
