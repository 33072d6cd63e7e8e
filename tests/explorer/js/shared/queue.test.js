// Requests of which only the newest matters; a busy server is asked again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers";
import { createQueue } from "../../../../viz_core/explorer/source/shared/queue.js";
import { Refusal } from "../../../../viz_core/explorer/source/shared/server.js";

/** A queue; what it sent, called and aborted; `answer(item)` and `refuse(item, status)` end a request, `lose(item)` without a response. */
function open(options) {
  const requests = new Map(), calls = [], aborted = [];
  const run = (item, signal) => new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => aborted.push(item));
    requests.set(item, { resolve, reject });
  });
  const called = (result, item) => calls.push([item, result]);
  const end = (name, result) => (item, ...more) => {
    requests.get(item)[name](result(item, ...more));
    return new Promise(setImmediate);
  };
  return { ...createQueue(run, called, called, options), calls, aborted, sent: () => [...requests.keys()],
    answer: end("resolve", (item) => `${item}!`), refuse: end("reject", (item, status) => new Refusal("no", status)),
    lose: end("reject", () => new Error("no network")) };
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
  await queue.refuse("a", 422);
  await queue.answer("b");
  assert.deepEqual(queue.calls, [["a", "no"], ["b", "b!"]]);
});

test("a busy server is asked again after a second, unless a newer one was sent", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const again = [], queue = open({ again: (item) => again.push(item) });
  queue.send("a");
  await queue.refuse("a", 503);
  mock.timers.tick(999);
  assert.deepEqual(again, []);
  mock.timers.tick(1);
  assert.deepEqual([again, queue.calls, queue.isLost()], [["a"], [["a", "no"]], true]);
  queue.send("b");
  await queue.refuse("b", 503);
  queue.send("c");
  await queue.answer("c");
  mock.timers.tick(1000);
  assert.deepEqual([again, queue.isLost()], [["a"], false]);
});

test("what was lost is sent again when asked for, and what was refused is not", async ({ mock }) => {
  mock.method(console, "error", () => {});
  const queue = open();
  queue.send("a");
  await queue.lose("a");
  assert.deepEqual([queue.calls, queue.isLost()], [[["a", null]], true]);
  queue.retry();
  await queue.refuse("a", 422);
  queue.retry();
  assert.deepEqual([queue.calls.at(-1), queue.busy(), queue.isLost()], [["a", "no"], false, false]);
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
  const queue = open({ canWait: (item) => item !== "a" });
  for (const item of "abc") queue.send(item);
  assert.deepEqual(queue.aborted, ["a"]);
  await queue.answer("a");
  queue.close();
  await queue.answer("c");
  assert.deepEqual([queue.calls, queue.aborted], [[], ["a", "c"]]);
});
