// The bytes that viz_core/explorer/packing.py makes: length of the header, the header as JSON, and the sections it names.

/** Weights travel as 16-bit fixed point: this many steps are a weight of 1. */
export const STEPS = 65535;

/** Uint8Array -> the header, with `thumbnail(layer, head)` and `matrix(layer, head)` (null where it was not sent). */
export function unpack(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const body = bytes.slice(4 + length).buffer; // a copy: 16-bit arrays must start at an even byte
  const { heads, tokens, side, sections } = header;
  const cells = side * side, weights = tokens * tokens;
  const sent = new Map(header.sent.map(([layer, head], index) => [`${layer}.${head}`, index]));
  return {
    ...header,
    thumbnail: (layer, head) => new Uint8Array(body, sections.thumbnails + (layer * heads + head) * cells, cells),
    matrix(layer, head) {
      const index = sent.get(`${layer}.${head}`);
      return index === undefined ? null : new Uint16Array(body, sections.matrices + index * weights * 2, weights);
    },
  };
}
