"""A task with three made-up classes, added to the registries as a contributor would add it."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pages.shared import tasks as pages
from pages.shared.tasks import TaskPage
from viz_core import language
from viz_core.datasets.corpus import Corpus
from viz_core.recipes import Preset, Recipe
from viz_core.tasks import Task, register, unregister
from viz_core.text.building import build_word_tokenizer

SKIES = {
    "rain": ("clouds", "puddles", "umbrellas"),
    "sun": ("shadows", "parasols", "sunglasses"),
    "snow": ("sledges", "mittens", "icicles"),
}
TEXTS = [
    (f"{when} there were {thing} {where}", sky)
    for when in ("today", "yesterday", "on monday", "all week")
    for where in ("everywhere", "in town", "by the river", "at home")
    for sky, things in SKIES.items()
    for thing in things
]
LABELS = tuple(SKIES)
EXAMPLES = (("first", ("today there were sledges everywhere",)), ("second", ("all week there were puddles at home",)))
SENTENCES = {
    "en": dict(
        page="Weather",
        title="What is the weather?",
        note="A sentence goes in.",
        name="Weather",
        read_note="Words.",
        box_text="Sentence",
        was_text="Sentence",
        now_text="Changed sentence",
        example_first="Snow",
        example_second="Rain",
    ),
    "zh": dict(
        page="天气",
        title="天气怎么样？",
        note="输入一个句子。",
        name="天气",
        read_note="按词切分。",
        box_text="句子",
        was_text="句子",
        now_text="改后的句子",
        example_first="雪",
        example_second="雨",
    ),
}


def weather_task(tmp_path: Path, **values: object) -> Task:
    """The task with its files. values: fields besides those that every task must have."""
    sample, tests = tmp_path / "weather.jsonl", tmp_path / "weather_tests.jsonl"
    sample.write_text("".join(json.dumps({"text": text, "label": sky}) + "\n" for text, sky in TEXTS), encoding="utf-8")
    tests.write_text(
        "".join(
            json.dumps({"category": "number", "text": f"three {things[0]} at home", "expected": sky}) + "\n"
            for sky, things in SKIES.items()
        ),
        encoding="utf-8",
    )
    preset = Preset(
        dict(layers=2, heads=2, width=16, feedforward=16), Recipe(lr=5e-3, epochs=6, batch=16, token_lr=1.0)
    )
    corpus = Corpus(
        "weather",
        "weather.zip",
        "weather",
        "https://example.org/weather.zip",
        None,
        {},
        {"train": 0},
        members=lambda source: iter(()),
        parse=lambda files: {},
    )
    fields = dict(
        name="weather",
        corpus=corpus,
        citation="invented",
        labels=LABELS,
        max_tokens=16,
        build_tokenizer=lambda texts, tokens: build_word_tokenizer(texts, tokens, min_count=1),
        segmenter=None,
        sample=(str(sample),),
        presets={"small": preset},
        behavioural_test_file=str(tests),
    )
    return Task(**fields | values)


@pytest.fixture
def weather(tmp_path, monkeypatch) -> Iterator[Task]:
    """The task, registered in the library and the pages, with its sentences in the catalogues."""
    task = weather_task(tmp_path)
    register(task)
    monkeypatch.setitem(pages.PAGES, "weather", TaskPage("weather", "weather", ("text",), 100, EXAMPLES))
    _add_sentences(tmp_path, monkeypatch)
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "checkpoints"))
    yield task
    unregister("weather")


def _add_sentences(folder: Path, monkeypatch) -> None:
    shutil.copytree(language.LOCALE, folder / "locale")
    for code, sentences in SENTENCES.items():
        lines = "".join(f"{key} = {json.dumps(text, ensure_ascii=False)}\n" for key, text in sentences.items())
        (folder / "locale" / code / "weather.toml").write_text(lines, encoding="utf-8")
        with open(folder / "locale" / code / "rendering.toml", "a", encoding="utf-8") as catalogue:
            catalogue.write("".join(f'label_{sky} = "{sky}"\n' for sky in SKIES))
    monkeypatch.setattr(language, "LOCALE", folder / "locale")
    language.catalogue.cache_clear()


@pytest.fixture(autouse=True)
def restore_catalogues():
    yield
    language.catalogue.cache_clear()
