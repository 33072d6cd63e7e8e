"""The special tokens of a model from elsewhere have their own names."""

from dataclasses import replace

import pytest

from tests.explorer import examples
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
