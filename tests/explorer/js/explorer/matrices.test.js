// Weights of heads: sent with the input, fetched, and means.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createMatrices } from "../../../../viz_core/explorer/source/explorer/matrices.js";
import { near } from "../near.js";

/** What the server sends of a head: every weight of head 1.2 is 12/100. */
const share = ([layer, head]) => (10 * layer + head) / 100;

/** High bytes, then low bytes, of the mean of the heads. */
function packed(heads, cells) {
  const steps = Math.round((65535 * heads.map(share).reduce((sum, value) => sum + value)) / heads.length);
  return [...Array(cells).fill(steps >> 8), ...Array(cells).fill(steps & 255)];
}

/**
 * Weights of an input of two tokens, of which head 0.0 was sent with it, and a server in place of fetch. respond(heads): the
 * response. requests: the bodies; calls: how often the weights arrived, or failed to.
 */
function open(mock, respond = (heads) => new Response(Uint8Array.from(packed(heads, 4))), tokens = 2) {
  const requests = [], calls = { arrived: 0, failed: 0 }, sent = Uint16Array.of(65535, 0, 0, 65535);
  mock.method(globalThis, "fetch", async (url, { body }) => {
    requests.push({ url: String(url), ...JSON.parse(body) });
    return respond(JSON.parse(body).heads);
  });
  globalThis.document = { baseURI: "http://explorer.test/" };
  mock.method(console, "error", () => {}); // a failure is logged as well
  const isSent = (layer, head) => layer + head === 0;
  const input = { tokens, has: isSent, matrix: (...head) => (isSent(...head) ? sent : null),
    request: { url: "/heads", body: { id: "x" } } };
  return { ...createMatrices(input, () => calls.arrived++, () => calls.failed++), requests, calls };
}

test("a head is fetched once, and what was sent is not", async ({ mock }) => {
  const { weights, fetchMissing, requests, calls } = open(mock);
  assert.equal(weights([[1, 2]]), null);
  await Promise.all([fetchMissing([[1, 2]]), fetchMissing([[1, 2]])]);
  await fetchMissing([[1, 2]]);
  await fetchMissing([[0, 0]]);
  assert.deepEqual(requests, [{ url: "http://explorer.test/heads", id: "x", heads: [[1, 2]] }]);
  assert.deepEqual(calls, { arrived: 2, failed: 0 });
  near(weights([[1, 2]]), Array(4).fill(0.12), undefined, 1e-5);
  near(weights([[0, 0]]), [1, 0, 0, 1]);
});

test("the mean of a few heads is computed from each", async ({ mock }) => {
  const { weights, fetchMissing, requests } = open(mock), heads = [[1, 0], [1, 1], [1, 5]];
  await fetchMissing(heads);
  assert.deepEqual(requests.map((request) => request.heads), heads.map((head) => [head]));
  near(weights(heads), Array(4).fill(0.12), undefined, 1e-5);
  near(weights([[1, 1]]), Array(4).fill(0.11), undefined, 1e-5);
});

test("the mean of more than eight heads is fetched as one", async ({ mock }) => {
  const { weights, fetchMissing, requests } = open(mock), heads = Array.from({ length: 9 }, (_, head) => [1, head]);
  await fetchMissing(heads);
  assert.deepEqual(requests.map((request) => request.heads), [heads]);
  near(weights(heads), Array(4).fill(0.14), undefined, 1e-5);
});

for (const [name, respond] of [
  ["a failure", () => new Response("", { status: 500 })],
  ["a response of the wrong length", () => new Response(new Uint8Array(7))],
]) {
  test(`${name} is reported and can be tried again`, async ({ mock }) => {
    const { weights, fetchMissing, requests, calls } = open(mock, respond);
    await fetchMissing([[0, 3]]);
    await fetchMissing([[0, 3]]);
    assert.deepEqual([weights([[0, 3]]), calls, requests.length], [null, { arrived: 0, failed: 2 }, 2]);
  });
}

test("the heads used last are kept: of 1,408 tokens, where a head takes 4 MB, four", async ({ mock }) => {
  const { weights, fetchMissing } = open(mock, () => new Response(new Uint8Array(2 * 1408 * 1408)), 1408);
  const heads = [1, 2, 3, 4, 5].map((head) => [0, head]);
  for (const head of heads.slice(0, 4)) await fetchMissing([head]);
  weights([heads[0]]);
  await fetchMissing([heads[4]]);
  assert.deepEqual(heads.map((head) => weights([head]) !== null), [true, false, true, true, true]);
});
