// What is compared: the reference's maps beside the current ones, on one scale, and the difference between them.

/** @import { Aligned, Head, Units } from "../../shared/records.js" */

import { remember } from "../../shared/remember.js";
import { createDerivation } from "../derivation.js";
import { createMatrices } from "../matrices.js";
import { ofMeasure } from "../measures.js";
import { alignReplaced, alignUnits, nameReplaced, takenOut } from "./alignment.js";
import { differenceMap, differenceOfUnits, sizesOf } from "./difference.js";
import { createMirror } from "./mirror.js";
import { comparisonMode, headsOfReference, isSameAsReference, NO_REFERENCE } from "./reference.js";

/**
 * `update(state, derived)` returns null without a reference, otherwise what the views draw of the comparison:
 *
 * - `current`, `reference`: as from derivation.js, with `marks`: per unit `in`, `out`, `moved` or "";
 * - in difference mode `current.difference`: `map`, `weights` by unit, `sizes`, `aligned`, `reference` (its maps) and
 *   `gaps` (units taken out, by position), `input`: the reference, in the same measure; null if the weights of a side are
 *   missing or both sides are equal. With it, units that replace others have both names;
 * - side by side, `state`: as the reference sees it, and both sides with what gives them one scale: `isShared`,
 *   `mostWeight` and `tokens`;
 * - `heads` of the reference, and `isSame`; `input`, `store`, `prefetch`: for views of the reference.
 */
export function createComparison(context) {
  const { store } = context;
  const align = remember(alignUnits), alignAll = remember(alignReplaced), gapsOf = remember(takenOut);
  const nameBoth = remember(nameReplaced), subtract = remember(differenceMap);
  const subtractUnits = remember(differenceOfUnits);
  const measure = remember(sizesOf), onOneScale = remember(shareScale);
  const marksOf = remember(({ currentOf, referenceOf, moved }) => ({
    current: Array.from(referenceOf, (unit, at) => (unit < 0 ? "in" : moved[at] ? "moved" : "")),
    reference: Array.from(currentOf, (unit) => (unit < 0 ? "out" : moved[unit] ? "moved" : "")),
  }));
  /** @type {ReturnType<typeof open> | null} */
  let side = null;
  /** @type {{ units: Units, referenceUnits: Units, aligned: Aligned, heads: Head[], isBeside: boolean }} */
  let latest;

  /** The reference in the measure of the input; null while its norms are fetched, and if its model has none. */
  function measuredAs({ measure }, reference) {
    const view = ofMeasure(reference, measure);
    const refuse = () => store.set({ ...NO_REFERENCE, refusal: context.say("no_reference_norms") });
    if (view instanceof Promise) view.then(store.touch, refuse);
    else if (view.measure !== measure) refuse();
    else return view;
    return null;
  }

  /** Everything that belongs to one reference. */
  function open(reference) {
    const { theme, catalogue, language } = context.input, shown = { ...reference, theme, catalogue, language };
    const matrices = createMatrices(reference, store.touch, () => store.set({ failed: true }));
    return { reference, input: shown, matrices, derivation: createDerivation(shown, matrices),
      store: createMirror(store, () => latest) };
  }

  function update(state, derived) {
    const { input } = context;
    const measured = state.reference && measuredAs(input, state.reference);
    if (!measured) return side = null;
    if (!side || side.reference !== measured) side = open(measured);
    const shown = side, heads = headsOfReference(state), referenceUnits = shown.derivation.sidesIn(state.unit).query;
    const same = align(referenceUnits, derived.units), marks = marksOf(same);
    const aligned = alignAll(referenceUnits, derived.units, same), isBeside = comparisonMode(state) === "side";
    latest = { units: derived.units, referenceUnits, aligned, heads, isBeside };
    const reference = { ...shown.derivation.derive(shown.store.get()), marks: marks.reference };
    const current = { ...derived, marks: marks.current };
    if (!reference.map && !state.failed) shown.matrices.fetchMissing(heads);
    const comparison = { input: shown.input, store: shown.store, prefetch: shown.matrices.fetchMissing, state: null, heads,
      isSame: isSameAsReference(input, state) };
    if (isBeside) {
      return { ...comparison, ...onBothSides(current, reference), state: shown.store.get() };
    }
    const difference = differenceOf(state, current, reference);
    const names = difference ? nameBoth(referenceUnits, derived.sides, same, aligned) : {};
    return { ...comparison, reference, current: { ...current, ...names, difference } };

    function differenceOf({ query }, { map, weights }, other) {
      if (!map || !other.map || comparison.isSame) return null;
      const difference = subtract(map, other.map, aligned), isNew = query !== null && other.query === null;
      const before = isNew ? new Float32Array(other.units.count).fill(NaN) : other.weights;
      return { map: difference, weights: subtractUnits(weights, before, aligned), sizes: measure(difference), aligned,
        reference: other, gaps: gapsOf(same), input: shown.reference };
    }
  }

  /** Both sides with the same largest weights, so that a colour means the same weight. */
  function onBothSides(current, reference) {
    if (!current.map || !reference.map) return { current, reference };
    const maps = onOneScale(current.map, reference.map);
    const mostWeight = Math.max(...current.weights, ...reference.weights);
    const shared = { isShared: true, mostWeight, tokens: Math.max(current.tokens, reference.tokens) };
    const [here, there] = [current, reference].map((derived, number) => ({ ...derived, ...shared, map: maps[number],
      maps: derived.maps.length === 1 ? [maps[number]] : derived.maps }));
    return { current: here, reference: there };
  }

  return { update };
}

function shareScale(...maps) {
  const largest = Math.max(...maps.map((map) => map.largest));
  return maps.map((map) => ({ ...map, largest }));
}
