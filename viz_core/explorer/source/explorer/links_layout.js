// Which links are drawn, and where names and links are: arithmetic and geometry, without a canvas.

/** The largest number of links per query that can be selected. */
export const MOST = 5;
const FEW = 40; // up to this many units there is space for a third link of each
const FAINTEST = 0.002; // links of the token in focus are drawn from this weight on,
const NEGLIGIBLE = 0.005; // or from this share of its strongest link: a uniform row over 512 keys has smaller weights
const LOW = 1.6, HIGH = 2.2, HIGHEST = 3.6; // em: the height of a row; the highest in a presentation
const WIDEST = 0.34; // of the view: a column of names with its numbers
const LEGIBLE = 4; // em: names are not cut shorter than this to make space for numbers

/** How many links of each query are drawn by default. */
export const defaultCount = (units) => (units <= FEW ? 3 : 2);

/**
 * The columns of the keys with the largest weights of each query: `columns[row * most + rank]`, strongest first, -1
 * where no further key has any weight. A single pass without sorting.
 */
export function strongestLinks({ weights, queries, keys }, most) {
  const columns = new Int32Array(queries.length * most).fill(-1), largest = new Float32Array(most);
  for (let row = 0, at = 0; row < queries.length; row++) {
    const start = row * most;
    largest.fill(0);
    for (let column = 0; column < keys.length; column++, at++) {
      const weight = weights[at];
      if (weight <= largest[most - 1]) continue;
      let rank = most - 1;
      for (; rank > 0 && largest[rank - 1] < weight; rank--) {
        largest[rank] = largest[rank - 1];
        columns[start + rank] = columns[start + rank - 1];
      }
      largest[rank] = weight;
      columns[start + rank] = column;
    }
  }
  return columns;
}

/**
 * The non-negligible links of a token, `[{ row, column, weight }]`, strongest first: from its row of the map if `side`
 * is `query`, from its column if it is `key`.
 */
export function linksOf(map, { side, unit }) {
  const { weights, queries, keys, rowOf, columnOf } = map, isQuery = side === "query";
  const index = (isQuery ? rowOf : columnOf)[unit];
  if (!(index >= 0)) return [];
  const links = (isQuery ? keys : queries).map((_, other) => {
    const [row, column] = isQuery ? [index, other] : [other, index];
    return { row, column, weight: weights[row * keys.length + column] };
  }).sort((a, b) => b.weight - a.weight);
  const least = Math.min(FAINTEST, (links[0]?.weight ?? 0) * NEGLIGIBLE);
  return links.filter(({ weight }) => weight > 0 && weight >= least);
}

/** The selected token whose links are all shown, `{ side, unit }` or null: a key if the views show what attends to it. */
export function selectedName({ query = null, key = null, token, over }) {
  if (over === "query") return { side: "key", unit: token };
  if (query !== null) return { side: "query", unit: query };
  return key === null ? null : { side: "key", unit: key };
}

/** Height of a row in px: what fits `rows` into `height`, within legible limits. */
export function rowHeight(rows, height, size) {
  return Math.round(Math.min(Math.max(height / Math.max(rows, 1), size * LOW), size * HIGH));
}

/** The same in a presentation: rows fill the height, and nothing scrolls if they can be legible in it. */
export function presentedRowHeight(rows, height, size) {
  return Math.floor(Math.min(Math.max(height / Math.max(rows, 1), size * LOW), size * HIGHEST));
}

/**
 * The horizontal layout in `width` px, if names take up to `widest` px on each side (query, key) and links at most
 * `longest` px. From left to right: numbers (weights; 0 px if there is no space for them), names, a gap, links from
 * `left` to `right`, a gap, names, numbers. `inner`: where names begin, at the gap; `outer`: where numbers end.
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

/** The token at (x, y) px of the view, `{ side, unit }`; null elsewhere. list: the units of each side. */
export function tokenAt({ left, right, header, row }, scrolled, list, x, y) {
  const side = x < left ? "query" : x > right ? "key" : null;
  const unit = side && y >= header ? list[side][Math.floor((y - header + scrolled) / row)] : undefined;
  return unit === undefined ? null : { side, unit };
}
