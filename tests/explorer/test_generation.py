"""The text of a language model in the browser: what was expected, going on, another token, sampling, refusals."""

import pytest

from tests.explorer.generation_page import ANSWER, END, SYSTEM, TEXT, USER, GenerationPage, Server
from tests.explorer.translation_page import WORDS
from tests.pictures import compare
from tests.words import english, says
from viz_core.rendering.theme import theme

pytestmark = pytest.mark.browser
BOX = ".boxes:not(.system) textarea"
WRITTEN = ["to", "school", "tomorrow", "."]  # the toy ends the sentence here


@pytest.fixture
def open_generation(take_page):
    def open_page(
        language: str = "en", mode: str = "light", width: int = 1280, template: dict | None = None, **link: str
    ) -> GenerationPage:
        page, server = take_page(viewport={"width": width, "height": 700}), Server(theme(mode).background)
        page.route("**/*", server)
        return GenerationPage(page, server).show(language, mode, template=template, **link)

    return open_page


def ids(*words: str) -> list[int]:
    return [WORDS.index(word) for word in words]


def test_a_text_has_what_was_expected_at_each_token_and_what_comes_next(open_generation):
    page = open_generation()
    assert page.tokens() == ["we", "go", "…"] and page.body()["text"] == TEXT and page.body()["most"] == 0
    assert page.expected() == {"to": ["80%"], "home": ["20%"]}
    page.token(1).click()
    assert page.wait().expected() == {"go": ["60%"], "will": ["40%"]} and page.link()["word"] == "2"
    assert says(page.note(), "generation.expected_note", word="go", probability="60%", rank=1)
    page.token(0).click()
    assert page.wait().expected() == {} and says(page.note(), "generation.expected_first", position=1)


def test_it_goes_on_and_what_it_wrote_is_in_the_link_and_can_be_taken_back(open_generation):
    page = open_generation().click(".write")
    assert page.tokens() == ["we", "go", *WRITTEN, "…"] and page.page.locator(".word.written").count() == 4
    assert page.link()["written"] == " ".join(map(str, ids(*WRITTEN))) and page.announcement() == "".join(WRITTEN)
    page.click(".undo")
    assert page.tokens() == ["we", "go", "…"] and page.link()["written"] == ""
    page.click(".one")
    assert page.tokens() == ["we", "go", "to", "…"] and page.body()["most"] == 1


def test_the_whole_text_goes_to_the_explorer(open_generation):
    page = open_generation().click(".one").click(".explore")
    assert page.reported("explore") == {"text": TEXT, "chat": False, "system": "", "turns": [], "written": ids("to")}


def test_what_a_link_says_was_written_is_read_again(open_generation):
    page = open_generation(written=" ".join(map(str, ids("to", "work"))), word="4")
    assert page.tokens() == ["we", "go", "to", "work", "…"]
    assert page.token(3).get_attribute("aria-pressed") == "true"
    assert page.expected() == {"school": ["70%"], "work": ["30%"]}


def test_another_token_is_put_there_and_as_many_follow(open_generation):
    page = open_generation(written=" ".join(map(str, ids(*WRITTEN))))
    page.token(3).click()
    page.wait().click(".expected .row >> nth=1")
    assert page.body()["written"] == ids("to", "work") and page.tokens() == ["we", "go", "to", "work", ".", "…"]
    page.token(1).click()
    page.wait().click(".expected .row >> nth=1")  # in the typed text: it ends before, and goes on from there
    assert page.body()["text"] == "we " and page.tokens()[:2] == ["we", "will"]
    assert page.page.locator(BOX).input_value() == "we "
    page.click(".undo")
    assert page.page.locator(BOX).input_value() == TEXT and page.tokens()[1] == "go"


def test_sampling_shows_what_each_setting_makes_of_the_probabilities(open_generation):
    page = open_generation(decoding="sample", temperature="0.5", top_k="1", seed="3")
    assert page.page.locator(".expected .head .label").count() == 3
    # 0.8² / (0.8² + 0.2²) = 0.94
    assert page.expected() == {"to": ["80%", "94%", "100.0%"], "home": ["20%", "5.9%", "0"]}
    wanted = {"method": "sample", "temperature": 0.5, "top_k": 1, "top_p": 1, "seed": 3}
    assert page.body()["decoding"] == wanted
    page.click(f".choices button:text-is('{english('generation.method_greedy')}')")
    assert page.page.locator(".sampling").is_hidden() and page.expected()["to"] == ["80%"]


def test_heads_that_are_named_are_left_out_and_what_is_no_head_is_marked(open_generation):
    page = open_generation()
    box = page.page.locator(".without input")
    for typed, invalid in (("2.1 1.3", "false"), ("2.1 1.", "true")):
        box.fill(typed)
        assert page.wait().body()["masked"] == [[1, 0], [0, 2]] and box.get_attribute("aria-invalid") == invalid
    assert page.link()["without"] == "2.1 1.3"
    assert open_generation(without="2.2").body()["masked"] == [[1, 1]]


def test_typing_begins_anew(open_generation):
    page = open_generation(written=str(*ids("to")))
    page.page.locator(BOX).fill("i go")
    assert page.wait().tokens() == ["i", "go", "…"] and page.link()["text"] == "i go" and page.body()["written"] == []


CHAT = f".chat button:text-is('{english('generation.chat')}')"
PLAIN = f".chat button:text-is('{english('generation.text')}')"


def test_a_chat_is_a_text_with_markers(open_generation):
    page = open_generation().click(".one").click(CHAT)
    assert page.tokens() == [USER, "we", "go", ANSWER, "…"]
    assert (page.link()["chat"], page.link()["written"]) == ("1", "")
    assert page.page.locator(".words .special .token").all_text_contents() == [USER, ANSWER]
    page.page.locator(".system textarea").fill("i will")
    assert page.wait().tokens() == [SYSTEM, "i", "will", USER, "we", "go", ANSWER, "…"]
    assert page.link()["system"] == "i will" and page.body()["system"] == "i will"
    page.click(".one").click(".explore")
    whole = {"text": TEXT, "chat": True, "system": "i will", "turns": [], "written": ids(".")}
    assert page.reported("explore") == whole
    assert page.page.locator(".expected .special").all_text_contents() == [END]
    page.click(PLAIN)
    assert page.tokens() == ["we", "go", "…"] and page.page.locator(".system").is_hidden()
    page.click(".undo")
    assert page.tokens()[-2:] == [".", "…"] and page.page.locator(".system textarea").input_value() == "i will"
    page.click(".undo").click(".undo")
    assert page.tokens() == ["we", "go", "to", "…"] and page.link()["chat"] == "" and page.body()["chat"] is False


def said(page):
    """The roles and texts of the turns before the message."""
    return [tuple(turn.locator("span").all_text_contents()) for turn in page.page.locator(".turns li").all()]


def test_an_answer_becomes_a_turn_and_the_next_message_is_written(open_generation):
    """Until there is one, the chat ends with the answer, and nothing can be written."""
    page = open_generation(chat="1", text="i go")
    assert page.page.locator(".reply").is_disabled()
    page.click(".one").click(".reply")
    you, model = english("generation.role_user"), english("generation.role_answer")
    assert said(page) == [(you, "i go"), (model, ".")]
    assert page.page.locator(BOX).input_value() == "" and page.page.locator(".write").is_disabled()
    assert page.tokens() == [USER, "i", "go", ANSWER, ".", "…"] and page.page.locator(".refusal").is_hidden()
    assert page.note() == english("generation.reply_waits") and page.page.locator(".expected .row:enabled").count() == 0
    page.page.keyboard.type("we go")
    assert page.wait().tokens() == [USER, "i", "go", ANSWER, ".", USER, "we", "go", ANSWER, "…"]
    assert page.body()["turns"] == [["i go", "."]] and page.body()["text"] == "we go"
    assert (page.link()["turns"], page.link()["text"]) == ('[["i go","."]]', "we go")
    page.click(".one").click(".explore")
    assert page.reported("explore")["turns"] == [["i go", "."]]
    page.click(".reply").click(".turns .edit >> nth=1")
    assert page.page.locator(BOX).input_value() == "we go" and said(page) == [(you, "i go"), (model, ".")]
    page.click(".undo")
    assert len(said(page)) == 4 and page.page.locator(BOX).input_value() == ""
    page.click(".undo").click(".undo").click(".undo")
    assert said(page) == [] and page.tokens() == [USER, "i", "go", ANSWER, ".", "…"]


def test_what_was_added_to_a_long_text_is_in_sight(open_generation):
    page = open_generation(text="we go " * 100)
    words = page.page.locator(".words")

    def hidden():
        """Pixels below what is in sight."""
        return words.evaluate("(e) => e.scrollHeight - e.clientHeight - e.scrollTop")

    assert hidden() < 2
    page.click(".one")
    assert hidden() < 2
    page.token(1).click()
    assert page.wait().page.locator(".words").evaluate("(e) => e.scrollTop < e.scrollHeight / 2")


def test_a_link_opens_a_chat_of_several_turns_and_another_model_reads_it(open_generation):
    turns = '[["i go","home ."],["<b>why</b>","\\u0020. "]]'
    page = open_generation(chat="1", turns=turns, text="we go", written=str(*ids(".")))
    assert [text for _, text in said(page)] == ["i go", "home .", "<b>why</b>", " . "]
    assert page.body()["turns"] == [["i go", "home ."], ["<b>why</b>", " . "]] and page.body()["written"] == ids(".")
    page.show(model="other")
    assert len(said(page)) == 4 and (page.body()["written"], page.body()["text"]) == ([], "we go")
    page.click(PLAIN)
    assert page.page.locator(".turns").is_hidden() and page.tokens() == ["we", "go", "…"]
    assert page.click(CHAT).body()["turns"] == [["i go", "home ."], ["<b>why</b>", " . "]]


def test_what_a_chat_cannot_do_is_said(open_generation):
    page = open_generation(template={"turns": False}, chat="1", written=str(*ids(".")))
    assert page.page.locator(".reply").is_hidden()
    assert english("generation.chat_one_turn") in page.page.locator(".chat > .note >> nth=0").inner_text()
    page.show(model="other", template={"turns": True})
    assert page.page.locator(".chat > .unlinked").is_hidden()
    long = open_generation(chat="1", turns='[["' + "go " * 700 + '","home"]]')
    note = long.page.locator(".chat > .unlinked").inner_text()
    assert says(note, "generation.turns_not_in_link", count=2113, limit=2000)


def test_in_a_chat_only_what_was_written_is_changed_by_a_click(open_generation):
    page = open_generation(chat="1", written=str(*ids(".")))
    page.token(1).click()
    page.wait()
    assert page.page.locator(".expected .row:enabled").count() == 0
    assert english("generation.no_change") in page.note()
    page.click(".word.next").click(".expected .row >> nth=1")
    assert page.body()["written"] == ids(".", "!") and page.page.locator(BOX).input_value() == TEXT


def test_a_chat_is_offered_only_where_there_is_a_template(open_generation):
    without = {"offered": False, "system": False, "problem": ""}
    page = open_generation(template=without)
    assert page.page.locator(CHAT).is_hidden() and page.page.locator(".chat > .note >> nth=0").is_hidden()
    page.show(model="other", template=without | {"offered": True})
    page.click(CHAT)
    assert page.page.locator(".system").is_hidden() and page.body()["chat"] is True
    page.show(model="broken", template=without | {"problem": "The template loops."})
    assert page.click(PLAIN).body()["chat"] is False and page.page.locator(CHAT).is_hidden()
    assert page.page.locator(".chat > .note >> nth=0").inner_text() == "The template loops."


def test_a_kept_continuation_stands_beside_the_next_one(open_generation):
    """to school tomorrow . has log p = log(0.8 · 0.7 · 0.55 · 0.9), to work . log(0.8 · 0.3 · 1)."""
    page = open_generation()
    assert page.page.locator(".hold").is_disabled() and page.page.locator(".branches").is_hidden()
    page.click(".write").click(".hold")
    assert page.branches() == (WRITTEN, WRITTEN) and page.page.locator(".differs").count() == 0
    count = len(page.server.bodies)
    page.page.locator(".branch_now .word >> nth=1").click()
    page.wait().click(".expected .row >> nth=1")
    assert page.branches() == (["to", "work", "."], WRITTEN) and page.tokens()[:2] == ["we", "go"]
    assert page.page.locator(".differs .token").all_text_contents() == ["work", "school"]
    assert [page.sums(name) for name in ("now", "kept")] == ["3 · −1.43 · 1.61", "4 · −1.28 · 1.38"]
    assert page.link()["written"] == " ".join(map(str, ids("to", "work", ".")))
    assert page.link()["kept"] == " ".join(map(str, ids(*WRITTEN)))
    assert len(page.server.bodies) == count + 1, "what was read before is not asked for again"


def test_branches_change_places_one_is_dropped_and_all_is_taken_back(open_generation):
    written = {"written": " ".join(map(str, ids("to", "work"))), "kept": " ".join(map(str, ids(*WRITTEN)))}
    page = open_generation(**written)
    assert page.branches() == (["to", "work"], WRITTEN)
    assert page.sums("kept") == "4 · −1.28 · 1.38"
    count = len(page.server.bodies)
    page.click(".exchange")
    assert page.branches() == (WRITTEN, ["to", "work"]) and page.link()["written"] == written["kept"]
    assert page.sums("now") == "4 · −1.28 · 1.38" and len(page.server.bodies) == count + 1
    page.click(".drop")
    assert page.page.locator(".branches").is_hidden() and page.tokens() == ["we", "go", *WRITTEN, "…"]
    assert page.link()["kept"] == ""
    page.click(".undo")
    assert page.branches() == (WRITTEN, ["to", "work"])
    page.click(".undo")
    assert page.branches() == (["to", "work"], WRITTEN) and page.link() == page.link() | written


def test_a_kept_continuation_is_read_again_after_a_reload_only(open_generation):
    page = open_generation(kept=" ".join(map(str, ids("to"))), written=" ".join(map(str, ids("home"))))
    assert sorted(body["written"] for body in page.server.bodies) == sorted([ids("to"), ids("home")])
    page.page.locator(BOX).fill("i go")
    assert page.wait().link()["kept"] == "" and page.page.locator(".branches").is_hidden()
    assert [body["written"] for body in page.server.bodies[2:]] == [[]], "nothing is asked for while a text is typed"


def test_another_token_in_the_text_drops_what_continued_the_old_one(open_generation):
    page = open_generation(written=str(*ids("to"))).click(".hold")
    page.token(1).click()
    page.wait().click(".expected .row >> nth=1")
    assert page.body()["text"] == "we " and page.page.locator(".branches").is_hidden() and page.link()["kept"] == ""
    page.click(".undo")
    assert page.branches() == (["to"], ["to"])


def test_a_kept_continuation_that_cannot_be_read_says_so_and_can_be_dropped(open_generation):
    page = open_generation(written=str(*ids("to")), kept="9999")
    assert page.page.locator(".branch_kept .note").inner_text() == "Token 9999 is not in the vocabulary."
    assert page.page.locator(".exchange").is_disabled() and page.branches() == (["to"], [])
    assert page.click(".drop").tokens() == ["we", "go", "to", "…"]


def test_a_refusal_is_shown_and_the_next_text_is_read(open_generation):
    page = open_generation()
    page.page.locator(BOX).fill(" ")
    page.wait()
    assert page.page.locator(".refusal").is_visible() and page.announcement() and page.tokens() == ["we", "go", "…"]
    assert page.page.locator(".write").is_disabled()
    page.page.locator(BOX).fill("they go")
    assert page.wait().tokens() == ["they", "go", "…"] and page.page.locator(".refusal").is_hidden()


def test_without_a_server_the_text_stays(open_generation):
    page = open_generation()
    page.server.offline = True
    page.click(".one")
    assert page.page.locator(".refusal").inner_text() == english("generation.no_server")
    assert page.page.locator(BOX).input_value() == TEXT


def test_another_theme_keeps_the_text_and_another_model_reads_it_again(open_generation):
    page = open_generation().click(".one")
    page.show(mode="dark")
    assert page.tokens() == ["we", "go", "to", "…"] and page.body()["written"] == ids("to")
    page.show(model="other")
    assert page.tokens() == ["we", "go", "…"] and page.body()["model"] == "other"


def test_arrows_walk_through_the_tokens(open_generation):
    page = open_generation()
    page.token(2).focus()
    page.page.keyboard.press("ArrowLeft")
    page.page.keyboard.press("Enter")
    page.wait()
    assert page.token(1).get_attribute("aria-pressed") == "true"


@pytest.mark.parametrize("language, mode, width", [("zh", "light", 1280), ("en", "dark", 390)])
def test_pictures_of_branches_of_a_chat(open_generation, language, mode, width):
    branches = {"written": " ".join(map(str, ids(".", "!"))), "kept": " ".join(map(str, ids(".", "to", "school")))}
    page = open_generation(language, mode, width, chat="1", system="they went home", **branches)
    picture = page.page.locator(".instrument").screenshot(animations="disabled")
    compare(picture, f"generation_branches_{language}_{mode}_{width}")


@pytest.mark.parametrize("language, mode, width", [("en", "light", 1280), ("zh", "dark", 390)])
def test_pictures(open_generation, language, mode, width):
    link = {"decoding": "sample", "temperature": "0.5", "top_p": "0.9"}
    page = open_generation(language, mode, width, written=" ".join(map(str, ids(*WRITTEN))), **link)
    picture = page.page.locator(".instrument").screenshot(animations="disabled")
    compare(picture, f"generation_{language}_{mode}_{width}")


@pytest.mark.parametrize("language, mode, width", [("en", "light", 1280), ("zh", "dark", 390)])
def test_pictures_of_a_chat_of_several_turns(open_generation, language, mode, width):
    turns = '[["they went home","to school tomorrow ."],["we will go to work","."]]'
    page = open_generation(language, mode, width, chat="1", turns=turns, text="i go", written=str(*ids(".")))
    picture = page.page.locator(".instrument").screenshot(animations="disabled")
    compare(picture, f"generation_turns_{language}_{mode}_{width}")
