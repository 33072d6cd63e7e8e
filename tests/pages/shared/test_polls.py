"""Polls are bounded, hold nothing about a person, and count one vote for each browser."""

from contextlib import suppress

import pytest

from pages.shared import polls as module
from pages.shared.polls import LENGTH, LETTERS, Closed, Full, NoCookie, NoPoll, Polls, may_be_here, normalise
from viz_core.analysis.turns import Client
from viz_core.records import Failure, Question

QUESTION = Question("Which word decides?", ("not", "good"), "en")
ANNA, BEN = Client("a" * 32, "192.0.2.1"), Client("b" * 32, "192.0.2.1")


@pytest.fixture(autouse=True)
def default_share(monkeypatch):
    monkeypatch.setattr(module, "address_share", lambda: 75)


def poll(question: Question = QUESTION, polls: Polls | None = None):
    return (polls or Polls()).open("teacher", "192.0.2.9", "card", question)


def test_a_second_vote_replaces_the_first_until_the_votes_are_shown():
    asked = poll()
    asked.vote(ANNA, "0")
    asked.vote(BEN, "0")
    asked.vote(ANNA, "1")
    assert asked.votes.counts == (1, 1) and asked.vote_of(ANNA) == 1 and asked.count == 2
    asked.close()
    with pytest.raises(Closed):
        asked.vote(BEN, "1")
    assert asked.votes.counts == (1, 1)


def test_a_browser_without_a_cookie_has_no_vote():
    asked = poll()
    with pytest.raises(NoCookie):
        asked.vote(Client(None, "192.0.2.1"), "0")
    assert asked.count == 0 and asked.vote_of(Client(None, "192.0.2.1")) is None


def test_one_address_cannot_fill_a_poll_and_a_full_one_still_takes_another_vote_of_its_voters(monkeypatch):
    monkeypatch.setattr(module, "MOST_VOTERS", 8)
    asked = poll()
    script = [Client(f"{number:032x}", "192.0.2.1") for number in range(7)]
    for client in script[:6]:  # 75% of 8
        asked.vote(client, "0")
    with pytest.raises(Full):
        asked.vote(script[6], "0")
    for number in range(2):
        asked.vote(Client(f"c{number:031x}", "192.0.2.2"), "1")
    with pytest.raises(Full):
        asked.vote(Client("d" * 32, "192.0.2.3"), "1")
    asked.vote(script[0], "1")
    assert asked.votes.counts == (5, 3)


def test_what_is_held_is_bounded_and_names_nobody(monkeypatch):
    monkeypatch.setattr(module, "MOST_VOTERS", 50)
    asked, other = poll(), poll()
    for number in range(500):
        for one in (asked, other):
            with suppress(Full):
                one.vote(Client(f"{number:032x}", f"192.0.2.{number % 250}"), "0")
    assert len(asked._votes) == 50 and len(asked._of_addresses) <= 50
    held = repr(vars(asked))
    assert f"{3:032x}" not in held and "192.0.2.3'" not in held
    assert not set(asked._votes) & set(other._votes), "the same voters look different in each poll"


def test_asking_again_starts_without_votes_under_the_same_code():
    polls = Polls()
    first = poll(polls=polls)
    first.vote(ANNA, "0")
    first.close()
    second = poll(polls=polls)
    assert second.code == first.code and second.is_open and second.count == 0
    assert polls.find(first.code) is second and polls.of("teacher", "card") is second and len(polls._polls) == 1
    assert polls.of("teacher", "other card") is None and polls.of("student", "card") is None


def test_a_poll_ends_after_three_hours():
    now = 0.0
    polls = Polls(clock=lambda: now)
    code = poll(polls=polls).code
    now = 3 * 3600 - 1.0
    assert polls.find(code).code == code
    now += 1.0
    with pytest.raises(NoPoll):
        polls.find(code)
    assert polls.of("teacher", "card") is None and len(polls._polls) == 0


def test_the_poll_that_nobody_has_asked_for_the_longest_makes_room(monkeypatch):
    """Of the owner with too many, else of the address, else of all: who opens many loses only their own."""
    monkeypatch.setattr(module, "MOST_POLLS", 8)
    monkeypatch.setattr(module, "OF_OWNER", 3)
    polls = Polls()

    def open_poll(owner: str, address: str, key: str) -> str:
        return polls.open(owner, address, key, QUESTION).code

    def lives(code: str) -> bool:
        return any(code == one.code for one in polls._polls.values())

    teacher = open_poll("teacher", "school", "card")
    own = [open_poll("script", "script", f"{number}") for number in range(3)]
    polls.find(own[0])
    own.append(open_poll("script", "script", "3"))
    assert [lives(code) for code in own] == [True, False, True, True]
    many = [open_poll(f"script {number}", "script", "0") for number in range(20)]
    assert len(polls._polls) == 7 and lives(teacher) and sum(map(lives, own + many)) == 6
    for number in range(3):
        open_poll("other", f"home {number}", f"{number}")
    assert len(polls._polls) == 8 and not lives(teacher), "nobody has asked for it since"


def test_codes_are_typed_in_any_way():
    code = poll().code
    assert len(code) == LENGTH and set(code) <= set(LETTERS)
    assert normalise(" bcd-fgh ") == normalise("ＢＣＤ ＦＧＨ") == "BCDFGH" and len(normalise("b" * 10_000)) < 100


@pytest.mark.parametrize(
    ("typed", "number"),
    [("0.34", 0.34), (" 0,5 ", 0.5), ("−3", -3), ("０．２", 0.2), (".5", 0.5), ("1000", 1000), ("0,123456", 0.123456)],
)
def test_numbers_are_read_as_people_type_them(typed, number):
    assert Question("How much?", (), "en").read(typed) == number


@pytest.mark.parametrize("typed", ["", "a third", "1,000", "nan", "inf", "1e999", "9" * 21, "0.3.4", "34%", "1\n2"])
def test_what_is_no_number_is_refused(typed):
    with pytest.raises(Failure, match=r"votes\.no_number"):
        Question("How much?", (), "en").read(typed)


@pytest.mark.parametrize("sent", ["", "2", "-1", "00", "not", "0.0", "１", "9" * 5000])
def test_only_options_can_be_voted_for(sent):
    with pytest.raises(Failure, match=r"votes\.no_option"):
        QUESTION.read(sent)


@pytest.mark.parametrize(
    ("text", "options"), [("", ("a",)), ("x" * 1001, ()), ("x", ("a",) * 11), ("x", ("a", "")), ("x", ("a", "b" * 201))]
)
def test_a_question_is_bounded(text, options):
    with pytest.raises(Failure):
        Question(text, options, "en")
    Question("x" * 1000, ("b" * 200,) * 10, "en")


@pytest.mark.parametrize(
    ("place", "letters"),
    [
        ("", LETTERS),
        ("1/1", LETTERS),
        ("1/2", "BDGJMPRTWY"),
        ("2/2", "CFHKNQSVXZ"),
        ("3/3", "DHMQTX"),
        ("3/2", LETTERS),  # not a place
    ],
)
def test_a_code_begins_with_a_letter_of_the_server_that_has_the_poll(monkeypatch, place, letters):
    monkeypatch.setenv("VIZ_SERVER", place)
    codes = {Polls().open(str(number), "", "card", QUESTION).code for number in range(300)}
    assert {code[0] for code in codes} == set(letters) and {code[1] for code in codes} == set(LETTERS)
    assert may_be_here(f" {letters[0].lower()}-cdfgh") and not may_be_here("AAAAAA") and not may_be_here("-")
