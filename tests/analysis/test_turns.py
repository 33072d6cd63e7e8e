"""Whose turn it is: one of each visitor, and four of an address, however much they ask for."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.analysis.test_batching import until
from viz_core.analysis.deadline import Deadline, TimedOut
from viz_core.analysis.turns import Client, FairOrder, Turns

ANNA, BEN, CARA = (Client(name, f"{name}'s address") for name in ("anna", "ben", "cara"))


def order(*waiting: tuple[Client | None, str]) -> str:
    fair = FairOrder[str]()
    for client, item in waiting:
        fair.add(client, item)
    return "".join(fair)


def test_the_second_of_a_visitor_goes_after_the_first_of_everybody():
    assert order((ANNA, "1"), (ANNA, "2"), (ANNA, "3"), (BEN, "b"), (BEN, "c"), (CARA, "x")) == "1bx2c3"


def test_the_fifth_of_an_address_goes_after_the_first_of_everybody():
    invented = [(Client(f"cookie {number}", "one address"), str(number)) for number in range(8)]
    assert order(*invented, (ANNA, "a"), (ANNA, "b")) == "0a1234b567"


def test_nobody_in_particular_waits_as_if_alone():
    assert order((ANNA, "1"), (ANNA, "2"), (None, "x"), (None, "y")) == "1xy2"


def test_who_comes_later_waits_for_one_of_each_who_is_there():
    fair = FairOrder[str]()
    for item in "12345":
        fair.add(ANNA, item)
    fair.take("12")
    fair.take("3")
    fair.add(BEN, "b")
    fair.add(ANNA, "6")
    assert "".join(fair) == "4b56" and len(fair) == 4


class Computations:
    """Computations of four steps each that begin when `begin` is called; seen: whose steps, in order."""

    def __init__(self, *clients: Client) -> None:
        self.turns, self.seen, self.threads = Turns(), [], ThreadPoolExecutor(len(clients))
        with self.turns.turn(None, Deadline()):
            self.computing = []
            for number, client in enumerate(clients):
                self.computing.append(self.threads.submit(self._compute, client))
                until(lambda number=number: len(self.turns._waiting) == number + 1)

    def _compute(self, client: Client) -> None:
        with self.turns.turn(client, Deadline()) as between_steps:
            for _ in range(4):
                self.seen.append(client.visitor[0])
                between_steps()

    def order(self) -> str:
        for computation in self.computing:
            computation.result(timeout=30)
        return "".join(self.seen)


def test_computations_take_turns_step_by_step():
    assert Computations(ANNA, BEN, CARA).order() == "abc" * 4


def test_a_visitor_with_three_computations_has_as_many_steps_as_one_with_one():
    seen = Computations(ANNA, ANNA, ANNA, BEN).order()
    assert seen.count("a") == 12 and seen.rindex("b") <= 8


def test_after_an_error_the_next_has_its_turn():
    turns = Turns()
    with pytest.raises(ZeroDivisionError), turns.turn(ANNA, Deadline()):
        raise ZeroDivisionError
    with turns.turn(BEN, Deadline()):
        pass


def test_who_leaves_while_waiting_is_passed_over():
    turns, left, entered = Turns(), Deadline(), threading.Event()

    def compute(client: Client, deadline: Deadline) -> None:
        with turns.turn(client, deadline):
            entered.set()

    with ThreadPoolExecutor(2) as threads, turns.turn(CARA, Deadline()) as between_steps:
        abandoned = threads.submit(compute, ANNA, left)
        until(lambda: len(turns._waiting) == 1)
        left.abandon()
        assert isinstance(abandoned.exception(timeout=30), TimedOut) and not entered.is_set()
        waiting = threads.submit(compute, BEN, Deadline())
        until(lambda: len(turns._waiting) == 2)
        between_steps()
        waiting.result(timeout=30)


def test_who_leaves_between_two_steps_ends_there():
    turns, deadline = Turns(), Deadline()
    with pytest.raises(TimedOut), turns.turn(ANNA, deadline) as between_steps:
        between_steps()
        deadline.abandon()
        between_steps()
    with turns.turn(BEN, Deadline()):
        pass
