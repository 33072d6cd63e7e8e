// Which links are drawn, and where names and links stand: arithmetic and geometry, without a canvas.

/** So many links of each query can be asked for. */
export const MOST = 5;
const FEW = 40; // up to so many units there is room for a third link of each
const FAINTEST = 0.002; // a link of the token that is looked into, from this weight on
const NEGLIGIBLE = 0.005; // or from this share of its strongest one: 512 keys looked at alike get less than that each
const LOW = 1.6, HIGH = 2.2; // a row, times the height of its type
const WIDEST = 0.34; // of the view: a column of names with its numbers
const LEGIBLE = 4; // times the height of the type: names are not cut to less than this for the sake of numbers

/** How many links of each query are drawn until a person chooses. */
export const usual = (units) => (units <= FEW ? 3 : 2);

/**
 * The columns of the keys that each query gives most weight to, strongest first: `found[row * most + rank]`, -1 where
 * nothing more has any weight. Kept in order while reading: no row is ever sorted as a whole.
 */
export function strongest({ weights, queries, keys }, most) {
  const found = new Int32Array(queries.length * most).fill(-1), held = new Float32Array(most);
  for (let row = 0, at = 0; row < queries.length; row++) {
    const start = row * most;
    held.fill(0);
    for (let column = 0; column < keys.length; column++, at++) {
      const weight = weights[at];
      if (weight <= held[most - 1]) continue;
      let rank = most - 1;
      for (; rank > 0 && held[rank - 1] < weight; rank--) {
        held[rank] = held[rank - 1];
        found[start + rank] = found[start + rank - 1];
      }
      held[rank] = weight;
      found[start + rank] = column;
    }
  }
  return found;
}

/**
 * Every link of one token that is worth a line, `[{ row, column, weight }]`, strongest first: its row of the map if
 * `side` is `query`, its column if it is `key`.
 */
export function linksOf(map, { side, unit }) {
  const { weights, queries, keys, rowOf, columnOf } = map, looks = side === "query";
  const place = (looks ? rowOf : columnOf)[unit];
  if (!(place >= 0)) return [];
  const all = (looks ? keys : queries).map((_, other) => {
    const [row, column] = looks ? [place, other] : [other, place];
    return { row, column, weight: weights[row * keys.length + column] };
  }).sort((one, other) => other.weight - one.weight);
  const least = Math.min(FAINTEST, (all[0]?.weight ?? 0) * NEGLIGIBLE);
  return all.filter(({ weight }) => weight > 0 && weight >= least);
}

/** Px of a row: as high as `rows` allow in `height`, within what reads well. */
export function rowHeight(rows, height, size) {
  return Math.round(Math.min(Math.max(height / Math.max(rows, 1), size * LOW), size * HIGH));
}

/**
 * Where everything stands in `width` px, if names take up to `widest` px on each side (query, key) and links are at
 * most `longest` px. From left to right: numbers (weights; 0 px where there is no room for them), names, a gap, links
 * from `left` to `right`, a gap, names, numbers. `inner`: where names begin, at the gap; `outer`: where numbers end.
 */
export function columnsOf(width, longest, size, widest, numberWidth, gap) {
  const most = Math.floor(width * WIDEST) - gap, names = {}, numbers = {};
  for (const side of ["query", "key"]) {
    numbers[side] = most - numberWidth >= Math.min(widest[side], size * LEGIBLE) ? numberWidth : 0;
    names[side] = Math.min(widest[side], most - numbers[side]);
  }
  const left = numbers.query + names.query + gap;
  const right = Math.min(width - numbers.key - names.key - gap, left + longest);
  return { left, right, names, numbers, inner: { query: left - gap, key: right + gap },
    outer: { query: numbers.query - size, key: right + gap + names.key + numbers.key } };
}

/** The token at (x, y) px of the view, `{ side, unit }`; null beside the names. list: the units of each side. */
export function tokenAt({ left, right, header, row }, scrolled, list, x, y) {
  const side = x < left ? "query" : x > right ? "key" : null;
  const unit = side && y >= header ? list[side][Math.floor((y - header + scrolled) / row)] : undefined;
  return unit === undefined ? null : { side, unit };
}
