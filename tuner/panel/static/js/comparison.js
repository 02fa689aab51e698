// Two runs side by side: what is slower, by how much and why, then query by query.

import * as api from "./api.js";
import { announce } from "./announce.js";
import { isMeasured } from "./compared_runs.js";
import { copyButton } from "./copying.js";
import { difference, lessOrMore } from "./difference.js";
import { h, uniqueId } from "./element.js";
import { icon } from "./icons.js";
import { addressWith, visit } from "./navigation.js";
import { clipped, named } from "./printable.js";
import { runState } from "./standing.js";
import { empty, loadInto } from "./status.js";
import { moment } from "./times.js";
import { bytes, count, counted, seconds, share } from "./units.js";

const KINDS = { scan: "Scan", join: "Join", aggregate: "Aggregate", shuffle: "Shuffles", broadcast: "Broadcasts", sort: "Sorts" };

const faint = (text) => h("span", { class: "faint" }, text);

function table(style, caption, heads, rows) {
  const columns = heads.map(([words, kind]) => h("th", { scope: "col", class: kind }, words));
  const element = h("table", { class: style }, h("caption", { class: "unseen" }, caption), h("thead", {}, h("tr", {}, columns)), h("tbody", {}, rows));
  return h("div", { class: "scroller", role: "region", "aria-label": `${caption}, scrolls sideways`, tabindex: "0" }, element);
}

/** Seconds more or less than in the run before. */
function more(value) {
  return difference(-value);
}

function cause(item) {
  return h("tr", {}, h("td", { class: "number" }, more(item.seconds)), h("th", { scope: "row", class: "kind" }, item.label), h("td", {}, named(item.words, { limit: 400 })));
}

function why(found) {
  if (!found.causes.length) return "";
  return table("causes", "What the difference comes from", [["Seconds", "number"], ["From"], ["Why"]], found.causes.map(cause));
}

function amount(value, words) {
  return value === null || value === undefined ? faint("–") : words(value);
}

function sides(operator, name, words) {
  return h("td", { class: "number" }, amount(operator.before?.[name], words), " → ", amount(operator.after?.[name], words));
}

function how({ before, after }) {
  if (before === null) return "not before";
  if (after === null) return "no longer";
  return before.how === after.how ? after.how : `${after.how || "otherwise"} instead of ${before.how || "otherwise"}`;
}

function operatorRow(operator) {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, KINDS[operator.kind], operator.name ? [" ", named(operator.name, { limit: 80 })] : ""),
    h("td", {}, clipped(how(operator), 120)),
    sides(operator, "rows", count),
    sides(operator, "bytes", bytes),
    sides(operator, "seconds", seconds),
  );
}

const QUERY_HEADS = [["Query"], ["Before", "number"], ["After", "number"], ["Difference", "number"], ["Share", "number"], ["From"]];
const OPERATOR_HEADS = [["Operator"], ["Runs as"], ["Rows", "number"], ["Bytes", "number"], ["Seconds", "number"]];

/** A row of its own below the query's, as wide as the table. */
function detailsRow(item) {
  const lines = item.causes.map((each) => h("li", {}, more(each.seconds), ` · ${each.label}: `, named(each.words, { limit: 400 })));
  if (!lines.length && !item.operators.length) return "";
  const shown = h(
    "details",
    {},
    h("summary", {}, "Details", h("span", { class: "unseen" }, " of ", clipped(item.query.name, 110))),
    lines.length ? h("ul", { class: "bare" }, lines) : "",
    item.operators.length ? table("operators", "Operators that differ, before and after", OPERATOR_HEADS, item.operators.map(operatorRow)) : "",
  );
  return h("tr", { class: "details-row" }, h("td", { colspan: QUERY_HEADS.length }, shown));
}

function executions({ executions_before: before, executions_after: after }) {
  if (before === 1 && after === 1) return "";
  return h("div", { class: "faint" }, before === after ? `${after} times` : `${after} times instead of ${before}`);
}

function from(item) {
  if (item.is_noise) return h("span", { class: "faint", title: "The same work with the same plan: queries differ by as much from run to run." }, "noise");
  return [...new Set(item.causes.map((each) => each.label))].join(", ") || faint("–");
}

function queryRow(item, page) {
  const link = h("button", { type: "button", class: "link", on: { click: () => page.openQuery(item.query) } }, named(item.query.name, { limit: 110 }));
  const row = h(
    "tr",
    {},
    h("th", { scope: "row", class: "name" }, link, executions(item)),
    h("td", { class: "number" }, amount(item.seconds_before, seconds)),
    h("td", { class: "number" }, amount(item.seconds_after, seconds)),
    h("td", { class: "number" }, item.is_noise ? faint(lessOrMore(-item.difference_seconds)) : more(item.difference_seconds)),
    h("td", { class: "number" }, item.share === null ? faint("–") : share(item.share)),
    h("td", {}, from(item)),
  );
  return [row, detailsRow(item)];
}

function queries(found, page) {
  if (!found.queries.length) return empty("Neither run has a query.", "Only queries that read data are compared.");
  return [
    table("compared-queries", "Queries, those that differ most first", QUERY_HEADS, found.queries.map((item) => queryRow(item, page))),
    found.more_queries ? h("p", { class: "faint" }, `and ${counted(found.more_queries, "more query", "more queries")}, which differ less`) : "",
  ];
}

function others(found) {
  if (!found.others.length) return "";
  const id = uniqueId("others");
  return h("section", { "aria-labelledby": id }, h("h3", { id }, "What else differs"), h("ul", { class: "others" }, found.others.map((line) => h("li", {}, named(line, { limit: 300 })))));
}

function drawn(found, page) {
  const slower = found.difference_seconds > 0;
  const tone = found.is_noise ? "" : slower ? "worse" : "better";
  announce(clipped(found.headline, 300));
  return [h("p", { class: `headline ${tone}` }, named(found.headline, { limit: 400 })), ...[why(found)].flat(), ...[queries(found, page)].flat(), others(found)].filter(Boolean);
}

/** `3 Mar 2026, 02:00 · succeeded · 2 min 8 s · map 3 · try 2`. */
function label(run) {
  const took = run.application_seconds ?? run.query_seconds;
  const parts = [moment(run.started_at), runState(run.state, run.ended_at).words.toLowerCase(), took === null ? "" : seconds(took)];
  return [...parts, run.map_index >= 0 ? `map ${run.map_index}` : "", run.try_number > 1 ? `try ${run.try_number}` : ""].filter(Boolean).join(" · ");
}

/** A label for each run, with what it is called where another has the same. */
function labels(runs) {
  const all = runs.map(label);
  return runs.map((run, index) => (all.indexOf(all[index]) === all.lastIndexOf(all[index]) ? all[index] : `${all[index]} · ${clipped(run.run_id || run.key, 60)}`));
}

function choice(words, chosen, runs, choose) {
  const id = uniqueId("run");
  // A run that the address asks for may be older than those at hand.
  const unknown = runs.some((run) => run.key === chosen) ? [] : [h("option", { value: chosen, selected: true }, clipped(chosen, 90))];
  const offered = runs.filter((run) => isMeasured(run) || run.key === chosen);
  const called = labels(offered);
  const known = offered.map((run, index) => h("option", { value: run.key, selected: run.key === chosen }, called[index]));
  const select = h("select", { id, on: { change: () => choose(select.value) } }, unknown, known);
  return h("div", { class: "choice" }, h("label", { for: id }, words), select);
}

/** The comparison of `chosen` ({before, after}, by keys), of which others among `runs` may be chosen; `back` leads to the table. */
export function comparisonView(chosen, runs, page, back) {
  const place = h("div", { class: "comparison" });
  const tools = h("div", { class: "buttons" });
  const show = (now) => {
    page.comparison = now;
    // The tab may not be the one that is open by now, and the page's address that of another.
    const address = new URL(addressWith(now, "runs"), window.location.href).href;
    tools.replaceChildren(faint("Link to this comparison"), copyButton(address, null, "the address of this comparison"));
    return loadInto(place, () => api.compare(page.name, now), (found) => drawn(found, page), { lines: 8 });
  };
  const choose = (side) => (key) => {
    const now = { ...page.comparison, [side]: key };
    visit(now, { part: "runs", as: "comparison" });
    return show(now);
  };
  const head = h(
    "div",
    { class: "comparison-head" },
    h("button", { type: "button", on: { click: back } }, icon("left"), "All runs"),
    h("h2", { tabindex: "-1" }, "Two runs compared"),
    tools,
  );
  const choices = h("div", { class: "comparison-choices" }, choice("Run before", chosen.before, runs, choose("before")), choice("Run after", chosen.after, runs, choose("after")));
  show(chosen);
  return h("div", { class: "comparison-view" }, head, choices, place);
}
