// The cohort's queries, slowest first, and the plan of the one that a person opened.

import * as api from "./api.js";
import { h } from "./element.js";
import { moreButton } from "./more.js";
import { planView } from "./plan_view.js";
import { named } from "./printable.js";
import { empty, loadInto } from "./status.js";
import { seconds, share } from "./units.js";

const LIMIT = 50;

function orNone(value) {
  return value === null ? h("span", { class: "faint" }, "–") : seconds(value);
}

function change({ baseline_seconds: before, latest_seconds: after }) {
  if (before === null || after === null || before === 0) return h("span", { class: "faint" }, "–");
  const part = (before - after) / before;
  if (Math.abs(part) < 0.005) return h("span", { class: "faint" }, "same");
  return h("span", { class: part > 0 ? "better" : "worse" }, `${share(Math.abs(part))} ${part > 0 ? "less" : "more"}`);
}

function meter(item, most) {
  const width = most > 0 ? (100 * (item.latest_seconds ?? item.baseline_seconds ?? 0)) / most : 0;
  return h("div", { class: "meter", "aria-hidden": "true" }, h("div", { style: { width: `${Math.min(width, 100).toFixed(1)}%` } }));
}

function row(item, most, open) {
  const { query } = item;
  const name = named(query.name, { limit: 110 });
  return h(
    "tr",
    {},
    h("th", { scope: "row", class: "name" }, name, h("div", { class: "faint mono" }, named(query.fingerprint, { limit: 24 }))),
    h("td", { class: "number" }, orNone(item.latest_seconds), meter(item, most)),
    h("td", { class: "number" }, orNone(item.baseline_seconds)),
    h("td", { class: "number" }, change(item)),
    h("td", { class: "number" }, String(item.in_force)),
    h("td", { class: "tool" }, item.has_plan ? h("button", { type: "button", class: "small", "aria-label": `Plan of ${name.textContent}`, "data-query": query.fingerprint, on: { click: () => open(query) } }, "Plan") : h("span", { class: "faint" }, "no plan")),
  );
}

const HEADS = [["Query"], ["Latest run", "number"], ["Nothing in force (median)", "number"], ["Change", "number"], ["In force", "number"], ["Plan"]];

function table(found, page, open) {
  page.counted("queries", found.total);
  if (!found.total) return empty("No query has been measured.", "Queries appear here when a run has ended and its event log was read.");
  const most = Math.max(...found.items.map((item) => item.latest_seconds ?? item.baseline_seconds ?? 0));
  const body = h("tbody", {}, found.items.map((item) => row(item, most, open)));
  const add = async (offset) => {
    const next = await api.queries(page.name, { limit: LIMIT, offset });
    body.append(...next.items.map((item) => row(item, most, open)));
    return next.items.length;
  };
  const heads = HEADS.map(([words, style]) => h("th", { scope: "col", class: style }, words));
  const element = h("table", { class: "queries" }, h("caption", { class: "unseen" }, "Queries, slowest first"), h("thead", {}, h("tr", {}, heads)), body);
  return [h("div", { class: "scroller", role: "region", "aria-label": "Queries, scrolls sideways", tabindex: "0" }, element), moreButton(found.items.length, found.total, add)];
}

/** Fills `panel` with the queries, or with the plan of `page.query`. */
export function queriesPanel(panel, page) {
  if (page.query) {
    const view = planView(page.query, page, () => page.openQuery(null));
    panel.replaceChildren(view);
    return view.querySelector("h2").focus();
  }
  const place = h("div", {});
  panel.replaceChildren(place);
  const show = () => {
    place.replaceChildren(...page.queryList);
    const buttons = [...place.querySelectorAll("button[data-query]")];
    if (page.leftQuery) (buttons.find((each) => each.dataset.query === page.leftQuery) ?? buttons[0])?.focus();
    page.leftQuery = "";
  };
  if (page.queryList) return show();
  return loadInto(place, () => api.queries(page.name, { limit: LIMIT, offset: 0 }), (found) => (page.queryList = [table(found, page, page.openQuery)].flat()), { lines: 8 });
}
