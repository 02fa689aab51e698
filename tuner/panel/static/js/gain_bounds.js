// What was gained or lost, and between which bounds that lies, 90% sure.

import { difference, isNone } from "./difference.js";
import { h } from "./element.js";
import { intervalWords } from "./gain_words.js";

/** `2.0 s to 4.4 s less`; empty where the bounds are one. */
export function boundsWords({ low, high }) {
  if (isNone(high - low)) return "";
  const words = intervalWords(low, high);
  if (low < 0 && high > 0) return words;
  return `${words} ${low >= 0 ? "less" : "more"}`;
}

/** A gain as an element, with its bounds below; null is not known. */
export function gainWords(gain) {
  if (gain === null) return h("span", { class: "faint" }, "–");
  const bounds = boundsWords(gain);
  return [difference(gain.seconds), bounds ? h("div", { class: "faint", title: "90% sure" }, bounds) : ""];
}
