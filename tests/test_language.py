"""Catalogues: every message of the code has an entry in both languages with the same values; wording rules."""

import ast
import re
import string
from pathlib import Path

import pytest

from viz_core.language import _FILL, LANGUAGES, Translator, add_words, catalogue, closest_language, remove_words
from viz_core.records import Failure, Message

PROJECT = Path(__file__).parents[1]
SOURCES = [
    file
    for path in ("viz_core", "pages", "app.py")
    for file in ([PROJECT / path] if path.endswith(".py") else sorted((PROJECT / path).rglob("*.py")))
    if file.exists()
]
CALLS_WITH_KEYS = {"Message", "Failure", "say", "translate", "translator"}


def messages_in(file: Path) -> list[tuple[str, set[str] | None, int]]:
    """Key, names of the values (None if not literal) and line of every message in a source file.

    A key built at run time, such as f"rendering.label_{label}", becomes its constant prefix and a `*`.
    """
    messages = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in CALLS_WITH_KEYS:
            continue
        for key in _literals(node.args[0]):
            messages.append((key, _values(node, name), node.lineno))
    return messages


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
        values = call.args[1]
        if isinstance(values, ast.Dict) and all(isinstance(key, ast.Constant) for key in values.keys):
            return {key.value for key in values.keys}
        return None
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    return {keyword.arg for keyword in call.keywords}


def fields(entry: str | dict[str, str]) -> set[str]:
    """Names of the values in a catalogue entry."""
    templates = entry.values() if isinstance(entry, dict) else [entry]
    names = {name for template in templates for _, name, _, _ in string.Formatter().parse(template) if name}
    return names | ({"count"} if isinstance(entry, dict) else set())


MESSAGES = [
    (key, values, f"{file.relative_to(PROJECT).as_posix()}:{line}: {key}")
    for file in SOURCES
    for key, values, line in messages_in(file)
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_in_the_catalogue(language):
    entries = catalogue(language)
    for key, values, location in MESSAGES:
        if key.endswith("*"):
            assert any(entry.startswith(key[:-1]) for entry in entries), location
            continue
        assert key in entries, location
        assert values is None or fields(entries[key]) <= values, location


def test_cautions_of_presets_are_in_the_catalogues():
    from viz_core.tasks import CLASSIFICATION, all_tasks

    for preset in (preset for task in all_tasks(CLASSIFICATION).values() for preset in task.presets.values()):
        assert not preset.caution or all(preset.caution in catalogue(language) for language in LANGUAGES)


@pytest.fixture
def poems():
    words = {"en": {"name": "Poems {0}", "label_ode": "an ode"}, "zh": {"name": "诗歌", "title": "这是什么诗？"}}
    add_words("poems", words)
    yield
    remove_words("poems")


def test_a_topic_brings_its_own_words_in_both_languages(poems):
    english, chinese = Translator("en"), Translator("zh")
    assert english("poems.name") == "Poems {0}" and chinese(Message("poems.name")) == "诗歌", "a text, not a template"
    assert english("poems.title") == "这是什么诗？", "in another language, where this one has no words"
    assert english("rendering.label_ode") == chinese("rendering.label_ode") == "an ode"
    assert english("rendering.label_sonnet") == "sonnet"
    assert english("poems.page") == catalogue("en")["tasks.page"].format(task="poems"), "as of any task"
    assert chinese("poems.box_a") == catalogue("zh")["tasks.box_a"]
    with pytest.raises(KeyError):
        english("poems.colour")


def test_words_are_those_of_the_catalogue_where_it_has_them(poems):
    add_words("imdb", {"en": {"name": "Films", "verdict": "A film"}})
    assert Translator("en")("imdb.name") == catalogue("en")["imdb.name"]
    assert Translator("en")("imdb.verdict") == "A film"
    remove_words("imdb")
    with pytest.raises(KeyError):
        Translator("en")("imdb.verdict")


def test_both_languages_have_the_same_keys():
    assert set(catalogue("en")) == set(catalogue("zh"))


def test_both_languages_have_the_same_values():
    for key, entry in catalogue("en").items():
        assert fields(entry) - {"count"} == fields(catalogue("zh")[key]) - {"count"}, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_entry_is_empty_and_plurals_are_complete(language):
    for key, entry in catalogue(language).items():
        forms = entry if isinstance(entry, dict) else {"one": entry, "other": entry}
        assert set(forms) == {"one", "other"}, key
        assert all(form.strip() for form in forms.values()), key


def test_few_english_entries_are_long():
    texts = [
        text for entry in catalogue("en").values() for text in (entry.values() if isinstance(entry, dict) else [entry])
    ]
    assert sum(len(text.split()) > 25 for text in texts) <= 20


# Terms of the field (docs/glossary.md): what the pages do not say instead, as regular expressions.
TERMS = {
    "attends to": {"en": r"\b(looks?|looking|looked) (at|across)\b", "zh": r"(谁|被|在)看|(?<!查)看(向|着|谁|它|自己)"},
    "majority baseline": {"en": r"\balways (giving )?the same\b", "zh": r"总答|总是(答|回答|同一|预测)"},
    "prediction": {"en": r"\banswer", "zh": r"答案|答对|答错|回答|判断|判为"},
    "correct, accuracy": {"en": r"\b(is|was|were|been) right\b", "zh": r"答得对|弄错"},
    "95% CI": {"en": r"95% interval", "zh": r"95% ?区间"},
    "behavioural test": {"en": r"\b[Pp]rob(e|es|ed|ing)\b", "zh": r"探测|能力测试"},
    "what-if": {"en": r"\b[Ii]nterventions?\b", "zh": r"实验室"},
    "shortcut, not key": {"en": r"\bkeyboard\b(?! shortcuts)", "zh": r"按键|键盘"},
    "uniform": {"en": r"\bevenly\b", "zh": r"[均分](匀|散)程度"},
    "pooling": {"en": r"\bsummar(y|ised) vector\b", "zh": r"汇聚方式"},
}
STUDENTS_ANSWER = ("lessons.", "report.", "notebook.lesson_", "cli.lesson_")  # where an answer is no prediction


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_use_the_terms_of_the_field(language):
    offences = []
    for key, entry in catalogue(language).items():
        for text in entry.values() if isinstance(entry, dict) else [entry]:
            offences += [
                f"{key}: {text!r}: {term}"
                for term, other in TERMS.items()
                if re.search(other[language], text) and not (term == "prediction" and key.startswith(STUDENTS_ANSWER))
            ]
    assert not offences, "\n".join(offences)


def test_an_unknown_key_is_an_error_that_names_it():
    with pytest.raises(KeyError, match="text.nothing"):
        Translator("en")("text.nothing")


def test_an_unknown_language_is_an_error_that_names_the_available_ones():
    with pytest.raises(ValueError, match="'fr'.*en, zh"):
        Translator("fr")


def test_count_selects_singular_or_plural():
    forms = catalogue("en")["text.unknown"]
    for count, form in ((1, "one"), (2, "other")):
        values = {"count": count, "tokens": "x", "more": ""}
        assert Translator("en")("text.unknown", **values) == forms[form].format(**values)


def test_messages_and_lists_inside_messages_are_translated():
    message = Message("text.blank", {"where": Message("text.sentence", {"number": "B"})})
    for language in LANGUAGES:
        sentence = catalogue(language)["text.sentence"].format(number="B")
        assert Translator(language)(message) == catalogue(language)["text.blank"].format(where=sentence)
    message = Failure("tasks.unknown", name="x", known=["imdb", "afqmc"]).message
    assert "imdb, afqmc" in Translator("en")(message)
    assert "imdb、afqmc" in Translator("zh")(message)


def test_braces_in_typed_text_are_preserved():
    assert "{name}" in Translator("en")("tasks.unknown", name="{name}", known=[])


@pytest.mark.parametrize(
    "locale, language",
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
def test_closest_language_of_a_browser(locale, language):
    assert closest_language(locale) == language


def test_negative_numbers_have_a_minus_sign():
    assert _FILL.format("{a:+.1f} {b} {c} {d:.0e}", a=-1.25, b=-3, c="-x", d=1e-5) == "−1.2 −3 -x 1e-05"
