import assert from "node:assert/strict";
import { test } from "node:test";
import { formula } from "../../../../viz_core/explorer/source/inside/formula.js";

/** In place of the document: elements that are written as markup. */
const DOCUMENT = {
  createElementNS(namespace, tag) {
    assert.equal(namespace, "http://www.w3.org/1998/Math/MathML");
    const children = [];
    return { append: (...more) => children.push(...more), toString: () => `<${tag}>${children.join("")}</${tag}>` };
  },
};

for (const [source, markup] of [
  [String.raw`\frac{s_{ij}}{\sqrt{d}}`, "<mfrac><mrow><msub><mi>s</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub></mrow>"
    + "<mrow><msqrt><mrow><mi>d</mi></mrow></msqrt></mrow></mfrac>"],
  [String.raw`"a norm"(x) = 2.5^k`,
    "<mtext>a\u00a0norm</mtext><mo>(</mo><mi>x</mi><mo>)</mo><mo>=</mo><msup><mn>2.5</mn><mi>k</mi></msup>"],
]) {
  test(`${source} in MathML`, () => {
    globalThis.document = DOCUMENT;
    assert.equal(String(formula(source)), `<math>${markup}</math>`);
  });
}
