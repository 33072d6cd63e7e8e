// Colours along stops, which are those of viz_core/rendering/theme.py.

/** The colour (`rgb(…)`) at a share of the way along equally spaced stops. */
export function colourAt(stops, position) {
  return `rgb(${channelsAt(stops, position).join(" ")})`;
}

/** Near-black or near-white, whichever reads better on the colour at a share of the stops. */
export function inkAt(stops, position) {
  const [red, green, blue] = channelsAt(stops, position).map((channel) => {
    const light = channel / 255;
    return light <= 0.04045 ? light / 12.92 : ((light + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#16181d" : "#fafafa";
}

const read = new WeakMap(); // stops -> their channels

/** Red, green and blue at a share of the way along the stops. */
export function channelsAt(stops, position) {
  if (!read.has(stops)) {
    read.set(stops, stops.map((colour) => [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16))));
  }
  const at = Math.min(Math.max(position, 0), 1) * (stops.length - 1), below = Math.min(Math.floor(at), stops.length - 2);
  const one = read.get(stops)[below], other = read.get(stops)[below + 1], share = at - below;
  const between = (channel) => Math.round(one[channel] + (other[channel] - one[channel]) * share);
  return [between(0), between(1), between(2)];
}
