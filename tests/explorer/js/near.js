import assert from "node:assert/strict";

/** Fails unless a number, or each number of nested arrays, is the expected one save for rounding. */
export function near(actual, expected, message = undefined, tolerance = 1e-6) {
  if (typeof expected === "number") {
    const isNear = Math.abs(actual - expected) <= tolerance;
    assert.ok(isNear, `${message ? `${message}: ` : ""}${actual} is not near ${expected}`);
  } else {
    assert.equal(actual.length, expected.length, message);
    expected.forEach((value, index) => near(actual[index], value, message, tolerance));
  }
}
