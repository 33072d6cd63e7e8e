"""Requests of which only the newest matters: shared/queue.js."""

import pytest

pytestmark = pytest.mark.browser

# answer(item) ends the request for an item; calls: what the queue has called.
QUEUE = """
  const calls = [], answers = new Map(), aborted = [];
  const run = (item, signal) => new Promise((resolve) => {
    signal.addEventListener("abort", () => aborted.push(item));
    answers.set(item, resolve);
  });
  const settled = () => new Promise((done) => setTimeout(done));
  const made = queue.createQueue(run, (result, item) => calls.push([item, result]), () => calls.push("failed"));
  const answer = async (item) => { answers.get(item)(`${item}!`); await settled(); };
"""


def test_of_those_that_wait_only_the_newest_is_sent(js):
    sent = """
      made.send("a"); made.send("b"); made.send("c");
      await answer("a");
      await answer("c");
      return { calls, sent: [...answers.keys()], busy: made.busy() };"""
    assert js(QUEUE + sent) == {"calls": [["a", "a!"], ["c", "c!"]], "sent": ["a", "c"], "busy": False}


def test_what_was_cancelled_calls_nothing_and_the_next_one_is_sent_at_once(js):
    cancelled = """
      made.send("a"); made.send("b");
      made.cancel();
      const busy = made.busy();
      made.send("c");
      await answer("a");
      made.send("d");
      await answer("c");
      await answer("d");
      return { calls, aborted, sent: [...answers.keys()], busy };"""
    assert js(QUEUE + cancelled) == {
        "calls": [["c", "c!"], ["d", "d!"]],
        "aborted": ["a"],
        "sent": ["a", "c", "d"],
        "busy": False,
    }
