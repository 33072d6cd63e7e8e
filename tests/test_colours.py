"""Every colour comes from the theme, and a hue means one thing: green and rose are the two classes."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DRAWING = [
    *(ROOT / "viz_core/rendering").glob("*.py"),
    *(ROOT / "viz_core/explorer/source").rglob("*.js"),
    *(ROOT / "viz_core/explorer/source").rglob("*.css"),
    *(file for kind in ("py", "js", "css") for file in (ROOT / "pages").rglob(f"*.{kind}")),
]
COLOUR = re.compile(
    r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b|\b(?:rgba?|hsla?)\(\s*\d[^)]*\)"
    r"|(?:color|background|fill|stroke):\s*(?:red|green|blue|orange|grey|gray|white|black|pink|purple|yellow)\b"
)
ALLOWED = {
    "viz_core/rendering/theme.py": None,  # the one source
    "viz_core/explorer/source/shared/colours.js": {"#000000", "#ffffff"},  # ink on a cell, as `ink_on` of theme.py
    "viz_core/explorer/source/explorer/comparison.css": {"rgb(0 0 0 / 18%)"},  # a shadow
    "pages/frame.css": {"rgb(0 0 0 / 18%)"},  # likewise
    "viz_core/rendering/qr_code.py": {"#fff"},  # cameras read black on white
}
# Whatever else has a class hue would say something about a class that it does not mean.
CLASS_HUE = re.compile(r"\.classes\[|class_hues\(|var\(--(?:first|last)\)|theme\.classes")
CLASSES = {
    "pages/own_data/colours.py",
    "viz_core/rendering/theme.py",
    "viz_core/rendering/probabilities.py",
    "viz_core/rendering/attributions.py",
    "viz_core/rendering/logit_lens.py",
    "viz_core/explorer/source/shared/theme.js",
    "viz_core/explorer/source/instrument/instrument.css",
    "viz_core/explorer/source/whatif/measure.js",
}
RIGHT = {"viz_core/explorer/source/calculator/calculator.css"}  # an answer that is right; the calculator has no classes
# Streamlit's green box and badges; its red ones say that something has failed.
GREEN_WIDGET = re.compile(r"st\.success\(|:green|delta_color=\"(?:normal|inverse)\"")


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("file", DRAWING, ids=name)
def test_colours_come_from_the_theme(file):
    allowed = ALLOWED.get(name(file), set())
    colours = set(COLOUR.findall(file.read_text(encoding="utf-8")))
    assert allowed is None or colours <= allowed


def test_class_hues_are_those_of_classes():
    users = {name(file) for file in DRAWING if CLASS_HUE.search(file.read_text(encoding="utf-8"))}
    assert users == CLASSES | RIGHT


def test_no_widget_is_green():
    users = [name(file) for file in DRAWING if GREEN_WIDGET.search(file.read_text(encoding="utf-8"))]
    assert users == []
