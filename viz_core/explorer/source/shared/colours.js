// Colours interpolated between the stops of a scale (viz_core/rendering/theme.py).

/** The colour (`rgb(…)`) at a position from 0 to 1 along equally spaced stops. */
export function colourAt(stops, position) {
  return `rgb(${channelsAt(stops, position).join(" ")})`;
}

/** Black or white, whichever is more legible on the colour at a position along the stops: at least 4.58:1. */
export function inkAt(stops, position) {
  const [red, green, blue] = channelsAt(stops, position).map((channel) => {
    const light = channel / 255;
    return light <= 0.04045 ? light / 12.92 : ((light + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

const channelsOfStops = new WeakMap(); // stops -> [red, green, blue] of each

/** Red, green and blue (0 to 255) at a position along the stops. */
export function channelsAt(stops, position) {
  if (!channelsOfStops.has(stops)) {
    const parse = (colour) => [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
    channelsOfStops.set(stops, stops.map(parse));
  }
  const scaled = Math.min(Math.max(position, 0), 1) * (stops.length - 1);
  const index = Math.min(Math.floor(scaled), stops.length - 2), fraction = scaled - index;
  const lower = channelsOfStops.get(stops)[index], upper = channelsOfStops.get(stops)[index + 1];
  const mix = (channel) => Math.round(lower[channel] + (upper[channel] - lower[channel]) * fraction);
  return [mix(0), mix(1), mix(2)];
}
