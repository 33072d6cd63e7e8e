"""The app in Firefox and in WebKit: typing, selecting, translating, and what they draw and print differently."""

import re
import zlib
from contextlib import suppress

import pytest
from selenium.webdriver.common.keys import Keys

from tests.words import english

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:setting remote_server_addr:DeprecationWarning"),  # Selenium's own call
]

WORDS = ".right > .words .word .token"
# Pairs of boxes of the diagram that overlap, by their texts.
_OVERLAPS = """const [root, selector] = arguments, boxes = [...root.querySelectorAll(selector)].filter((box) => (
  box.checkVisibility())).map((box) => [box.textContent, box.getBoundingClientRect()]);
if (boxes.length < 7) return [`${boxes.length} boxes`];
return boxes.flatMap(([name, a], index) => boxes.slice(index + 1).filter(([, b]) => (
  a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
)).map(([other]) => `${name} / ${other}`));"""


@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_typed_is_answered_and_a_head_is_selected(engine, address, width):
    engine.open(f"{address}/sentiment?lang=en&text=The+film+is+good.", width)
    engine.wait(".explorer[data-drawn][data-exact=true]")
    box, before = engine.wait("textarea"), engine.texts(".prediction")
    box.send_keys(Keys.END, " Not at all, it is dull and far too long.")
    engine.wait_for(lambda: engine.texts(".prediction") != before)
    engine.run("arguments[0].focus()", engine.find(".explorer .views")[0])
    title = engine.texts(".explorer .reading h2")
    engine.find(".explorer .views")[0].send_keys("h")
    engine.wait_for(lambda: engine.texts(".explorer .reading h2") != title)
    engine.wait_for(lambda: "dull" in engine.driver.current_url)  # the link follows once the keys rest


@pytest.mark.parametrize("width", [1280, 390])
def test_boxes_of_the_diagram_stand_beside_each_other(engine, address, width):
    engine.open(f"{address}/inside?lang=en&task=afqmc&model=small-6-layers", width)
    diagram = engine.wait(".inside[data-idle=true] .diagram")
    assert engine.run(_OVERLAPS, diagram, ".link .box, .row > .layer") == []


def test_a_translation_goes_on_from_another_word(engine, address):
    engine.open(f"{address}/translation?lang=en&text=我们明天去学校。")
    engine.wait(".translation[data-idle=true]")
    before = engine.texts(WORDS)
    engine.find(".word")[1].click()
    engine.wait_for(lambda: len(engine.find(".candidate")) > 2)
    engine.find(".candidate")[2].click()
    engine.wait_for(lambda: engine.texts(WORDS)[1:2] not in ([], before[1:2]))


@pytest.mark.parametrize(
    "mark, line", [("mark-in", "underline"), ("mark-moved", "underline"), ("mark-out", "line-through")]
)
def test_marks_of_a_difference_are_drawn(engine, address, mark, line):
    engine.open(f"{address}/sentiment?lang=en")
    root = engine.wait(".explorer[data-drawn]")
    drawn = engine.run(
        """const word = document.createElement("span");
        word.className = arguments[1];
        arguments[0].append(word);
        const style = getComputedStyle(word), line = style.textDecorationLine || style.webkitTextDecorationLine;
        word.remove();
        return line;""",
        root,
        mark,
    )
    assert drawn == line


def test_selects_are_drawn_by_the_page(engine, address):
    engine.open(f"{address}/sentiment?lang=en")
    engine.wait(".explorer[data-drawn]")
    select = engine.find("select")[0]
    style = engine.run("return getComputedStyle(arguments[0])", select)
    assert (style["appearance"], "gradient" in style["backgroundImage"]) == ("none", True)


def sheets(pdf: bytes) -> int:
    """The number of pages of a PDF file."""
    for start in re.finditer(rb"stream\r?\n", pdf):
        with suppress(zlib.error):
            pdf += zlib.decompressobj().decompress(pdf[start.end() :])
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize("name", ["exercise", "solution"])
def test_an_exercise_is_printed_on_a_single_sheet(engine, address, name):
    engine.open(f"{address}/inside?lang=en&inside=calculator")
    engine.wait(".calculator[data-drawn]")
    engine.run("URL.createObjectURL = (blob) => (blob.text().then((text) => { window.saved = text; }), '')")
    button = next(button for button in engine.find("button") if button.text == english(f"calculator.save_{name}"))
    engine.run("arguments[0].click()", button)  # it is below the edge of the window
    sheet = engine.wait_for(lambda: engine.run("return window.saved"))
    engine.run("document.open(); document.write(arguments[0]); document.close();", sheet)
    assert sheets(engine.printed()) == 1
