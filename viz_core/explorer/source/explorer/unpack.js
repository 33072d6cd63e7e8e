// The bytes that viz_core/explorer/packing.py makes: length of the header, the header as JSON, thumbnails, exact weights.

/** Weights travel as 16-bit fixed point: this many steps are a weight of 1. */
export const STEPS = 65535;

/** Uint8Array -> the header, with `thumbnail(layer, head)`, `matrix(layer, head)` (null where it was not sent), `has(layer, head)`. */
export function unpack(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const { heads, layers, tokens, side, peaks } = header, cells = side * side, weights = tokens * tokens;
  const thumbnails = bytes.subarray(4 + length), start = header.thumbnails ? layers * heads * cells : 0;
  const sent = new Map(header.sent.map(([layer, head], index) => [`${layer}.${head}`, index]));

  function matrix(layer, head) {
    const index = sent.get(`${layer}.${head}`);
    return index === undefined ? null : joined(thumbnails.subarray(start + index * weights * 2), weights);
  }

  function thumbnail(layer, head) {
    if (!header.thumbnails) return shares(matrix(layer, head), peaks[layer][head]);
    return thumbnails.subarray((layer * heads + head) * cells, (layer * heads + head + 1) * cells);
  }

  return { ...header, has: (layer, head) => sent.has(`${layer}.${head}`), matrix, thumbnail };
}

/** Weights from their high bytes and, after these, their low bytes. */
export function joined(bytes, count) {
  const weights = new Uint16Array(count);
  for (let index = 0; index < count; index++) weights[index] = (bytes[index] << 8) | bytes[count + index];
  return weights;
}

/** A head as its own thumbnail: square roots of the share of its largest weight, as bytes. */
function shares(matrix, peak) {
  const scale = 1 / (STEPS * (peak || 1));
  return Uint8Array.from(matrix, (weight) => Math.min(Math.round(Math.sqrt(weight * scale) * 255), 255));
}
