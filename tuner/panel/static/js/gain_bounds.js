// What was gained or lost, and between which bounds that lies, 90 % sure.

import { h } from "./element.js";
import { difference, lessOrMore } from "./difference.js";
import { seconds } from "./units.js";

const LEAST = 0.005;

/** `2.0 s to 4.4 s less`; empty where the bounds are one. */
export function boundsWords({ low, high }) {
  if (high - low < LEAST) return "";
  if (low >= 0) return `${seconds(low)} to ${seconds(high)} less`;
  if (high <= 0) return `${seconds(-high)} to ${seconds(-low)} more`;
  return `${lessOrMore(low)} to ${lessOrMore(high)}`;
}

/** A gain as an element, with its bounds below; null is not known. `of` adds the share of so many seconds. */
export function gainWords(gain, { of = 0 } = {}) {
  if (gain === null) return h("span", { class: "faint" }, "–");
  const bounds = boundsWords(gain);
  return [difference(gain.seconds, { of }), bounds ? h("div", { class: "faint", title: "90 % sure" }, bounds) : ""];
}
