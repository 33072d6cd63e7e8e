// What tests in Python ask of the modules, to compare it with the server's: `node answers.js NAME` reads the values of a
// question from its input, as JSON in which bytes are `{ "base64": … }`, and prints the answer. NaN and infinities become null.

import process from "node:process";
import { text } from "node:stream/consumers";
import {
  attentionMap, meanWeights, receivedWeights, weightsOfUnit,
} from "../../../viz_core/explorer/source/explorer/attention.js";
import { alignReplaced, alignUnits } from "../../../viz_core/explorer/source/explorer/comparison/alignment.js";
import { differenceMap } from "../../../viz_core/explorer/source/explorer/comparison/difference.js";
import { createMatrices } from "../../../viz_core/explorer/source/explorer/matrices.js";
import { ofMeasure } from "../../../viz_core/explorer/source/explorer/measures.js";
import { share, ticks } from "../../../viz_core/explorer/source/explorer/scales.js";
import { CHOICES } from "../../../viz_core/explorer/source/explorer/selection.js";
import { unitsOfSides } from "../../../viz_core/explorer/source/explorer/units.js";
import { unpack } from "../../../viz_core/explorer/source/explorer/unpack.js";
import { ACTIVATIONS } from "../../../viz_core/explorer/source/inside/arithmetic.js";
import { readRecord } from "../../../viz_core/explorer/source/inside/record.js";
import { fromRecord } from "../../../viz_core/explorer/source/inside/state.js";
import { build, stepsOf } from "../../../viz_core/explorer/source/inside/steps.js";
import { viewOf } from "../../../viz_core/explorer/source/inside/view.js";
import { channelsAt, inkAt } from "../../../viz_core/explorer/source/shared/colours.js";

const index = (count) => Array.from({ length: count }, (_, at) => at);
const inHeads = ({ layers, heads }, of) => index(layers).map((layer) => index(heads).map((head) => of(layer, head)));

const ANSWERS = {
  choices: () => CHOICES,

  /** In every case `[special, block, unit]`, what is drawn of the exact weights of a head, and of those that were sent. */
  cuts({ bytes, exact, layer, head, cases }) {
    const input = unpack(bytes), sent = meanWeights([input.matrix(layer, head)]);
    return [Float32Array.from(exact), sent].map((weights) => cases.map(([special, block, unit]) => {
      const units = unitsOfSides(input, unit), map = attentionMap(weights, units, special, block);
      return { map, labels: units.query.labels, groups: units.query.groups, cls: weightsOfUnit(map, 0, "from", units),
        received: receivedWeights(map, units) };
    }));
  },

  /** The same of a translation, in every case `[kind, special, unit]`. */
  cutsOfKinds({ bytes, layer, head, cases }) {
    const first = unpack(bytes);
    return cases.map(([kind, special, unit]) => {
      const input = first.ofKind(kind), sides = unitsOfSides(input, unit);
      const map = attentionMap(meanWeights([input.matrix(layer, head)]), sides, special, "all");
      return { weights: map.weights, reach: map.reach, queries: map.queries.map((unit) => sides.query.labels[unit]),
        keys: map.keys.map((unit) => sides.key.labels[unit]) };
    });
  },

  unpacked({ bytes }) {
    const input = unpack(bytes), { measure: _, unit: __, norms, ...header } = input;
    return { header, norms, thumbnails: input.sent.map((head) => input.thumbnail(...head)),
      heads: input.sent.map((head) => input.matrix(...head)),
      received: inHeads(input, (layer, head) => input.labels.map((_, key) => input.received(layer, head, key))),
      has: [[0, 0], [0, 99]].map((head) => input.has(...head)), missing: input.matrix(0, 99) };
  },

  /** The mean that was sent, as weights, and a single head of it. */
  mean({ bytes }) {
    const input = unpack(bytes), { weights } = createMatrices(input);
    return [input.mean.heads, [input.mean.heads[0]]].map(weights);
  },

  unpackedKinds({ bytes }) {
    const first = unpack(bytes);
    const inputs = first.kinds.map((kind) => {
      const { kind: name, sides, sent, grid, thumbnail, matrix, received, receivedUniformly, id, request } = first.ofKind(kind);
      return { name, id, request, grid, isOne: sides.query === sides.key, names: [sides.query.name, sides.key.name],
        tokens: [sides.query.tokens, sides.key.tokens], thumbnails: sent.map((head) => thumbnail(...head)),
        heads: sent.map((head) => matrix(...head)), uniformly: sides.key.labels.map((_, key) => receivedUniformly(key)),
        received: sent.map((head) => sides.key.labels.map((_, key) => received(...head, key))) };
    });
    return { kind: first.kind, inputs };
  },

  valueWeighted({ bytes }) {
    const view = ofMeasure(unpack(bytes), "norms"), { unit, peaks, measure, base } = view;
    return { unit, peaks, measure, base: base.measure, thumbnails: inHeads(view, view.thumbnail),
      weights: inHeads(view, (layer, head) => meanWeights([view.matrix(layer, head)], unit)),
      received: inHeads(view, (layer, head) => view.labels.map((_, token) => view.received(layer, head, token))) };
  },

  valueWeightedKinds({ bytes, layer, head }) {
    const first = unpack(bytes);
    return first.kinds.map((kind) => {
      const { matrix, unit } = ofMeasure(first.ofKind(kind), "norms");
      return meanWeights([matrix(layer, head)], unit);
    });
  },

  aligned: ({ pairs }) => pairs.map((units) => {
    const same = alignUnits(...units);
    return { same: same.referenceOf, ...alignReplaced(...units, same) };
  }),

  difference({ before, after, head, special }) {
    const inputs = [before, after].map(unpack), sides = inputs.map((input) => unitsOfSides(input, "token"));
    const [reference, current] = inputs.map((input, side) => (
      attentionMap(meanWeights([input.matrix(0, head)]), sides[side], special, "all")));
    const units = sides.map(({ query }) => query);
    return differenceMap(current, reference, alignReplaced(...units, alignUnits(...units)));
  },

  /** The positions of weights along a scale, and the weights there. */
  shares({ weights, largest, scale }) {
    const shares = weights.map((weight) => share(weight, largest, scale));
    return [shares, ticks(largest, scale)];
  },

  colours: ({ stops, positions }) => positions.map((position) => [channelsAt(stops, position), inkAt(stops, position)]),

  /** What is drawn of a record of the inside of attention. state: changes of the state that it was opened with. */
  inside({ bytes, packedWindow, state = {} }) {
    const record = readRecord(bytes), window = packedWindow ? readRecord(packedWindow) : null;
    return viewOf(record, { ...fromRecord(record), ...state }, { window });
  },

  activations: ({ values }) => Object.fromEntries(Object.entries(ACTIVATIONS).map(([name, activate]) => [name, values.map(activate)])),

  /** What a step draws, with the keys of its sentences in their place. */
  step({ bytes, step }) {
    const record = readRecord(bytes);
    return build(step, viewOf(record, fromRecord(record)), (key) => key);
  },

  steps: ({ bytes }) => stepsOf(readRecord(bytes)),
};

const decode = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
const bytesOf = (_, value) => (value?.base64 ? decode(value.base64) : value);
const listed = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);
const values = JSON.parse(await text(process.stdin), bytesOf);
process.stdout.write(JSON.stringify(ANSWERS[process.argv[2]](values), listed));
