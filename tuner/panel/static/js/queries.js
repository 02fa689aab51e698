// The cohort's queries, and the page of the one that a person opened.

import * as api from "./api.js";
import { difference } from "./difference.js";
import { h } from "./element.js";
import { inForceList } from "./in_force_list.js";
import { moreButton } from "./more.js";
import { here, visit } from "./navigation.js";
import { named } from "./printable.js";
import { queryLink } from "./query_link.js";
import { queryView } from "./query_view.js";
import { sortHead } from "./sort_head.js";
import { empty, loadInto } from "./status.js";
import { time } from "./times.js";
import { counted, seconds, share } from "./units.js";

const LIMIT = 50;
const WITHOUT = "What it would have taken in the latest run with nothing in force: as that night's machine and input had it, as in the cohort's figures.";
const COLUMNS = [
  { name: "name", words: "Query", ascending: true },
  { name: "latest", words: "Latest run", style: "number", title: "Seconds in the latest measured run" },
  { name: "baseline", words: "With nothing in force", style: "number", title: WITHOUT },
  { name: "gained", words: "Gained", style: "number", title: "The difference: what the machine alone gained or lost is not in it" },
  { name: "share", words: "Share of the run", style: "number", title: "Of the query time of the latest run" },
  { name: "in_force", words: "In force on it", title: "In the latest run; properties are in force on every query" },
];
const USUAL = { sort: "latest", descending: true };

/** What the address says of the queries: which is open, or the order of the list. */
export function queriesAsked() {
  const { query = "", sort = "", descending = "" } = here().query;
  const known = COLUMNS.some(({ name }) => name === sort);
  return { fingerprint: query, order: known ? { sort, descending: descending !== "false" } : USUAL };
}

const none = (title) => h("span", { class: "faint", title }, "–");
const orNone = (value, words, title) => (value === null ? none(title) : words(value));

function row(item, most, page) {
  const { query, latest_seconds: latest, baseline_seconds: baseline } = item;
  const width = most > 0 && latest !== null ? (100 * latest) / most : 0;
  return h(
    "tr",
    {},
    h("th", { scope: "row", class: "name" }, queryLink(query, page), h("div", { class: "fingerprint" }, named(query.fingerprint, { limit: 24 }))),
    h("td", { class: "number" }, orNone(latest, seconds, "The latest run did not run it"), h("div", { class: "meter", "aria-hidden": "true" }, h("div", { style: { width: `${Math.min(width, 100).toFixed(1)}%` } }))),
    h("td", { class: "number" }, orNone(baseline, seconds, "New, and never measured without what is in force")),
    h("td", { class: "number" }, orNone(item.gained_seconds, (gain) => difference(gain, { of: baseline }), "Nothing was in force, or nothing is known without it")),
    h("td", { class: "number" }, orNone(item.share, share, "The latest run did not run it")),
    h("td", {}, inForceList(item.in_force, { most: 2, nothing: none("Nothing but what is in force on every query") })),
  );
}

/** All of them together, with the figures of the cohort; and why a sum may be another. */
function totalRow(together) {
  const { queries, latest_seconds: latest, baseline_seconds: baseline, gained_seconds: gained, new: unknown, gone } = together;
  const notes = [unknown && baseline !== null ? `${counted(unknown, "new query", "new queries")} counted as ${unknown === 1 ? "it" : "they"} ran` : "", gone ? `without ${counted(gone, "query", "queries")} of earlier runs` : ""].filter(Boolean);
  return h(
    "tr",
    {},
    h("th", { scope: "row", class: "name" }, `All ${counted(queries, "query", "queries")}`, notes.length ? h("div", { class: "faint" }, notes.join(", ")) : ""),
    h("td", { class: "number" }, orNone(latest, seconds)),
    h("td", { class: "number" }, orNone(baseline, seconds, "Too much of the run was never measured without changes")),
    h("td", { class: "number" }, orNone(gained, (value) => difference(value, { of: baseline }), "Nothing was in force")),
    h("td", { class: "number" }, latest ? share(1) : none()),
    h("td", {}),
  );
}

function about({ run_at: at, properties }) {
  if (!at) return h("p", { class: "faint cards-say" }, "No run has been measured in the runs that this page looks at.");
  return h(
    "div",
    { class: "queries-about" },
    h("p", { class: "faint" }, "The run of ", time(at), ", and what it would have taken with nothing in force on the machine and the input of that night."),
    properties.length ? h("div", { class: "faint" }, "In force on every query: ", inForceList(properties, { most: 4 })) : "",
  );
}

/** The list in an order, as elements; `choose(order)` has it sorted. */
function list(found, order, page, choose) {
  page.counted("queries", found.total);
  if (!found.total) return [empty("No query has been measured.", "Queries appear here when a run has ended and its event log was read.")];
  const most = Math.max(0, ...found.items.map((item) => item.latest_seconds ?? 0));
  const body = h("tbody", {}, found.items.map((item) => row(item, most, page)));
  const add = async (offset) => {
    const next = await api.queries(page.name, { ...order, limit: LIMIT, offset });
    body.append(...next.items.map((item) => row(item, most, page)));
    return next.items.length;
  };
  const element = h(
    "table",
    { class: "queries" },
    h("caption", { class: "unseen" }, "Queries"),
    h("thead", {}, h("tr", {}, COLUMNS.map((column) => sortHead(column, order, choose)))),
    body,
    h("tfoot", {}, totalRow(found.together)),
  );
  return [about(found.together), h("div", { class: "scroller", role: "region", "aria-label": "Queries, scrolls sideways", tabindex: "0" }, element), moreButton(found.items.length, found.total, add)];
}

function focusOn(place, selector) {
  place.querySelector(selector)?.focus({ preventScroll: true });
}

/** The list as it was left, if it is in the same order; else asked for. */
async function showList(place, page, order, focused = "") {
  const key = JSON.stringify(order);
  const choose = (next) => {
    visit({ sort: next.sort, descending: String(next.descending) }, { part: "queries", as: "sort" });
    page.queriesShown = JSON.stringify(queriesAsked());
    showList(place, page, next, `[data-sort="${next.sort}"]`);
  };
  if (page.queryList?.key === key) place.replaceChildren(...page.queryList.elements);
  else {
    page.queryList = null;
    const draw = (found) => {
      page.queryList = { key, elements: list(found, order, page, choose) };
      return page.queryList.elements;
    };
    await loadInto(place, () => api.queries(page.name, { ...order, limit: LIMIT, offset: 0 }), draw, { lines: 8 });
  }
  if (focused) focusOn(place, focused);
}

/** Fills `panel` with the queries, or with the page of the one that is open, `page.query`; `page.leftQuery` was open before. */
export function queriesPanel(panel, page, how) {
  const { fingerprint, order } = queriesAsked();
  const left = page.leftQuery;
  Object.assign(page, { query: fingerprint, leftQuery: "", queriesShown: JSON.stringify(queriesAsked()) });
  const place = h("div", {});
  panel.replaceChildren(place);
  if (fingerprint) return queryView(place, fingerprint, page, how);
  return showList(place, page, order, left ? `[data-query="${CSS.escape(left)}"]` : "");
}
