"""Inputs that wait at the same moment: one forward pass, each with its own result, error or refusal."""

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from tests.sampling import few
from viz_core import checkpoints
from viz_core.analysis.batching import ExplanationQueue, Overload, Overtaken, reserve_core
from viz_core.analysis.deadline import Deadline, TimedOut
from viz_core.analysis.explain import encode, explain, explain_batch
from viz_core.analysis.turns import Client
from viz_core.checkpoints import Checkpoint
from viz_core.models.layers import Layer
from viz_core.records import Explanation, Failure
from viz_core.tasks import CLASSIFICATION, all_tasks

CLASSIFIERS = checkpoints.list_checkpoints(tasks=all_tasks(CLASSIFICATION))[0]
REVIEWS = [" ".join(["good film"] * count) for count in range(1, 7)]  # 4 to 14 tokens
PAIRS = [("花呗怎么还款", "花呗"), ("借呗", "花"), ("花呗如何还钱", "借呗怎么还款")]
SHIPPED = {
    "imdb": [("Good.",), ("The film is not good, and the second half is worse than the first.",), ("A " * 90,)],
    "afqmc": [("花呗怎么还款", "花呗如何还钱"), ("借呗", "花"), ("提前还款会影响额度吗", "额度会影响提前还款吗")],
    "thucnews": [("火箭",), ("火箭队加时险胜，新秀三分球绝杀",), ("股" * 90,)],
}


class Model:
    """A model that counts its passes and does not begin any before `open` is set."""

    def __init__(self, model) -> None:
        self.model, self.config, self.attention_kinds = model, model.config, model.attention_kinds
        self.open, self.rows = Event(), []

    def __call__(self, ids, segments, mask, need_attention=False, hook=None):
        self.rows.append(len(ids))
        assert self.open.wait(timeout=30)
        self.check(ids)
        return self.model(ids, segments, mask, need_attention, hook)

    def check(self, ids) -> None:
        """Raises an error for inputs that a test wants to fail."""


class Asking:
    """Inputs requested for in threads, all but the first of which wait in the queue while a pass is under way."""

    def __init__(self, queue: ExplanationQueue) -> None:
        self.queue, self.threads = queue, ThreadPoolExecutor(16)

    def ask(self, checkpoint: Checkpoint, *texts: str, **named: object) -> Future[Explanation]:
        """Asks, and returns once the input is waiting."""
        before = set(self.queue._waiting)
        future = self.threads.submit(self.queue.explain, checkpoint, *texts, **named)
        until(lambda: future.done() or set(self.queue._waiting) - before)
        return future

    def occupy(self, checkpoint: Checkpoint, deadline: Deadline | None = None) -> Future[Explanation]:
        """Begins a pass that lasts until the model is open."""
        future = self.threads.submit(self.queue.explain, checkpoint, "good", deadline=deadline)
        until(lambda: checkpoint.model.rows)
        return future


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def assert_same(explanation: Explanation, alone: Explanation) -> None:
    assert explanation.encoding.texts == alone.encoding.texts
    assert explanation.encoding.tokens == alone.encoding.tokens
    assert explanation.attention.shape == alone.attention.shape
    np.testing.assert_allclose(explanation.attention, alone.attention, rtol=0, atol=1e-5)
    np.testing.assert_allclose(explanation.probabilities, alone.probabilities, rtol=0, atol=1e-5)
    assert not explanation.attention.flags.writeable


@pytest.fixture
def review_model(checkpoints_dir) -> Iterator[Checkpoint]:
    checkpoint = checkpoints.load("imdb", "tiny")
    model = Model(checkpoint.model)
    yield replace(checkpoint, model=model)
    model.open.set()  # or threads that wait after a failed test would never end


@pytest.mark.parametrize("task, inputs", [("imdb", [(text,) for text in REVIEWS]), ("afqmc", PAIRS)])
def test_a_batch_of_mixed_lengths_has_the_numbers_of_each_input_alone(checkpoints_dir, task, inputs):
    checkpoint = checkpoints.load(task, "tiny")
    encodings = [encode(checkpoint, *texts) for texts in inputs]
    assert len({len(encoding.ids) for encoding in encodings}) > 1
    for explanation, texts in zip(explain_batch(checkpoint, encodings), inputs, strict=True):
        assert_same(explanation, explain(checkpoint, *texts))


@pytest.mark.parametrize("info", few(CLASSIFIERS, 4), ids=lambda info: f"{info.task}/{info.name}")
def test_a_batch_has_the_numbers_of_each_input_alone_in_every_shipped_model(info):
    checkpoint = checkpoints.load(info.task, info.name)
    encodings = [encode(checkpoint, *texts) for texts in SHIPPED[info.task]]
    for explanation, texts in zip(explain_batch(checkpoint, encodings), SHIPPED[info.task], strict=True):
        assert_same(explanation, explain(checkpoint, *texts))


def test_what_waits_while_a_pass_is_under_way_is_the_next_pass(review_model):
    asking = Asking(ExplanationQueue())
    first = asking.occupy(review_model)
    others = [asking.ask(review_model, text) for text in REVIEWS]
    review_model.model.open.set()
    explanations = [future.result(timeout=30) for future in (first, *others)]
    assert review_model.model.rows == [1, len(REVIEWS)]
    for explanation, text in zip(explanations, ["good", *REVIEWS], strict=True):
        assert_same(explanation, explain(review_model, text))


def test_a_pass_has_at_most_so_many_tokens_with_padding(review_model):
    """Inputs of 4, 6, 8, 10, 12 and 14 tokens. 3 x 8 is within 28, 4 x 10 is not, and 2 x 14 is."""
    asking = Asking(ExplanationQueue(most_tokens=28))
    asking.occupy(review_model)
    requested = [asking.ask(review_model, text) for text in REVIEWS]
    review_model.model.open.set()
    assert [len(future.result(timeout=30).encoding.tokens) for future in requested] == [4, 6, 8, 10, 12, 14]
    assert review_model.model.rows == [1, 3, 2, 1]


def test_short_inputs_after_a_long_one_are_padded_to_its_length(review_model):
    """Inputs of 14, 4, 4 and 4 tokens: 2 x 14 is within 28, 3 x 14 is not."""
    asking = Asking(ExplanationQueue(most_tokens=28))
    asking.occupy(review_model)
    requested = [asking.ask(review_model, text) for text in (REVIEWS[-1], "bad film", "good story", "not good")]
    review_model.model.open.set()
    assert [len(future.result(timeout=30).encoding.tokens) for future in requested] == [14, 4, 4, 4]
    assert review_model.model.rows == [1, 2, 2]


def test_an_input_longer_than_a_pass_is_explained_alone(review_model):
    queue = ExplanationQueue(most_tokens=4)
    review_model.model.open.set()
    assert_same(queue.explain(review_model, REVIEWS[-1]), explain(review_model, REVIEWS[-1]))


def test_a_pass_has_inputs_of_one_model_only(review_model):
    other = replace(review_model, model=Model(review_model.model.model))
    asking = Asking(ExplanationQueue())
    asking.occupy(review_model)
    requested = [asking.ask(checkpoint, text) for text in REVIEWS[:3] for checkpoint in (review_model, other)]
    review_model.model.open.set()
    other.model.open.set()
    explanations = [future.result(timeout=30) for future in requested]
    assert (review_model.model.rows, other.model.rows) == ([1, 3], [3])
    for explanation, text in zip(explanations, [text for text in REVIEWS[:3] for _ in range(2)], strict=True):
        assert_same(explanation, explain(review_model, text))


def test_more_inputs_than_may_wait_are_refused_at_once(review_model):
    asking = Asking(ExplanationQueue(most_waiting=2))
    asking.occupy(review_model)
    accepted = [asking.ask(review_model, text) for text in REVIEWS[:2]]
    refused = asking.ask(review_model, REVIEWS[2]).exception(timeout=5)
    assert isinstance(refused, Overload)
    assert (refused.message.key, refused.message.values) == ("analysis.overload", {"waiting": 2})
    review_model.model.open.set()
    for future, text in zip(accepted, REVIEWS[:2], strict=True):
        assert_same(future.result(timeout=30), explain(review_model, text))
    assert_same(asking.queue.explain(review_model, REVIEWS[2]), explain(review_model, REVIEWS[2]))


def test_of_a_visitors_inputs_that_wait_only_the_newest_is_explained(review_model):
    asking = Asking(ExplanationQueue(most_waiting=3))
    asking.occupy(review_model)
    bystanders = [asking.ask(review_model, REVIEWS[0]), asking.ask(review_model, REVIEWS[1], visitor="b")]
    # With the first of these the queue is full; for the next, the visitor's own older input makes room.
    requested = [asking.ask(review_model, text, visitor="a") for text in REVIEWS[2:5]]
    for overtaken in requested[:2]:
        assert isinstance(overtaken.exception(timeout=30), Overtaken)
    review_model.model.open.set()
    for future, text in zip([*bystanders, requested[2]], [*REVIEWS[:2], REVIEWS[4]], strict=True):
        assert_same(future.result(timeout=30), explain(review_model, text))


def test_what_nobody_waits_for_any_more_is_not_computed_and_takes_no_place(review_model):
    """Of two places, both taken by inputs that are abandoned; a third has room, and is the only one computed."""
    asking, abandoned = Asking(ExplanationQueue(most_waiting=2)), [Deadline(), Deadline()]
    first = asking.occupy(review_model)
    left = [asking.ask(review_model, REVIEWS[1], deadline=deadline) for deadline in abandoned]
    for deadline in abandoned:
        deadline.abandon()
    for future in left:
        assert isinstance(future.exception(timeout=30), TimedOut)  # while the pass is under way
    last = asking.ask(review_model, REVIEWS[0])
    review_model.model.open.set()
    assert first.result(timeout=30).encoding.texts == ("good",) and last.result(timeout=30)
    assert review_model.model.rows == [1, 1]


def test_a_pass_that_nobody_waits_for_ends_at_its_next_layer(review_model, monkeypatch):
    deadline, layers, forward = Deadline(), [], Layer.forward
    monkeypatch.setattr(Layer, "forward", lambda self, *rest: layers.append(self) or forward(self, *rest))
    left = Asking(ExplanationQueue()).occupy(review_model, deadline)
    deadline.abandon()
    review_model.model.open.set()
    assert isinstance(left.exception(timeout=30), TimedOut)
    assert len(layers) == 1 < review_model.model.config.layers


def test_a_pass_that_one_of_two_waits_for_is_computed(review_model):
    asking, deadline = Asking(ExplanationQueue()), Deadline()
    asking.occupy(review_model)
    left, stays = asking.ask(review_model, REVIEWS[1], deadline=deadline), asking.ask(review_model, REVIEWS[0])

    def leave(ids) -> None:
        if len(ids) == 2:
            deadline.abandon()

    review_model.model.check = leave
    review_model.model.open.set()
    assert stays.result(timeout=30).encoding.texts == (REVIEWS[0],)
    assert isinstance(left.exception(timeout=30), TimedOut | None) and review_model.model.rows == [1, 2]


def test_an_input_waits_for_one_of_each_other_visitor(review_model):
    """Each input is a pass of its own, of 4, 6, 8 and 10 tokens; Ben comes when Anna has asked for three."""
    asking, lengths = Asking(ExplanationQueue(most_tokens=1)), []
    review_model.model.check = lambda ids: lengths.append(ids.shape[1])
    asked = [asking.occupy(review_model)]
    anna, ben = Client("anna", "1"), Client("ben", "2")
    for client, text in zip((anna, anna, anna, ben), REVIEWS[:4], strict=True):
        asked.append(asking.ask(review_model, text, client=client))
    review_model.model.open.set()
    for future in asked:
        future.result(timeout=30)
    assert lengths[1:] == [4, 10, 6, 8]


def test_an_error_in_one_input_reaches_no_other(review_model, monkeypatch):
    """The model fails for any batch with an input of 8 tokens, so that the pass of all six fails as a whole."""

    def check(ids) -> None:
        if (ids[:, :8] != 0).all(1).any() and ((ids != 0).sum(1) == 8).any():
            raise RuntimeError("8 tokens")

    monkeypatch.setattr(review_model.model, "check", check)
    asking = Asking(ExplanationQueue())
    asking.occupy(review_model)
    requested = [asking.ask(review_model, text) for text in REVIEWS]
    review_model.model.open.set()
    assert str(requested[2].exception(timeout=5)) == "8 tokens"
    for number in (0, 1, 3, 4, 5):
        assert_same(requested[number].result(timeout=30), explain(review_model, REVIEWS[number]))


def test_a_text_that_cannot_be_read_is_refused_without_waiting(review_model):
    asking = Asking(ExplanationQueue(most_waiting=0))
    with pytest.raises(Failure) as failure:
        asking.queue.explain(review_model, "  ")
    assert not isinstance(failure.value, Overload)


def test_interleaved_visitors_get_their_own_results(checkpoints_dir):
    """Visitors of two models, all at once; which of their texts share a pass differs from run to run."""
    models = {task: checkpoints.load(task, "tiny") for task in ("imdb", "afqmc")}
    queue = ExplanationQueue(most_tokens=40)

    def visit(number: int) -> list[tuple[str, tuple[str, ...], Explanation]]:
        dice, seen = random.Random(number), []
        for _ in range(15):
            task = dice.choice(list(models))
            texts = (" ".join(dice.choices(["good", "bad", "film", "story", "not"], k=dice.randint(1, 9))),)
            if task == "afqmc":
                texts = tuple("".join(dice.choices("花呗借怎么还款", k=dice.randint(1, 6))) for _ in range(2))
            seen.append((task, texts, queue.explain(models[task], *texts, visitor=f"visitor {number}")))
        return seen

    with ThreadPoolExecutor(12) as threads:
        visits = list(threads.map(visit, range(12)))
    for task, texts, explanation in (result for visit in visits for result in visit):
        assert_same(explanation, explain(models[task], *texts))


def test_a_core_remains_for_the_pages(monkeypatch):
    def blas_threads() -> set[int]:
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    before = torch.get_num_threads()
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    try:
        with threadpool_limits(1, user_api="blas"):
            reserve_core()
            assert torch.get_num_threads() == 3 and blas_threads() == {3}
    finally:
        torch.set_num_threads(before)
