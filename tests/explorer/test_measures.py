"""Value-weighted attention in the explorer: the browser's arithmetic against that of the server, and every view."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from playwright.sync_api import expect

from tests.explorer import examples
from tests.explorer.explorer_page import ExplorerPage
from tests.explorer.instrument_page import HEADS, LINK, InstrumentPage
from tests.explorer.javascript import ask
from tests.pictures import compare
from tests.rendering import translations
from tests.words import english, opening, says
from viz_core.analysis.heads.statistics import head_statistics, translation_statistics
from viz_core.analysis.value_norms import value_weighted, weigh_values
from viz_core.explorer.packed_translation import pack_translation
from viz_core.explorer.packed_weights import STEPS, pack_norms, pack_weighted_heads, pool
from viz_core.explorer.packing import pack
from viz_core.language import Translator
from viz_core.rendering.theme import theme

EXPLANATIONS = {"review": examples.review(), "131 tokens": examples.of_length(131, layers=1, heads=2)}


def pack_with_norms(explanation, norms, **fields) -> bytes:
    return pack(explanation, head_statistics(explanation), Translator("en"), theme("light"), norms=norms, **fields)


def test_norms_are_packed_with_the_largest_number_of_each_head_and_pooled_thumbnails():
    """Two queries and keys by hand; 65 tokens are pooled to blocks of two."""
    attention = np.array([[[[0.25, 0.75], [0.5, 0.5]]]], np.float32)
    norms = np.array([[[2, 1]]], np.float32)
    assert np.frombuffer(pack_norms(attention, norms), "<f4").tolist() == [2, 1, 1]
    long = examples.of_length(65, layers=1, heads=1)
    norms = examples.norms(long)
    packed, (thumbnails, peaks) = pack_norms(long.attention, norms), pool(weigh_values(long.attention, norms))
    assert np.frombuffer(packed, "<f4", 1, 4 * 65).tolist() == peaks.ravel().tolist()
    assert packed[4 * 66 :] == thumbnails.tobytes()


def test_weighted_heads_are_in_steps_of_the_largest_norm():
    attention = np.array([[[[0.25, 0.75], [0.5, 0.5]], [[1, 0], [0, 1]]]], np.float32)
    norms = np.array([[[2, 1], [4, 1]]], np.float32)
    high, low = np.frombuffer(pack_weighted_heads(attention, norms, [(0, 0)]), np.uint8).reshape(2, -1).astype(int)
    assert_allclose((high * 256 + low) / STEPS * 4, [0.5, 0.75, 1, 0.5], atol=4 / STEPS)
    mean = np.frombuffer(pack_weighted_heads(attention, norms, [(0, 0), (0, 1)]), np.uint8).reshape(2, -1).astype(int)
    assert_allclose((mean[0] * 256 + mean[1]) / STEPS * 4, [2.25, 0.375, 0.5, 0.75], atol=4 / STEPS)


@pytest.mark.parametrize("explanation", EXPLANATIONS.values(), ids=list(EXPLANATIONS))
def test_the_browser_weighs_as_the_server_does(explanation):
    norms = examples.norms(explanation)
    weighted = value_weighted(explanation, norms).attention
    result = ask("valueWeighted", bytes=pack_with_norms(explanation, norms))
    assert (result["unit"], result["base"], result["measure"]) == (norms.max(), "weights", "norms")
    assert_allclose(np.reshape(result["weights"], weighted.shape), weighted, atol=norms.max() / STEPS)
    assert_allclose(result["peaks"], weighted.max((2, 3)), rtol=1e-6)
    assert_allclose(result["received"], weighted.mean(2), atol=1.1 * norms.max() / STEPS)
    thumbnails = pool(weighted)[0].astype(int)
    drawn = np.reshape(result["thumbnails"], thumbnails.shape)
    assert np.abs(drawn - thumbnails).max() <= 3, "of single tokens from thumbnails of 256 steps"
    if thumbnails.shape != weighted.shape:
        np.testing.assert_array_equal(drawn, thumbnails)


def test_norms_stand_behind_the_mean_of_many_heads():
    long = examples.of_length(60, layers=6, heads=4)
    norms, request = examples.norms(long), {"url": "/heads", "body": {}}
    result = ask("unpacked", bytes=pack_with_norms(long, norms, selection={"head": "4.* 5.* 6.*"}, request=request))
    assert len(result["header"]["mean"]["heads"]) == 12
    assert bytes(result["norms"]) == pack_norms(long.attention, norms)


def test_the_three_attentions_of_a_translation():
    translation = translations.translation()
    norms = {
        kind: np.linspace(0, 3, weights[:, :, 0].size, dtype=np.float32).reshape(weights[:, :, 0].shape)
        for kind, weights in translation.attention.items()
    }
    translation = replace(translation, value_norms=norms)
    statistics = {kind: translation_statistics(translation, kind) for kind in translation.attention}
    data = pack_translation(translation, statistics, Translator("en"), theme("light"))
    result = ask("valueWeightedKinds", bytes=data, layer=1, head=0)
    for kind, weights in zip(["cross", "self", "causal"], result, strict=True):
        expected = translation.attention[kind][1, 0] * translation.value_norms[kind][1, 0]
        assert_allclose(np.reshape(weights, expected.shape), expected, atol=4 / STEPS)


REVIEW = examples.review()
WEIGHTED = value_weighted(REVIEW, examples.norms(REVIEW)).attention[1, 0]


def choose(page, measure: str) -> None:
    settings = page.locator("[aria-controls=settings]")
    if settings.get_attribute("aria-expanded") == "false":
        settings.click()
    page.get_by_label("Measure").select_option(measure)


class TestViews:
    def test_every_view_shows_norms_and_says_so(self, open_explorer):
        explorer = open_explorer(REVIEW, {"head": "2.1", "query": "5"}, norms=examples.norms(REVIEW))
        weights = explorer.reading
        choose(explorer.page, "norms")
        explorer.frame()
        assert (
            says(explorer.reading, "explorer.selected_from_of_norms", query="not (5)") and explorer.reading != weights
        )
        sums = WEIGHTED.sum(1)
        note = explorer.view("heatmap").locator(".note")
        expect(note).to_have_text(
            english("explorer.heatmap_note_part_of_norms", sums=f"{sums.min():.2f}–{sums.max():.2f}")
        )
        assert explorer.view("heatmap").locator(".legend span").first.inner_text() == "‖αf(x)‖"
        explorer.point_at(explorer.cell(4, 2))
        assert float(explorer.tip()[0]) == pytest.approx(WEIGHTED[4, 2], abs=1e-4)
        largest = explorer.row(1).locator(".number").inner_text()
        assert float(largest) == pytest.approx(WEIGHTED[4].max(), abs=1e-4)
        assert explorer.view("distribution").locator("th.weight").inner_text() == "‖αf(x)‖"
        assert "of the sum of norms" in explorer.view("distribution").inner_text()
        assert "‖αf(x)‖" in explorer.canvas_texts("links")
        choose(explorer.page, "weights")
        explorer.point_at((1, 1))
        assert explorer.reading == weights

    def test_a_link_opens_it_and_heads_of_a_criterion_are_ranked_by_weight(self, open_explorer):
        link = {"head": "2.1", "measure": "norms", "order": "sep"}
        explorer = open_explorer(REVIEW, link, norms=examples.norms(REVIEW))
        assert explorer.page.get_by_label("Measure").input_value() == "norms"
        assert (
            explorer.view("overview").locator(".note").inner_text().endswith("Ranked by attention weight, not by norm.")
        )

    def test_a_file_without_norms_does_not_offer_them(self, open_explorer):
        explorer = open_explorer(REVIEW, {"head": "2.1", "measure": "norms"})
        assert explorer.page.get_by_label("Measure").is_hidden()
        assert says(explorer.view("heatmap").inner_text(), "explorer.heatmap_note")

    def test_a_difference_is_one_of_norms(self, open_explorer):
        explorer = open_explorer(REVIEW, {"head": "2.1", "measure": "norms"}, norms=examples.norms(REVIEW))
        explorer.press("p", "c")
        explorer.click(explorer.head(2, 2))
        explorer.point_at(explorer.cell(4, 2))
        before = value_weighted(REVIEW, examples.norms(REVIEW)).attention[1, 0, 4, 2]
        after = value_weighted(REVIEW, examples.norms(REVIEW)).attention[1, 1, 4, 2]
        change = float(explorer.tip()[0].replace("−", "-"))
        assert change == pytest.approx(after - before, abs=2e-4)
        choose(explorer.page, "weights")
        explorer.point_at(explorer.cell(4, 2))
        change = float(explorer.tip()[0].replace("−", "-"))
        assert change == pytest.approx(REVIEW.attention[1, 1, 4, 2] - REVIEW.attention[1, 0, 4, 2], abs=2e-4)

    def test_picture(self, open_explorer):
        explanation = examples.pair()
        link = {"head": "2.1", "query": "3", "measure": "norms", "unit": "word"}
        explorer = open_explorer(explanation, link, norms=examples.norms(explanation))
        explorer.point_at((1, 1))
        compare(explorer.page.screenshot(full_page=True), "explorer_norms_en_light")


class TestFetched:
    def show(self, instrument: InstrumentPage, explanation, link: dict) -> ExplorerPage:
        instrument.server.explanation = explanation
        instrument.open(explanation, selection=link, request=HEADS)
        return ExplorerPage(instrument.page, explanation)

    def test_norms_are_fetched_once_and_are_in_the_link(self, instrument):
        explorer = self.show(instrument, REVIEW, LINK)
        choose(instrument.page, "norms")
        expect(explorer.view("heatmap").locator(".note")).to_contain_text(
            opening("explorer.heatmap_note_part_of_norms")
        )
        choose(instrument.page, "weights")
        choose(instrument.page, "norms")
        explorer.frame()
        assert instrument.server.requests == [{"visitor": "a", "measure": "norms"}]
        assert instrument.reports() == [["selection", LINK | {"measure": "norms"}]]
        instrument.type("A good good film")
        expect(explorer.view("heatmap").locator(".note")).to_contain_text(
            opening("explorer.heatmap_note_part_of_norms")
        )
        assert instrument.server.bodies[-1]["selection"]["measure"] == "norms"
        assert len(instrument.server.requests) == 1, "the norms of another text come with it"

    def test_heads_of_a_long_text_are_fetched_weighted(self, instrument):
        long = examples.of_length(128, heads=3)
        explorer = self.show(instrument, long, LINK | {"head": "2.1"})
        choose(instrument.page, "norms")
        explorer.click(explorer.head(1, 2))
        explorer.page.wait_for_selector(".explorer[data-exact=true]")
        assert instrument.server.requests[-1] == {"visitor": "a", "measure": "norms", "heads": [[0, 1]]}
        size = explorer.map_box()["width"] / 128
        explorer.point_at(explorer.cell(40, 41, size))
        weighted = value_weighted(long, examples.norms(long)).attention
        assert float(explorer.tip()[0]) == pytest.approx(weighted[0, 1, 40, 41], abs=2e-4)

    def test_a_model_without_norms_says_so(self, instrument):
        instrument.server.explanation = REVIEW
        instrument.open(REVIEW, selection=LINK | {"measure": "norms"}, measures=["weights"])
        explorer, option = ExplorerPage(instrument.page, REVIEW), instrument.page.locator("option[value=norms]")
        assert option.is_disabled() and option.inner_text() == english("explorer.measure_norms_missing")
        assert instrument.page.get_by_label("Measure").input_value() == "weights"
        assert says(explorer.view("heatmap").inner_text(), "explorer.heatmap_note")

    def test_a_failure_is_said_and_can_be_tried_again(self, instrument):
        explorer = self.show(instrument, REVIEW, LINK)
        instrument.server.broken = True
        choose(instrument.page, "norms")
        expect(instrument.page.locator(".reading .line")).to_contain_text(english("explorer.failed_norms"))
        assert instrument.page.get_by_label("Measure").input_value() == "weights"
        instrument.server.broken = False
        explorer.click(instrument.page.get_by_role("button", name="Try again"))
        expect(explorer.view("heatmap").locator(".note")).to_contain_text(
            opening("explorer.heatmap_note_part_of_norms")
        )
