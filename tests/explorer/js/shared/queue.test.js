// Requests of which only the newest matters.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers";
import { createQueue } from "../../../../viz_core/explorer/source/shared/queue.js";

/** A queue; what it sent, called and aborted; `answer(item)` and `fail(item)` end a request. */
function open(canWait) {
  const requests = new Map(), calls = [], aborted = [];
  const run = (item, signal) => new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => aborted.push(item));
    requests.set(item, { resolve, reject });
  });
  const called = (result, item) => calls.push([item, result]);
  const end = (name, result) => (item) => {
    requests.get(item)[name](result(item));
    return new Promise(setImmediate);
  };
  return { ...createQueue(run, called, called, canWait), calls, aborted, sent: () => [...requests.keys()],
    answer: end("resolve", (item) => `${item}!`), fail: end("reject", () => "failed") };
}

test("of those that wait only the newest is sent", async () => {
  const queue = open();
  for (const item of "abc") queue.send(item);
  await queue.answer("a");
  assert.equal(queue.busy(), true);
  await queue.answer("c");
  assert.deepEqual([queue.calls, queue.sent(), queue.busy()], [[["a", "a!"], ["c", "c!"]], ["a", "c"], false]);
});

test("after a failure the next one is sent", async () => {
  const queue = open();
  for (const item of "ab") queue.send(item);
  await queue.fail("a");
  await queue.answer("b");
  assert.deepEqual(queue.calls, [["a", "failed"], ["b", "b!"]]);
});

test("what was cancelled calls nothing, and the next one is sent at once", async () => {
  const queue = open();
  for (const item of "ab") queue.send(item);
  queue.cancel();
  assert.equal(queue.busy(), false);
  queue.send("c");
  await queue.answer("a");
  queue.send("d");
  await queue.answer("c");
  await queue.answer("d");
  assert.deepEqual([queue.calls, queue.aborted, queue.sent()], [[["c", "c!"], ["d", "d!"]], ["a"], ["a", "c", "d"]]);
});

test("one that takes longer than ten seconds is aborted by the next", ({ mock }) => {
  let now = 500;
  mock.method(performance, "now", () => now);
  const queue = open();
  queue.send("a");
  now += 10_000;
  queue.send("b");
  assert.deepEqual(queue.aborted, []);
  now += 1;
  queue.send("c");
  assert.deepEqual(queue.aborted, ["a"]);
});

test("one that cannot wait is aborted by the next, or by closing", async () => {
  const queue = open((item) => item !== "a");
  for (const item of "abc") queue.send(item);
  assert.deepEqual(queue.aborted, ["a"]);
  await queue.answer("a");
  queue.close();
  await queue.answer("c");
  assert.deepEqual([queue.calls, queue.aborted], [[], ["a", "c"]]);
});
