"""Tokens of models from elsewhere: special ones have their own names, bytes of a character a place in the text."""

from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from tests.explorer import examples
from tests.explorer.test_pictures import MARGIN, save
from tests.words import says
from viz_core.records import OTHER

pytestmark = pytest.mark.browser


def byte_level(*tokens: str):
    """As of RoBERTa, or of GPT-2 if none of the tokens is special."""
    shown = examples.explanation(examples.encode_by_spaces("ab c"))
    special = shown.encoding.special if "<s>" in tokens else shown.encoding.special & False
    return replace(shown, task=OTHER, encoding=replace(shown.encoding, tokens=tokens, special=special))


def test_they_are_named_where_they_are_hidden_and_where_the_classifier_reads(open_explorer):
    explorer = open_explorer(byte_level("<s>", "ab", "c", "</s>"), {"query": "1"})
    toolbar = explorer.page.locator(".toolbar")
    assert "<s>, </s>" in toolbar.text_content() and "[CLS]" not in toolbar.text_content()
    assert says(explorer.view("distribution").inner_text(), "explorer.cls_read", token="<s>")


def test_without_any_there_is_no_choice(open_explorer):
    explorer = open_explorer(byte_level("a", "ab", "c", "d"))
    assert "renormalised" not in explorer.page.locator(".toolbar").text_content()


@pytest.mark.parametrize(
    "special, block, is_part", [("shown", "all", False), ("hidden", "all", True), ("shown", "ab", True)]
)
def test_the_headline_says_of_which_weight_it_counts_the_tokens(open_explorer, special, block, is_part):
    explorer = open_explorer(examples.pair(), {"query": "1", "special": special, "block": block})
    headline = explorer.view("distribution").locator(".note").inner_text()
    assert says(headline, "explorer.distribution_shown") == is_part and "90%" in headline


def test_a_byte_of_a_character_is_a_dot_in_the_text_and_in_its_picture(open_explorer):
    explorer = open_explorer(examples.explanation(examples.encode_bytes()), {"unit": "token", "query": "4"})
    tokens = explorer.view("text").locator(".body .token")
    assert tokens.all_inner_texts() == ["[CLS]", "·", "é", "·", "[SEP]"]
    body, place = (part.bounding_box() for part in (explorer.view("text").locator(".body"), tokens.nth(1)))
    left, top = (2 * (MARGIN + place[side] - body[side]) for side in ("x", "y"))
    box = left + 2, top + 2, left + 2 * place["width"] - 2, top + 2 * place["height"] - 2
    picture = Image.open(BytesIO(save(explorer, "text"))).convert("L").crop(box)
    assert len(set(picture.get_flattened_data())) > 1, "something is drawn on its shade"


def test_a_word_that_begins_with_a_token_that_takes_no_character_has_no_dot(open_explorer):
    explorer = open_explorer(examples.explanation(examples.encode_bytes()), {"unit": "word"})
    assert explorer.view("text").locator(".body .token").all_inner_texts() == ["[CLS]", "é", "[SEP]"]
