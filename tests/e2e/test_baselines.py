"""Models that are no Transformer, opened in the app: without attention, and with the single head of a BiLSTM."""

import re

import pytest
from playwright.sync_api import expect

from tests.words import english

pytestmark = [pytest.mark.browser, pytest.mark.process, pytest.mark.slow]


def test_a_model_without_attention_follows_the_text_and_its_tokens_can_be_changed(page, address):
    page.goto(f"{address}/sentiment?model=tfidf&evidence=whatif&text=A+wonderful+film")
    verdict = page.locator(".verdict")
    expect(verdict).to_have_text(re.compile(english("rendering.label_positive"), re.IGNORECASE))
    expect(page.get_by_text(english("kinds.no_explorer", name="imdb/tfidf"))).to_be_visible()
    expect(page.locator(".explorer:not(.whatif)")).to_be_hidden()
    expect(page.get_by_role("heading", name=english("kinds.contributions_title"))).to_be_visible()
    before = page.locator(".whatif[data-idle=true] .headline").inner_text()
    page.locator(".whatif .chip").nth(2).click()  # wonderful
    expect(page.locator(".whatif .changed")).to_have_text(re.compile("wonderful"))
    expect(page.locator(".whatif[data-idle=true] .headline")).not_to_have_text(before)
    page.get_by_role("textbox").first.fill("A terrible film")
    expect(verdict).to_have_text(re.compile(english("rendering.label_negative"), re.IGNORECASE))


def test_the_head_of_a_bilstm_is_drawn(page, address):
    page.goto(f"{address}/sentiment?model=bilstm-attention&text=A+wonderful+film")
    expect(page.locator(".explorer[data-drawn]")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Bahdanau et al\. 2015"))).to_be_visible()
