"""The atlas of heads: what is packed, pointing and opening by mouse, finger and keys, colours, and pictures."""

import numpy as np
import pytest

from tests.analysis.fake_survey import survey
from tests.explorer import examples
from tests.pages.app import header
from tests.pictures import compare
from tests.rendering.test_importance import importance
from tests.words import english
from viz_core.explorer.atlas import Thumbnails, pack_atlas, standalone_atlas
from viz_core.language import Translator
from viz_core.records import Failure
from viz_core.rendering.theme import theme

PREVIOUS = np.array([[0.05, 0.9], [0.3, 0.1]])
MANY_NAMES = "<img src=x onerror=alert(1)> & 对齐"


def packed(record=None, language="en", mode="light", projector=False, **values) -> bytes:
    record = record or survey(previous=PREVIOUS)
    values = {"opens": True, "found": [("Attention to the previous token: 1.2.", [(0, 1)])], **values}
    return pack_atlas(record, Translator(language), theme(mode, projector), **values)


def many(**values):
    """Twelve layers of twelve heads, in groups, with thumbnails of a pair."""
    random = np.random.default_rng(0)
    record = survey(
        12,
        12,
        previous=random.beta(0.5, 3, (12, 12)),
        entropy=random.beta(4, 2, (12, 12)),
        same=random.beta(0.4, 4, (12, 12)),
    )
    thumbnails = Thumbnails.of(random.dirichlet(np.ones(14), (12, 12, 14)), ("花呗怎么还款", "花呗如何还钱"))
    return packed(record, groups=[(0, 1, 14), (5, 6)], thumbnails=thumbnails, **values)


class TestPacking:
    def test_statistics_are_numbers_of_all_heads_with_intervals_and_the_uniform_head(self):
        shown = header(packed(names={"self 2.1": "aligner"}, groups=[(0, 3)]))
        measure = shown["measures"]["previous"]
        assert measure["values"] == PREVIOUS.ravel().tolist() and measure["uniform"] == 0.05
        np.testing.assert_allclose(np.subtract(measure["high"], measure["low"]), 0.02)
        assert (measure["unit"], shown["measures"]["distance"]["unit"]) == ("share", "tokens")
        assert (shown["kind"], shown["names"]) == ("self", {"self 2.1": "aligner"}) and shown["groups"] == [
            0,
            -1,
            -1,
            0,
        ]
        assert shown["found"][0]["heads"] == shown["named"] == [1]

    def test_the_change_of_the_loss_is_one_where_it_is_measured(self):
        assert "importance" not in header(packed())["measures"]
        measured = importance(2, 2, loss_change=np.array([[0.02, -0.01], [0.0, 0.04]]))
        measure = header(packed(importance=measured))["measures"]["importance"]
        assert measure["values"] == [0.02, -0.01, 0.0, 0.04]
        assert (measure["unit"], measure["uniform"]) == ("change", None)

    def test_thumbnails_follow_the_header(self):
        attention = np.zeros((2, 2, 3, 3))
        attention[..., 0] = 1
        data = packed(thumbnails=Thumbnails.of(attention, ("a b c",)))
        assert header(data)["thumbnail"]["grid"] == [3, 3]
        assert data[-36:] == bytes([255, 0, 0]) * 12

    def test_what_is_chosen_changes_the_link_alone(self):
        first, other = header(packed()), header(packed(chosen={"x": "distance", "colour": "group"}))
        assert other["link"] == {"x": "distance", "y": "entropy", "colour": "group"}
        assert first["id"] == other["id"] != header(packed(names={"self 1.1": "x"}))["id"]

    def test_what_is_unknown_or_inconsistent_is_rejected(self):
        with pytest.raises(ValueError, match="'charm'.*entropy"):
            packed(chosen={"x": "charm"})
        with pytest.raises(ValueError, match="'group'"):
            packed(chosen={"x": "group"})
        with pytest.raises(ValueError, match="importance of shape"):
            packed(importance=importance(4, 4))
        with pytest.raises(Failure):
            packed(survey(previous=np.full((2, 2), np.nan)))


@pytest.mark.browser
class TestPointing:
    def test_a_head_that_is_pointed_at_is_marked_everywhere(self, open_atlas):
        atlas = open_atlas(packed())
        assert atlas.marked == [1] and atlas.title == english("atlas.head", head="1.2"), "at first what stands out"
        atlas.cell(2).hover()
        atlas.frame()
        assert atlas.marked == [2] and atlas.title == english("atlas.head", head="2.1")
        assert atlas.ring() == pytest.approx(atlas.dot(2), abs=0.6)
        atlas.page.mouse.move(*atlas.dot(1))
        atlas.frame()
        assert atlas.marked == [1] and atlas.title == english("atlas.head", head="1.2")

    @pytest.mark.parametrize("target", ["cell", "dot", "chip", "button"])
    def test_a_click_opens_it(self, open_atlas, target):
        atlas = open_atlas(packed())
        if target == "dot":
            atlas.page.mouse.click(*atlas.dot(1))
        else:
            place = {"cell": atlas.cell(1), "chip": atlas.page.locator(".chip"), "button": atlas.page.locator(".open")}
            place[target].click()
        assert atlas.reports == [["open", "1.2"]]

    def test_a_finger_points_first_and_opens_with_the_second_tap(self, open_atlas):
        atlas = open_atlas(packed(), has_touch=True)
        for number in (1, 3):  # the first is marked already
            atlas.cell(number).tap()
            atlas.frame()
            assert atlas.marked == [number] and atlas.reports == []
        atlas.cell(3).tap()
        assert atlas.reports == [["open", "2.2"]]
        atlas.page.touchscreen.tap(*atlas.dot(2))
        atlas.frame()
        assert atlas.marked == [2] and len(atlas.reports) == 1

    def test_arrow_keys_move_and_enter_opens(self, open_atlas):
        atlas = open_atlas(packed())
        atlas.cell(1).focus()
        for key in ("ArrowDown", "ArrowLeft"):
            atlas.page.keyboard.press(key)
        atlas.frame()
        assert atlas.marked == [2]
        atlas.page.keyboard.press("Enter")
        assert atlas.reports == [["open", "2.1"]]

    def test_a_file_opens_nothing(self, visit):
        page = visit(standalone_atlas(packed(opens=False), "Atlas", Translator("en"), theme("light")))
        page.locator(".atlas[data-drawn]").wait_for()
        assert page.locator(".cell").count() == 4 and page.locator(".open").count() == 0


@pytest.mark.browser
class TestColours:
    def test_another_statistic_is_drawn_and_reported(self, open_atlas):
        atlas = open_atlas(packed())
        atlas.select(english("atlas.colour"), "previous")
        assert [atlas.cell(number).inner_text() for number in range(4)] == ["5%", "90%", "30%", "10%"]
        assert atlas.reports == [["link", {"x": "previous", "y": "entropy", "colour": "previous"}]]
        before = atlas.dot(1)
        atlas.select(english("atlas.x"), "distance")
        assert atlas.dot(1)[0] != before[0] and atlas.ring() == pytest.approx(atlas.dot(1), abs=0.6)

    def test_the_name_of_the_cross_gives_way_to_that_of_the_head_that_is_pointed_at(self, open_atlas):
        means = {"previous": np.array([[0.9, 0.1], [0.4, 0.4]]), "self": np.array([[0.05, 0.02], [0.9, 0.4]])}
        atlas = open_atlas(packed(survey(**means), found=[], chosen={"x": "previous", "y": "self"}))
        uniform = atlas.page.locator("svg .uniform")
        assert uniform.is_visible()
        assert "1.2" not in atlas.page.locator("svg .name:not(.marked)").all_text_contents()
        atlas.cell(1).hover()
        atlas.frame()
        assert atlas.page.locator("svg .marked").text_content() == "1.2" and not uniform.is_visible()

    def test_groups_have_letters_a_legend_and_no_axis(self, open_atlas):
        atlas = open_atlas(packed(groups=[(0, 3)], groups_note="What makes a group."))
        atlas.select(english("atlas.colour"), "group")
        assert [atlas.cell(number).inner_text() for number in range(4)] == ["A", "", "", "A"]
        assert atlas.page.locator(".groups li").all_inner_texts() == ["A\n1.1, 2.2"]
        assert "What makes a group." in atlas.page.locator(".legend").inner_text()
        assert atlas.page.locator("select").nth(0).locator("[value=group]").count() == 0
        fills = atlas.page.locator("svg circle:not(.ring)").evaluate_all("(all) => all.map((dot) => dot.style.fill)")
        assert fills[0] == fills[3] != fills[1] == fills[2]

    def test_a_name_that_a_person_gave_is_text_in_every_part(self, open_atlas):
        atlas = open_atlas(packed(names={"self 1.2": MANY_NAMES, "cross 1.2": "of another attention"}))
        name = f"1.2 · {MANY_NAMES}"
        assert atlas.title == english("atlas.head", head=name)
        assert atlas.page.locator(".chip").inner_text() == name
        assert atlas.page.locator("svg .marked").text_content() == f"{name[:24]}…"
        assert name in atlas.cell(1).get_attribute("aria-label") and atlas.page.locator("img").count() == 0


@pytest.mark.browser
class TestPictures:
    def test_four_layers(self, open_atlas):
        explanation = examples.pair(layers=4)
        random = np.random.default_rng(1)
        record = survey(*explanation.attention.shape[:2], same=random.beta(0.4, 4, explanation.attention.shape[:2]))
        thumbnails = Thumbnails.of(explanation.attention, explanation.encoding.texts)
        atlas = open_atlas(packed(record, thumbnails=thumbnails, names={"self 1.2": "aligner"}))
        compare(atlas.page.screenshot(full_page=True), "atlas_en_light")

    @pytest.mark.parametrize(
        ("name", "values", "width"),
        [
            ("many_zh_dark", {"language": "zh", "mode": "dark", "chosen": {"colour": "group"}}, 1280),
            pytest.param("many_projector", {"projector": True}, 1920, marks=pytest.mark.slow),
            ("many_telephone", {}, 390),
        ],
    )
    def test_twelve_layers(self, open_atlas, name, values, width):
        background = theme(values.get("mode", "light")).background
        atlas = open_atlas(many(**values), background, viewport={"width": width, "height": 1000})
        compare(atlas.page.screenshot(full_page=True), f"atlas_{name}")
