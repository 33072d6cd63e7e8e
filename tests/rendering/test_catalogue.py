"""Every sentence of the views exists in both languages, with the same placeholders."""

import re
import string
from pathlib import Path

from viz_core.language import catalogue

FOLDER = Path(__file__).parents[2] / "viz_core" / "rendering"


def test_both_languages_have_the_same_keys_and_placeholders():
    english, chinese = (
        {key: value for key, value in catalogue(language).items() if key.startswith("rendering.")}
        for language in ("en", "zh")
    )
    assert english.keys() == chinese.keys()
    for key in english:
        placeholders = [
            {name for _, name, _, _ in string.Formatter().parse(entries[key]) if name} for entries in (english, chinese)
        ]
        assert placeholders[0] == placeholders[1], key


def test_every_key_in_the_code_is_in_the_catalogue():
    used = {
        key
        for file in FOLDER.glob("*.py")
        for key in re.findall(r'"(rendering\.\w+)"', file.read_text(encoding="utf-8"))
    }
    known = catalogue("en").keys()
    families = {key for key in used if f"{key}_other" in known}  # the names of measures follow
    assert used and used - families <= known
