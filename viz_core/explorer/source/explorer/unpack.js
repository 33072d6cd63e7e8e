// Reads the bytes written by viz_core/explorer/packing.py: length of the header, header as JSON, thumbnails, exact
// weights.

/** Weights are sent as 16-bit fixed point; this value stands for a weight of 1. */
export const STEPS = 65535;

/**
 * Uint8Array -> the header with `thumbnail(layer, head)`, `matrix(layer, head)` (null if it was not sent) and
 * `has(layer, head)`; the header alone for a text that the model cannot read.
 */
export function unpack(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  if (!header.tokens) return header;
  const { heads, layers, tokens, side, peaks } = header, cells = side * side, weights = tokens * tokens;
  const thumbnails = bytes.subarray(4 + length), start = header.thumbnails ? layers * heads * cells : 0;
  const sent = new Map(header.sent.map(([layer, head], index) => [`${layer}.${head}`, index]));

  function matrix(layer, head) {
    const index = sent.get(`${layer}.${head}`);
    return index === undefined ? null : joinPlanes(thumbnails.subarray(start + index * weights * 2), weights);
  }

  function thumbnail(layer, head) {
    if (!header.thumbnails) return thumbnailOf(matrix(layer, head), peaks[layer][head]);
    return thumbnails.subarray((layer * heads + head) * cells, (layer * heads + head + 1) * cells);
  }

  return { ...header, has: (layer, head) => sent.has(`${layer}.${head}`), matrix, thumbnail };
}

/** Weights from all high bytes followed by all low bytes. */
export function joinPlanes(bytes, count) {
  const weights = new Uint16Array(count);
  for (let index = 0; index < count; index++) weights[index] = (bytes[index] << 8) | bytes[count + index];
  return weights;
}

/** A small head as its own thumbnail: the square root of each weight relative to the largest, as bytes. */
function thumbnailOf(matrix, peak) {
  const scale = 1 / (STEPS * (peak || 1));
  return Uint8Array.from(matrix, (weight) => Math.min(Math.round(Math.sqrt(weight * scale) * 255), 255));
}
