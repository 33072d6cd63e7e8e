// Reads the bytes written by viz_core/explorer/inside.py: length of the header, header as JSON, arrays as float32.

/** @import { InsideRecord } from "../shared/records.js" */

/**
 * The header with `array(name)`, `rows(name)`, its rows, and `has(name)`.
 *
 * @param {Uint8Array} bytes
 * @returns {InsideRecord}
 */
export function readRecord(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const numbers = bytes.slice(4 + length).buffer;
  const has = (name) => name in (header.arrays ?? {});
  const shape = (name) => header.arrays[name][1];
  const array = (name) => {
    const [start, sizes] = header.arrays[name];
    return new Float32Array(numbers, 4 * start, sizes.reduce((product, size) => product * size, 1));
  };
  return {
    ...header,
    shape,
    array,
    has,
    rows(name) {
      const values = array(name), columns = shape(name).at(-1);
      return Array.from({ length: shape(name)[0] }, (_, row) => values.subarray(row * columns, (row + 1) * columns));
    },
  };
}
