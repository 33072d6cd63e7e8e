// Which links are drawn, and where names and links stand: arithmetic and geometry, without a canvas.

/** So many links of each query can be asked for. */
export const MOST = 5;
const FEW = 40; // up to so many units there is room for a third link of each
const FAINTEST = 0.002; // a link of the token that is looked into, from this weight on
const NEGLIGIBLE = 0.005; // or from this share of its strongest one: 512 keys looked at alike get less than that each
const LOW = 1.6, HIGH = 2.2; // a row, times the height of its type
const WIDEST = 0.34; // of the view: a column of names with its numbers
const LEGIBLE = 4; // times the height of the type: names are not cut to less than this for the sake of numbers
const LONGEST = 1.2; // times the height of the view: from wider links the eye loses the row

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
 * Every link of one token that is worth a line, `[{ row, column, weight }]` from the strongest on: its row of the map if
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
  const least = Math.min(FAINTEST, all[0].weight * NEGLIGIBLE);
  return all.filter(({ weight }) => weight > 0 && weight >= least);
}

/** Px of a row: as high as `rows` allow in `height`, within what reads well. */
export function rowHeight(rows, height, size) {
  return Math.round(Math.min(Math.max(height / Math.max(rows, 1), size * LOW), size * HIGH));
}

/**
 * Px from left to right: links run from `left` to `right`; beside them `gap`, then names in at most `names.query` and
 * `names.key`, then numbers in `numbers` (0 where there is no room for them). widest: of the names of each side.
 */
export function columnsOf(width, height, size, widest, numbers, gap) {
  const most = Math.floor(width * WIDEST) - gap;
  const side = (name) => {
    const beside = most - numbers >= Math.min(name, size * LEGIBLE) ? numbers : 0;
    return { names: Math.min(name, most - beside), numbers: beside };
  };
  const query = side(widest.query), key = side(widest.key);
  const left = query.names + query.numbers + gap;
  const right = Math.min(width - key.names - key.numbers - gap, left + height * LONGEST);
  return { left, right, gap, names: { query: query.names, key: key.names },
    numbers: { query: query.numbers, key: key.numbers } };
}

/** The token that is at (x, y) px of the view, `{ side, unit }`; null beside the names. */
export function tokenAt({ left, right, header, row }, scrolled, map, x, y) {
  const side = x < left ? "query" : x > right ? "key" : null;
  if (!side || y < header) return null;
  const unit = (side === "query" ? map.queries : map.keys)[Math.floor((y - header + scrolled) / row)];
  return unit === undefined ? null : { side, unit };
}
