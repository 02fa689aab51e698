// One of several figures: what it is, the value, and what is to be said of it below.

import { h } from "./element.js";

/** `value` and `below` are text or elements. */
export function figure(label, value, ...below) {
  return h("div", { class: "figure" }, h("dt", {}, label), h("dd", {}, h("div", { class: "value" }, value), h("div", { class: "below" }, ...below)));
}
