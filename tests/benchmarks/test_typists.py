"""The check of what people typed finds each kind of fault."""

import math

import pytest

from benchmarks.typists import Check, Response, Typing, check

ALONE = {("a",): [0.9, 0.1], ("ab",): [0.7, 0.3], ("abc",): [0.2, 0.8]}


def typing(typed: list[str], received: list[str], error: float = 0.0) -> Typing:
    return Typing(
        [(text,) for text in typed],
        [Response((text,), [ALONE[text,][0] + error, ALONE[text,][1] - error]) for text in received],
    )


def result_of(*typings: Typing) -> Check:
    return check(typings, lambda *texts: ALONE[texts])


def test_a_person_whose_last_text_has_its_response_passes():
    """The text in between was overtaken, as in the browser."""
    result = result_of(typing(["a", "ab", "abc"], ["a", "abc"]), typing(["a"], ["a"]))
    assert result == Check(2, 2, 0, 0.0) and result.holds
    assert "FAILED" not in str(result) and str(result).startswith("2 of 2 last texts")


@pytest.mark.parametrize(
    ("typed", "received"), [(["a", "ab"], ["a"]), (["a", "ab"], []), ([], []), (["a", "ab"], ["ab", "a"])]
)
def test_a_last_text_without_response_fails(typed, received):
    result = result_of(typing(["a"], ["a"]), typing(typed, received))
    assert (result.people, result.last, result.holds) == (2, 1, False)
    assert "1 of 2 last texts" in str(result) and "FAILED" in str(result)


@pytest.mark.parametrize("received", [["ab", "a", "abc"], ["a", "a", "abc"], ["abc", "ab", "abc"]])
def test_responses_out_of_order_or_twice_fail(received):
    result = result_of(typing(["a", "ab", "abc"], received))
    assert (result.last, result.disordered, result.holds) == (1, 1, False)


def test_a_response_for_a_text_of_somebody_else_fails():
    result = result_of(typing(["a", "abc"], ["ab", "abc"]))
    assert (result.disordered, result.holds) == (1, False)


@pytest.mark.parametrize(("error", "passed"), [(9e-6, True), (1.1e-5, False), (math.nan, False)])
def test_probabilities_are_those_of_the_text_alone(error, passed):
    result = result_of(typing(["a"], ["a"]), typing(["ab"], ["ab"], error))
    assert result.holds == passed and result.difference == pytest.approx(error, nan_ok=True)
