// Heads of columns that a table can be sorted by: a button each, which says what it would do.

import { h } from "./element.js";
import { icon } from "./icons.js";

/**
 * A head of a table sorted by `order`, {sort, descending}. `column`: {name, words, style, title, ascending}: by name first what
 * it sorts by, the order it begins with last. `choose(order)` is told what a person asked for.
 */
export function sortHead({ name, words, style = "", title, ascending = false }, order, choose) {
  const sorted = order.sort === name;
  const next = { sort: name, descending: sorted ? !order.descending : !ascending };
  const state = sorted ? (order.descending ? "descending" : "ascending") : undefined;
  const button = h("button", { type: "button", class: "sort", "data-sort": name, title, on: { click: () => choose(next) } }, words, sorted ? icon(order.descending ? "down" : "up") : "");
  return h("th", { scope: "col", class: style, "aria-sort": state }, button);
}
