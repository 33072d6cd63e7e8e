"""The sentence-pair tests below the explorer: for pairs only, at first for the explorer's head."""

import pytest

from tests.pages.app import link_parameters, open_page, page_text
from tests.words import says
from viz_core.language import Translator

pytestmark = pytest.mark.usefixtures("checkpoints_dir")
PAIR = {"a": "花呗怎么还款", "b": "借呗如何还钱"}


def test_they_are_offered_for_pairs_only():
    assert link_parameters(open_page("matching", evidence="pairs"))["evidence"] == "pairs"
    assert "evidence" not in link_parameters(open_page("sentiment", evidence="pairs"))


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
def test_swapping_and_shuffling_are_drawn_and_explained(language):
    say, app = Translator(language), open_page("matching", evidence="pairs", lang=language, **PAIR)
    assert say("pairs.swap_note") in page_text(app) and say("evidence.pairs_note") in page_text(app)
    names = {button.key for button in app.get("download_button")}
    assert {"csv_pair_alignment", "csv_pair_swap", "html_pair_mass", "html_pair_control"} <= names


def test_the_head_is_at_first_the_explorers():
    app = open_page("matching", evidence="pairs", head="1.2", **PAIR)
    assert app.selectbox(key="pairs_head").value == "1.2"
    app.selectbox(key="pairs_head").set_value("*.*").run()
    assert not app.exception and not app.error


def test_a_pair_that_is_truncated_differently_when_swapped_gets_a_sentence():
    """13 of 36 characters fit: seven of the first sentence, six of the second."""
    app = open_page("matching", evidence="pairs", a="花呗怎么还款" * 3, b="借呗如何还钱" * 3)
    assert says(page_text(app), "pairs.cut")
    assert "csv_pair_swap" not in {button.key for button in app.get("download_button")}
