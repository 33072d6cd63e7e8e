"""What can be selected, in the browser and in links."""

from pages.shared.selection import COMPARISONS, ORDERS, SCALES
from tests.explorer.javascript import ask
from viz_core.analysis.selection import BLOCKS, SPECIAL_CHOICES


def test_the_choices_of_the_browser_are_those_of_the_page():
    choices = ask("choices")
    assert choices["order"] == ["position", *ORDERS]
    assert choices["special"] == list(SPECIAL_CHOICES) and choices["block"] == list(BLOCKS)
    assert choices["scale"] == list(SCALES) and ["", *choices["comparison"]] == list(COMPARISONS)
