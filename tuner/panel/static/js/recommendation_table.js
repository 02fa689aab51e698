// Recommendations as a table, grouped by the query that they are for; what needs a person comes first.

import { h } from "./element.js";
import { gainScale } from "./gain_strip.js";
import { headline } from "./gain_words.js";
import { clipped, named } from "./printable.js";
import { COLUMNS, recommendationRow } from "./recommendation_row.js";
import { counted } from "./units.js";

/** What a recommendation is for: one query, all of a run, or several. */
function groupOf({ queries, reaches_all: reachesAll }) {
  if (reachesAll) return { key: "all", words: "All queries", query: null };
  if (queries.length === 1) return { key: queries[0].fingerprint, words: queries[0].name, query: queries[0] };
  const names = queries.map((query) => query.fingerprint).sort();
  return { key: names.join(" "), words: queries.length ? counted(queries.length, "query", "queries") : "No query", query: null };
}

/** In the order in which the first of each comes: the server has what asks for a person first. */
export function groupsOf(items) {
  const groups = new Map();
  for (const item of items) {
    const group = groupOf(item);
    if (!groups.has(group.key)) groups.set(group.key, { ...group, items: [] });
    groups.get(group.key).items.push(item);
  }
  return [...groups.values()];
}

function groupHead({ words, query, items }, page) {
  const waiting = items.filter((item) => item.waits).length;
  const count = `${counted(items.length, "change")}${waiting ? `, ${waiting} ${waiting === 1 ? "waits" : "wait"}` : ""}`;
  const plan = query ? h("button", { type: "button", class: "link", "aria-label": `Plan of ${clipped(query.name, 100)}`, on: { click: () => page.openQuery(query) } }, "Plan") : "";
  return h("tr", { class: "group-head" }, h("th", { scope: "rowgroup", colspan: COLUMNS }, h("div", { class: "group-line" }, named(words, { limit: 110, class: "group-name" }), h("span", { class: "faint" }, count), plan)));
}

function chooseAll(items, list) {
  const possible = items.filter(list.canChoose).map((item) => item.id);
  if (!possible.length) return "";
  const box = h("input", { type: "checkbox", "aria-label": "Select all shown", on: { change: (event) => list.choose(possible, event.target.checked) } });
  const chosen = possible.filter(list.isChosen).length;
  box.checked = chosen === possible.length;
  box.indeterminate = chosen > 0 && chosen < possible.length;
  return box;
}

export function recommendationTable(items, page, list) {
  const scale = gainScale(items.map(headline));
  const heads = h(
    "tr",
    {},
    h("td", { class: "choice-cell" }, chooseAll(items, list)),
    h("th", { scope: "col" }, "Change"),
    h("th", { scope: "col", class: "gain-head", title: "Seconds of a run. Filled marks were measured, hollow ones are predicted; nine of ten lie within their lines." }, "Gain a run"),
    h("th", { scope: "col", class: "standing-head" }, "Standing"),
    h("th", { scope: "col", class: "risk-head" }, "Risk"),
  );
  const bodies = groupsOf(items).map((group) => h("tbody", {}, groupHead(group, page), group.items.flatMap((item) => recommendationRow(item, page, list, scale))));
  const table = h("table", { class: "recommendations" }, h("caption", { class: "unseen" }, "Recommendations by query, what needs a person first"), h("thead", {}, heads), bodies);
  return h("div", { class: "scroller", role: "region", "aria-label": "Recommendations, scrolls sideways", tabindex: "0" }, table);
}
