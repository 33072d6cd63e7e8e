import assert from "node:assert/strict";
import { test } from "node:test";
import { readFrames } from "../../../../viz_core/explorer/source/translation/frames.js";

/** A length of four bytes, low bytes first, a kind, and the content. */
const frame = (kind, content) => [content.length & 255, content.length >> 8, 0, 0, kind, ...content];
const json = (value) => frame(0, new TextEncoder().encode(JSON.stringify(value)));
const TEXT = "去".repeat(100); // longer than a byte counts
const BYTES = [...json({ text: TEXT }), ...frame(1, [0, 1, 2, 255]), ...json({ end: true }), ...frame(1, [])];

for (const size of [1, 3, 7, 1000]) {
  test(`frames are read from a response that arrives ${size} bytes at a time`, async () => {
    const pieces = Array.from({ length: Math.ceil(BYTES.length / size) }, (_, index) => (
      Uint8Array.from(BYTES.slice(index * size, (index + 1) * size))));
    const frames = [];
    for await (const { json, packed } of readFrames({ body: ReadableStream.from(pieces) })) frames.push(json ?? [...packed]);
    assert.deepEqual(frames, [{ text: TEXT }, [0, 1, 2, 255], { end: true }, []]);
  });
}
