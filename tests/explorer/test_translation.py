"""The translation in the browser: words, candidates, beam search, teacher forcing, what-if, refusals."""

import pytest

from tests.explorer.translation_page import MOST, SOURCE, UNKNOWN, Server, TranslationPage, decode
from tests.words import english, says
from viz_core.rendering.theme import theme

pytestmark = pytest.mark.browser
GREEDY = ["we", "go", "to", "school", "tomorrow", ".", "[SEP]"]


@pytest.fixture
def open_translation(take_page):
    def open_page(language: str = "en", mode: str = "light", **link: str) -> TranslationPage:
        page, server = take_page(), Server(theme(mode).background)
        page.route("**/*", server)
        return TranslationPage(page, server).show(language, mode, **link)

    return open_page


def test_the_translation_is_drawn_without_a_click_and_spoken_once_it_is_there(open_translation):
    page = open_translation()
    assert page.words() == GREEDY and page.body()["text"] == SOURCE
    assert page.announcement() == "we go to school tomorrow ." and not page.link().get("fed")
    # The word of which the model is least sure is selected, in the words and in the explorer.
    assert page.word(0).get_attribute("aria-pressed") == "true" and page.candidates() == ["we", "i", "they"]
    assert "we (1)" in page.selected_query()
    assert says(page.page.locator(".choice .note").text_content(), "translation.candidates_note", read="[CLS]")
    exposure = page.page.locator(".exposure").text_content()
    assert says(exposure, "translation.exposure_generation", count=7, time="34 ms", forced="5 ms")


def test_another_candidate_goes_on_from_there_and_the_link_says_so(open_translation):
    page = open_translation()
    page.word(1).click()
    assert page.wait().candidates() == ["go", "will"] and "go (2)" in page.selected_query()
    page.click(".candidate >> nth=1")
    assert page.words()[:3] == ["we", "will", "go"] and page.body()["fed"] == [[0, "we"], [1, "will"]]
    assert page.link()["fed"] == "1:we 2:will" and page.link()["word"] == "2"
    assert page.page.locator(".word.fed").count() == 2
    assert page.page.locator(".original .token").all_text_contents() == GREEDY
    page.click(".original button")
    assert page.words() == GREEDY and page.body()["fed"] == [] and page.link()["fed"] == ""


def test_a_word_of_ones_own_is_put_there_with_the_keyboard(open_translation):
    page = open_translation()
    page.word(0).focus()
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("Enter")
    page.wait().page.locator(".feed input").fill("eat")
    page.page.keyboard.press("Enter")
    assert page.wait().words()[:2] == ["we", "eat"] and page.body()["fed"] == [[0, "we"], [1, "eat"]]
    assert page.candidates() == ["go", "will", "eat"]


def test_a_word_that_the_model_does_not_have_is_said_and_changes_nothing(open_translation):
    page = open_translation()
    page.page.locator(".feed input").fill(UNKNOWN)
    page.page.keyboard.press("Enter")
    assert UNKNOWN in page.wait().page.locator(".refusal").text_content()
    assert page.words() == GREEDY and page.link()["fed"] == "" and page.page.locator(".stale").count() == 0
    page.click(".candidate >> nth=1")
    assert page.words()[0] == "i" and page.page.locator(".refusal").is_hidden()


def test_heads_are_masked_and_tokens_blocked(open_translation):
    page = open_translation()
    page.click(".changes summary")
    titles = [square.get_attribute("title") for square in page.page.locator(".square").all()]
    assert [title.partition(" · ")[2] for title in titles] == [*[""] * 5, "aligner", "", ""]
    page.click(".square >> nth=5")
    page.click(".chip >> nth=3")
    assert page.body()["masked"] == [[1, 1]] and page.body()["blocked"] == [3]
    assert (page.link()["masked"], page.link()["blocked"]) == ("2.2", "4")
    shares = page.page.locator(".original .share").all_text_contents()
    assert shares[0] == "50% → 17%" and page.page.locator(".was.less").count() == len(GREEDY)
    page.click(".square >> nth=5")
    assert page.body()["masked"] == [] and page.link()["masked"] == ""


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_tree_of_a_beam_search(open_translation, key):
    page = open_translation(decoding="beam", width="3")
    assert page.body()["decoding"]["width"] == 3
    nodes = page.page.locator(".tree .node")
    best = page.page.locator(".tree .node.best .token").all_text_contents()
    assert best[0] == "we" and best[-1] == "[SEP]" and nodes.count() > len(best)
    assert page.page.locator(".tree .score").all_text_contents()[0].startswith("1. score")
    nodes.nth(0).focus()
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press(key)
    second = page.wait().body()["fed"]
    assert len(second) == 2 and second[0] == [0, "we"]


def stop_clock(page: TranslationPage) -> None:
    """From now on, timers fire in `run_for` only."""
    page.page.clock.pause_at(page.page.evaluate("Date.now()") / 1000 + 10)


@pytest.mark.parametrize("link", [{}, {"decoding": "beam"}], ids=["greedy", "beam"])
def test_the_translation_is_shown_once_more_slowly(open_translation, link):
    page = open_translation(**link)
    stop_clock(page)
    button = page.page.locator(".replay")
    button.click()
    assert page.words() == ["we"] and "we (1)" in page.selected_query()
    page.page.clock.run_for(750)
    assert page.words() == ["we", "go"] and "go (2)" in page.selected_query()
    levels = page.page.locator(".tree .node").count()
    assert bool(levels) == bool(link) and page.page.locator(".tree .score").count() == 0
    page.page.clock.run_for(750 * 10)
    assert page.words() == GREEDY and button.text_content() == english("translation.replay")
    button.click()
    button.click()
    assert page.words() == GREEDY


def test_nothing_plays_by_itself_for_whoever_has_asked_for_less_motion(open_translation):
    page = open_translation()
    page.page.emulate_media(reduced_motion="reduce")
    stop_clock(page)
    button = page.page.locator(".replay")
    for count in range(1, len(GREEDY)):
        button.click()
        page.page.clock.run_for(750 * 10)
        assert page.words() == GREEDY[:count] and button.text_content() == "▸ Next word"
    button.click()
    assert page.words() == GREEDY and button.text_content() == english("translation.replay")


@pytest.mark.parametrize(
    "text, reference", [(SOURCE, "we will go to school tomorrow ."), ("去学校。", "they went to school tomorrow .")]
)
def test_training_begins_with_a_reference_and_without_words_put_there(open_translation, text, reference):
    page = open_translation(text=text, fed="1:they 2:went")
    page.click(".right .choices button >> nth=1")
    assert page.words() == [*reference.split(), "[SEP]"] and page.page.locator(".word.fed").count() == 0
    assert page.body()["fed"] == [] and page.link()["fed"] == "" and page.page.locator(".original *").count() == 0
    page.click(".right .choices button >> nth=0")
    assert page.words()[:2] == ["they", "went"] and page.link()["fed"] == "1:they 2:went"  # they are still there


def test_a_reference_is_read_at_once_and_another_can_be_written(open_translation):
    page = open_translation()
    page.click(".examples button >> nth=0")  # its reference is known
    page.click(".right .choices button >> nth=1")
    assert page.words() == ["we", "will", "go", "to", "school", "tomorrow", ".", "[SEP]"]
    assert page.page.locator(".replay").is_hidden()  # nothing comes one after another
    assert page.page.locator(".instead").all_text_contents()[:2] == ["✓", "go"]
    assert says(page.page.locator(".exposure").text_content(), "translation.exposure_training", count=8)
    page.page.locator(".reference textarea").fill("we go home .")
    page.page.clock.run_for(700)
    assert page.wait().words() == ["we", "go", "home", ".", "[SEP]"] and page.link()["reference"] == "we go home ."
    page.page.locator(".reference textarea").fill("go " * MOST)
    assert page.page.locator(".reference + .note").text_content().startswith(f"The text had {3 * MOST} characters")
    assert len(page.page.locator(".reference textarea").input_value()) == MOST
    count = len(page.server.bodies)
    page.page.locator(".reference textarea").fill("")
    assert page.wait().page.locator(".refusal").text_content() == english("translation.reference_missing")
    assert len(page.server.bodies) == count


def test_what_was_typed_is_kept_when_it_is_refused(open_translation):
    page = open_translation()
    box = page.page.locator(".boxes textarea")
    box.fill("  ")
    assert page.wait().page.locator(".refusal").text_content() == "The text is empty: type a text to analyse."
    assert box.input_value() == "  " and page.announcement().startswith("The text is empty")
    box.fill("他回家。")
    assert page.wait().page.locator(".refusal").is_hidden() and page.body()["text"] == "他回家。"


def test_a_lost_connection_is_said_and_a_busy_server_asked_again(open_translation):
    page = open_translation()
    page.server.offline = True
    page.click(".examples button >> nth=1")
    assert "did not respond" in page.page.locator(".refusal").text_content()
    page.server.offline, page.server.busy, count = False, 1, len(page.server.bodies)
    page.page.locator(".settings .choices button").nth(1).click()
    page.page.wait_for_selector(".refusal", state="hidden")
    assert page.wait().words() == GREEDY and len(page.server.bodies) == count + 2


def test_another_language_keeps_everything_and_another_model_the_sentence(open_translation):
    page = open_translation(fed="1:i", masked="1.1")
    page.show("zh")
    assert page.words()[0] == "i" and page.words()[-1] == "[SEP]" and page.body()["masked"] == [[0, 0]]
    page.show("zh", model="other")
    assert page.words()[0] == "we" and page.body()["masked"] == [] and page.body()["text"] == SOURCE


def test_markup_is_shown_as_it_was_typed(open_translation):
    page = open_translation(text="<b>我</b>", fed="1:<i>x</i>")
    assert page.words()[0] == "<i>x</i>" and page.page.locator(".words i:not([class])").count() == 0


def test_whether_it_matters_is_asked_of_the_selected_word_and_each_answer_opens_the_full_test(open_translation):
    page = open_translation()
    strip = page.page.locator(".matters:not(.pending)")
    strip.locator("button").nth(1).wait_for()
    asked = page.server.effects[-1]
    assert (asked["word"], asked["masked"]) == (0, [[0, 0]]) and len(asked["blocked"]) == 1
    assert asked["outputs"] == [step["id"] for step in decode({})] and asked["text"] == SOURCE
    head, token = strip.locator("button").all_text_contents()
    assert "−10.0" in head and "−30.0 … +10.0" in head and "−50.0" in token and "they" in token
    assert says(strip.locator(".verdict").text_content(), "explorer.matters_word_shared")
    page.word(1).click()
    page.wait().page.wait_for_function("document.querySelectorAll('.matters:not(.pending)').length")
    page.page.locator(".matters:not(.pending) button").nth(1).click()
    assert page.wait().body()["blocked"] == page.server.effects[-1]["blocked"] and page.body()["masked"] == []
    assert page.server.effects[-1]["word"] == 1
    assert page.page.locator(".original").is_visible() and not page.page.locator(".matters").is_visible()
    page.click(".original button")
    page.page.locator(".matters:not(.pending) button").nth(0).click()
    assert page.wait().body()["masked"] == [[0, 0]]


def test_whether_it_matters_is_asked_of_cross_attention_only(open_translation):
    page = open_translation(kind="self", query="2")
    assert not page.page.locator(".matters").is_visible()
    page.page.get_by_role("button", name=english("explorer.kind_cross"), exact=True).click()
    page.word(1).click()
    page.page.locator(".matters:not(.pending) button").nth(1).wait_for()
    assert len(page.server.effects) == 1


def test_a_link_to_teacher_forcing_without_a_reference_has_that_of_the_example(open_translation):
    page = open_translation(view="training", fed="1:they")
    assert page.body()["reference"] == "we will go to school tomorrow ." and page.body()["fed"] == []
    assert page.page.locator(".reference textarea").input_value() == "we will go to school tomorrow ."
    assert not page.page.locator(".refusal").is_visible()
