"""Everything that the views say exists in both languages, with the same blanks to fill."""

import re
import string
from pathlib import Path

from viz_core.language import catalogue

ROOM = Path(__file__).parents[2] / "viz_core" / "rendering"


def test_both_languages_say_the_same():
    english, chinese = (
        {key: value for key, value in catalogue(language).items() if key.startswith("rendering.")}
        for language in ("en", "zh")
    )
    assert english.keys() == chinese.keys()
    for key in english:
        blanks = [
            {name for _, name, _, _ in string.Formatter().parse(entries[key]) if name} for entries in (english, chinese)
        ]
        assert blanks[0] == blanks[1], key


def test_every_key_in_the_code_is_in_the_catalogue():
    used = {
        key for file in ROOM.glob("*.py") for key in re.findall(r'"(rendering\.\w+)"', file.read_text(encoding="utf-8"))
    }
    assert used and used <= catalogue("en").keys()
