// Heads of a table that is sorted elsewhere: each a button that asks for its column, and says which one it is sorted by.

import { h } from "./element.js";

/** `columns`: {words, style, sort, starts}. `starts` is what a first click asks for: "descending" or "ascending". `asked` is
 * {sort, reverse}; reverse turns that around. `choose({sort, reverse})` is called with what a click asks for. */
export function sortableHeads(columns, asked, choose) {
  const head = ({ words, style, sort, starts = "descending" }) => {
    if (!sort) return h("th", { scope: "col", class: style }, words);
    const chosen = asked.sort === sort;
    const ascending = (starts === "ascending") !== (chosen && asked.reverse);
    const order = chosen ? (ascending ? "ascending" : "descending") : undefined;
    const click = () => choose({ sort, reverse: chosen ? !asked.reverse : false });
    const mark = chosen ? h("span", { class: "sort-mark", "aria-hidden": "true" }, ascending ? "▲" : "▼") : "";
    return h("th", { scope: "col", class: style, "aria-sort": order }, h("button", { type: "button", class: "sort", "data-sort": sort, on: { click } }, words, mark));
  };
  return h("thead", {}, h("tr", {}, columns.map(head)));
}
