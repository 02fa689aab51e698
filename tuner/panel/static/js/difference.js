// Seconds gained or lost, in words that need no sign, and never by colour alone.

import { h } from "./element.js";
import { seconds, share } from "./units.js";

const LEAST = 0.005;

/** Whether so many seconds are too few to speak of. */
export function isNone(gain) {
  return Math.abs(gain) < LEAST;
}

/** `3.2 s less`, `1.0 s more`, `no difference`. */
export function lessOrMore(gain) {
  if (isNone(gain)) return "no difference";
  return `${seconds(Math.abs(gain))} ${gain > 0 ? "less" : "more"}`;
}

/** The same as an element in its tone; `of` adds its share of that many seconds. */
export function difference(gain, { of = 0, tag = "span" } = {}) {
  const tone = isNone(gain) ? "faint" : gain > 0 ? "better" : "worse";
  const part = of > 0 && tone !== "faint" ? ` (${share(Math.abs(gain) / of)})` : "";
  return h(tag, { class: tone }, lessOrMore(gain), part);
}
