"""The explorer as a file: small, complete, and usable without a network."""

import re
from html import unescape

import pytest

from tests.explorer import examples
from tests.words import says
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.explorer.standalone import notebook, standalone_explorer
from viz_core.language import Translator
from viz_core.rendering.theme import theme


def document(explanation, mode="light", language="en", selection=None):
    return standalone_explorer(
        explanation,
        head_statistics(explanation),
        Translator(language),
        theme(mode),
        {"views": "12345"} | (selection or {}),
    )


def test_six_layers_of_eight_heads_are_a_small_file():
    assert len(document(examples.of_length(64, layers=6, heads=8)).encode()) <= 500_000


@pytest.mark.parametrize(
    "explanation", [examples.review(), examples.pair(), examples.hostile()], ids=["review", "pair", "hostile"]
)
def test_typed_text_occurs_only_in_the_data(explanation):
    page = document(explanation)
    assert len(re.findall("<script|</script", page)) == 4, "the data and the script, each with a start and an end tag"
    assert len(re.findall("<title>[^<]*</title>", page)) == 1
    assert "alert(" not in re.sub("<title>.*?</title>", "", page), "typed text is only in the packed data"


def test_the_title_names_the_texts():
    assert "<title>花呗怎么还款 / 花呗如何还钱</title>" in document(examples.pair(), language="zh")
    assert '<html lang="zh">' in document(examples.pair(), language="zh")


def test_a_notebook_iframe_contains_the_whole_document():
    page = document(examples.hostile())
    frame = notebook(page, height=700)
    assert unescape(re.search('srcdoc="([^"]*)"', frame)[1]) == page
    assert 'height="700"' in frame and 'sandbox="allow-scripts' in frame and "allow-same-origin" not in frame


@pytest.mark.browser
class TestOpened:
    @pytest.mark.parametrize("mode, background", [("light", "rgb(255, 255, 255)"), ("dark", "rgb(14, 17, 23)")])
    def test_from_a_file_without_a_network(self, visit, tmp_path, mode, background):
        """`visit` fails if anything but the file is requested."""
        file = tmp_path / "explorer.html"
        file.write_text(document(examples.review(), mode), encoding="utf-8")
        page = visit(file.as_uri())
        page.wait_for_selector(".explorer[data-drawn]")
        assert page.locator(".view:visible").count() == 5
        assert page.locator(".reading h2").text_content() == "Layer 1, head 1"
        for element in ("body", ".explorer"):
            assert (
                page.evaluate(
                    "(selector) => getComputedStyle(document.querySelector(selector)).backgroundColor", element
                )
                == background
            )

    def test_in_chinese_with_a_selection(self, visit):
        page = visit(
            document(examples.pair(), "dark", "zh", {"head": "2.*", "views": "35", "unit": "word", "query": "2"})
        )
        page.wait_for_selector(".explorer[data-drawn]")
        assert page.locator(".reading h2").text_content() == "第 2 层，各头平均"
        assert page.locator(".view:visible").count() == 2
        assert says(page.locator(".reading .line").text_content(), "explorer.selected_from", "zh", query="花呗 (2)")

    @pytest.mark.parametrize("explanation", [examples.review(), examples.hostile()], ids=["review", "hostile"])
    def test_in_a_notebook_iframe(self, visit, explanation):
        page = visit(f"<!DOCTYPE html><title>Notebook</title>{notebook(document(explanation))}")
        page.frame_locator("iframe").locator(".explorer[data-drawn]").wait_for()
        assert page.frame_locator("iframe").locator(".view:visible").count() == 5
