// A gain with its interval as a mark on a scale that all rows of a table share: filled as measured, hollow as predicted. The scale
// is one of square roots: beside a change that gains minutes, those that gain seconds are still told apart.

import { s } from "./element.js";

const [WIDTH, HEIGHT, MIDDLE, EDGE] = [112, 20, 10, 6];
// An interval may be many times its gain: the scale is made for gains, and intervals end where it does.
const [MOST_OVER, MOST_UNDER] = [1.6, 0.8];

const root = (value) => Math.sign(value) * Math.sqrt(Math.abs(value));

/** From least to most seconds gained, for the headlines of a table's rows; 0 is on it. */
export function gainScale(headlines) {
  const known = headlines.filter(Boolean);
  const gains = [0, ...known.map(({ gain }) => gain)];
  const ends = known.flatMap(({ low, high }) => (low === null ? [] : [low, high]));
  const [least, most] = [Math.min(...gains), Math.max(...gains)];
  const size = Math.max(most, -least, 0.01);
  return { from: Math.max(Math.min(least, ...ends), Math.min(least, -MOST_UNDER * size)), to: Math.min(Math.max(most, ...ends), Math.max(most, MOST_OVER * size)) };
}

export function gainStrip(found, { from, to }) {
  const [first, last] = [root(from), root(to)];
  const x = (value) => EDGE + ((root(Math.min(Math.max(value, from), to)) - first) / (last - first || 1)) * (WIDTH - 2 * EDGE);
  const strip = s("svg", { class: "gain-strip", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, "aria-hidden": "true" }, s("line", { x1: x(0), x2: x(0), y1: 0, y2: HEIGHT, class: "zero" }));
  const tone = `${found.kind} ${found.gain < 0 ? "lost" : "won"}`;
  if (found.low !== null) strip.append(s("line", { x1: x(found.low), x2: x(found.high), y1: MIDDLE, y2: MIDDLE, class: `whisker ${tone}` }));
  strip.append(s("path", { d: `M${x(found.gain)} ${MIDDLE - 5}l5 5-5 5-5-5Z`, class: `mark ${tone}` }));
  return strip;
}
